import { AdapterError, messageOf } from '#kernel';
import { CoalescedWork } from '../coordination/shards/coalesced-work.ts';
import type { FieldLogger } from '../logging/field-logger.ts';
import { OutageLog } from '../logging/outage-log.ts';

/** By name a text that differs whenever what is stored does. */
export type Versions = ReadonlyMap<string, string>;

export interface FollowedVersionsOptions {
  /** What is followed, in the log. */
  readonly what: string;
  /** Those that are followed here, of all. */
  readonly select: (versions: Versions) => Versions;
  /** Takes over what is stored under a name. @throws AdapterError */
  readonly follow: (name: string) => Promise<void>;
  /** Looked at before each name. */
  readonly isWanted: () => boolean;
  readonly logger: FieldLogger;
}

/** One part of what others store: what has changed of it is taken over, name by name, and what fails is tried again. */
export class FollowedVersions {
  readonly #options: FollowedVersionsOptions;
  readonly #outages: OutageLog;
  readonly #work = new CoalescedWork(() => this.#followChanged());
  #found: Versions = new Map();
  /** What was taken over last. */
  #seen: Versions = new Map();

  constructor(options: FollowedVersionsOptions) {
    this.#options = options;
    const { what, logger } = options;
    this.#outages = new OutageLog(logger, {
      fails: `${what} that other processes stored could not be read`,
      works: `${what} that other processes store are read again`,
    });
  }

  /** Takes over in the background what differs from what was taken over last. */
  follow(versions: Versions): void {
    this.#found = this.#options.select(versions);
    this.#seen = new Map([...this.#seen].filter(([name]) => this.#found.has(name)));
    if (this.#changed.length > 0) void this.#work.run();
  }

  /** Resolves when nothing is under way. */
  settled(): Promise<void> {
    return this.#work.settled();
  }

  /** Begins nothing more, and waits for what is under way. */
  end(): Promise<void> {
    return this.#work.end();
  }

  get #changed(): readonly (readonly [string, string])[] {
    return [...this.#found].filter(([name, version]) => this.#seen.get(name) !== version);
  }

  /** One that cannot be followed stops none of the others. */
  async #followChanged(): Promise<void> {
    const failures: unknown[] = [];
    for (const [name, version] of this.#changed) {
      // What was not tried has neither failed nor succeeded.
      if (!this.#options.isWanted()) return;
      try {
        await this.#options.follow(name);
        this.#seen = new Map([...this.#seen, [name, version]]);
      } catch (error) {
        failures.push(namedFailure(name, error));
      }
    }
    if (failures.length > 0) this.#outages.noteFailure(failures[0]);
    else this.#outages.noteSuccess();
  }
}

function namedFailure(name: string, cause: unknown): unknown {
  if (cause instanceof AdapterError && cause.code === 'Fenced') return cause;
  return new Error(`${name}: ${messageOf(cause)}`, { cause });
}

/** Each version whose name begins so, by the rest of its name. */
export function versionsOfEach(prefix: string): (versions: Versions) => Versions {
  return (versions) =>
    new Map(
      [...versions].flatMap(([name, version]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), version] as const] : [],
      ),
    );
}

/** All versions whose names begin so, as one. */
export function versionOfAll(prefix: string): (versions: Versions) => Versions {
  return (versions) => {
    const found = [...versions].filter(([name]) => name.startsWith(prefix));
    return new Map(found.length === 0 ? [] : [[prefix, JSON.stringify(found)]]);
  };
}

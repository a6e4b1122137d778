import type { ChangedPart, ChangeListener, ChangeWatch } from '#adapter-sql';
import { messageOf } from '#kernel';
import type { Leadership } from './leadership.ts';

/** Without any notice, changes are looked for so often. */
const lookMilliseconds = 1_000;

/** What is followed: parts of the database that a process keeps in memory. */
export interface FollowedParts {
  /** Takes over what other processes stored of sources. @throws AdapterError */
  readonly followSources: (sources: readonly string[]) => Promise<void>;
  /** Takes over the interventions that other processes began and ended. @throws AdapterError */
  readonly followInterventions: () => Promise<void>;
  /** Looks for tokens that were made or revoked. */
  readonly refreshTokens: () => Promise<void>;
}

export interface DatabaseFollowerOptions extends FollowedParts {
  /** Null: SQLite, which no other process writes. */
  readonly watchChanges: () => ((listener: ChangeListener) => ChangeWatch) | null;
  /** By name a text that differs whenever what is stored does. @throws AdapterError */
  readonly versions: () => Promise<ReadonlyMap<string, string>>;
  readonly leadership: Pick<Leadership, 'isLeader'>;
  readonly logger: {
    readonly warn: (fields: object, message: string) => void;
    readonly info: (fields: object, message: string) => void;
  };
}

/**
 * Keeps what this process has in memory up to date with what others store: a notice of the database starts a look, and so
 * does each second, since a notice may be lost. It reads only what has changed, and writes nothing. The leader follows
 * nobody: what it has in memory is what it stores.
 */
export class DatabaseFollower {
  readonly #options: DatabaseFollowerOptions;
  #seen: ReadonlyMap<string, string> = new Map();
  #watch: ChangeWatch | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isAskedAgain = false;
  #isFailing = false;

  constructor(options: DatabaseFollowerOptions) {
    this.#options = options;
  }

  /** Follows from now on, in the background. */
  start(): void {
    const watchChanges = this.#options.watchChanges();
    if (watchChanges === null) return;
    const { logger } = this.#options;
    this.#watch = watchChanges({
      onChange: (part) => this.#note(part),
      onOutage: (reason) =>
        logger.warn({ reason }, 'the database sends no notices; changes are looked for each second'),
      onReturn: () => logger.info({}, 'the database sends notices again'),
    });
    this.#timer = setInterval(() => void this.look(), lookMilliseconds).unref();
    void this.look();
  }

  /** Waits for the look under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await Promise.all([this.#watch?.close(), this.#looking]);
  }

  /** Looks now, and once more where a look is under way, which may have read what has changed since. */
  look(): Promise<void> {
    if (this.#looking !== undefined) {
      this.#isAskedAgain = true;
      return this.#looking;
    }
    this.#looking = this.#lookUntilDone().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  #note(part: ChangedPart): void {
    if (part === 'Tokens') void this.#options.refreshTokens();
    if (part === 'Sources' || part === 'Interventions') void this.look();
  }

  async #lookUntilDone(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      await this.#lookOnce().then(
        () => this.#noteAnswer(),
        (error: unknown) => this.#noteFailure(error),
      );
    } while (this.#mustLookAgain());
  }

  #mustLookAgain(): boolean {
    return this.#isAskedAgain && this.#timer !== undefined;
  }

  async #lookOnce(): Promise<void> {
    const { leadership, versions, followSources, followInterventions } = this.#options;
    if (leadership.isLeader()) return;
    const found = await versions();
    const changed = [...found].flatMap(([name, version]) => (this.#seen.get(name) === version ? [] : [name]));
    if (changed.length === 0 || leadership.isLeader()) return;
    const sources = changed.flatMap((name) =>
      name.startsWith(sourcePrefix) ? [name.slice(sourcePrefix.length)] : [],
    );
    if (sources.length > 0) await followSources(sources);
    if (changed.includes('interventions')) await followInterventions();
    this.#seen = found;
  }

  /** Said once per outage. */
  #noteFailure(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#options.logger.warn({ reason: messageOf(error) }, 'what other processes stored could not be read');
  }

  #noteAnswer(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#options.logger.info({}, 'what other processes store is read again');
  }
}

/** Of the names of sources' versions. */
const sourcePrefix = 'source/';

import type { ChangedPart, ChangeListener, ChangeWatch } from '#adapter-sql';
import type { Leadership } from '../coordination/leadership.ts';
import type { FieldLogger } from '../logging/field-logger.ts';
import { OutageLog } from '../logging/outage-log.ts';
import { CoalescedWork } from './coalesced-work.ts';
import type { EntryTail } from './entry-tail.ts';
import type { LossExchange } from './loss-exchange.ts';
import type { ShardRequests } from './shard-requests.ts';

/** Without any notice, changes are looked for so often. */
const lookMilliseconds = 1_000;

/** What is followed: parts of the database that a process keeps in memory. */
export interface FollowedParts {
  /** Takes over what other processes stored of sources. @throws AdapterError */
  readonly followSources: (sources: readonly string[]) => Promise<void>;
  /** Takes over the interventions that other processes began and ended. @throws AdapterError */
  readonly followInterventions: () => Promise<void>;
  /** Takes over the latest looks at sources. @throws AdapterError */
  readonly followLooks: () => Promise<void>;
  /** Looks for tokens that were made or revoked. */
  readonly refreshTokens: () => Promise<void>;
}

export interface DatabaseFollowerOptions extends FollowedParts {
  /** Null: SQLite, which no other process writes. */
  readonly watchChanges: () => ((listener: ChangeListener) => ChangeWatch) | null;
  /** By name a text that differs whenever what is stored does. @throws AdapterError */
  readonly versions: () => Promise<ReadonlyMap<string, string>>;
  readonly tail: Pick<EntryTail, 'share' | 'look' | 'end'>;
  /** Exchanged by the leader, too. */
  readonly losses: Pick<LossExchange, 'look' | 'end'>;
  readonly requests: Pick<ShardRequests, 'look' | 'end'>;
  readonly leadership: Pick<Leadership, 'isLeader'>;
  readonly logger: FieldLogger;
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
  readonly #looks = new CoalescedWork(() => this.#lookUnlessLeading());
  readonly #outages: OutageLog;

  constructor(options: DatabaseFollowerOptions) {
    this.#options = options;
    this.#outages = new OutageLog(options.logger, {
      fails: 'what other processes stored could not be read',
      works: 'what other processes store is read again',
    });
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
    this.#options.tail.share();
    this.#timer = setInterval(() => this.#lookAtAll(), lookMilliseconds).unref();
    this.#lookAtAll();
  }

  /**
   * Takes over all that is stored by now, less the sources: to be called where this process has become the leader, before it
   * stores anything itself.
   *
   * @throws AdapterError
   */
  async catchUp(): Promise<void> {
    if (this.#watch === undefined) return;
    // One under way may have read what was before.
    await this.#looks.run();
    const { followInterventions, followLooks } = this.#options;
    await followInterventions();
    await followLooks();
  }

  /** Waits for the looks under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const { tail, losses, requests } = this.#options;
    await Promise.all([
      this.#watch?.close(),
      this.#looks.end(),
      ...[tail, losses, requests].map((each) => each.end()),
    ]);
  }

  #lookAtAll(): void {
    void this.#looks.run();
    const { tail, losses, requests } = this.#options;
    for (const each of [tail, losses, requests]) void each.look();
  }

  #note(part: ChangedPart): void {
    const { tail, losses, requests, refreshTokens } = this.#options;
    if (part === 'Entries') void tail.look();
    else if (part === 'Losses') void losses.look();
    else if (part === 'Requests') void requests.look();
    else if (part === 'Tokens') void refreshTokens();
    else void this.#looks.run();
  }

  /** A leader reads nothing, and so learns nothing of an outage. */
  async #lookUnlessLeading(): Promise<void> {
    if (!this.#options.leadership.isLeader()) await this.#outages.during(() => this.#look());
  }

  async #look(): Promise<void> {
    const { leadership, versions, followSources, followInterventions, followLooks } = this.#options;
    const found = await versions();
    const changed = [...found].flatMap(([name, version]) => (this.#seen.get(name) === version ? [] : [name]));
    if (changed.length === 0 || leadership.isLeader()) return;
    const sources = changed.flatMap((name) =>
      name.startsWith(sourcePrefix) ? [name.slice(sourcePrefix.length)] : [],
    );
    if (sources.length > 0) await followSources(sources);
    if (changed.includes('interventions')) await followInterventions();
    if (changed.some((name) => name.startsWith(lookPrefix))) await followLooks();
    this.#seen = found;
  }
}

/** Of the names of sources' versions. */
const sourcePrefix = 'source/';

/** Of the names of looks' versions. */
const lookPrefix = 'look/';

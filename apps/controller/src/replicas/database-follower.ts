import type { ChangedPart, ChangeListener, ChangeWatch } from '#adapter-sql';
import type { ClockPort } from '#reconciliation';
import { CoalescedWork } from '../coordination/shards/coalesced-work.ts';
import type { Leadership } from '../coordination/shards/leadership.ts';
import type { ShardRequests } from '../coordination/shards/shard-requests.ts';
import type { EntryTail } from '../ledger/entry-tail.ts';
import type { FieldLogger } from '../logging/field-logger.ts';
import { OutageLog } from '../logging/outage-log.ts';
import {
  FollowedVersions,
  type FollowedVersionsOptions,
  versionOfAll,
  type Versions,
  versionsOfEach,
} from './followed-versions.ts';
import type { LossExchange } from './loss-exchange.ts';

/** Without any notice, changes are looked for so often. */
const lookMilliseconds = 1_000;

/** What is followed: parts of the database that a process keeps in memory. */
export interface FollowedParts {
  /** Takes over what other processes stored of a source. @throws AdapterError */
  readonly followSource: (source: string) => Promise<void>;
  /** Takes over the interventions that other processes began and ended. @throws AdapterError */
  readonly followInterventions: () => Promise<void>;
  /** Takes over the latest looks at sources. @throws AdapterError */
  readonly followLooks: () => Promise<void>;
  /** Looks for tokens that were made or revoked. */
  readonly refreshTokens: () => Promise<void>;
}

/** Calls back after so many milliseconds. @returns a function that cancels it */
export type FollowSchedule = ClockPort['schedule'];

export interface DatabaseFollowerOptions extends FollowedParts {
  /** Null: SQLite, which no other process writes. */
  readonly watchChanges: () => ((listener: ChangeListener) => ChangeWatch) | null;
  /** By name a text that differs whenever what is stored does. @throws AdapterError */
  readonly versions: () => Promise<Versions>;
  readonly tail: Pick<EntryTail, 'share' | 'look' | 'end'>;
  /** Exchanged by the leader, too. */
  readonly losses: Pick<LossExchange, 'look' | 'end'>;
  readonly requests: Pick<ShardRequests, 'look' | 'end'>;
  /** Looks whether the database has lost what this process stored. @throws AdapterError */
  readonly compareStored: () => Promise<void>;
  readonly leadership: Pick<Leadership, 'isLeader'>;
  readonly schedule: FollowSchedule;
  readonly logger: FieldLogger;
}

/**
 * Keeps what this process has in memory up to date with what others store: a notice of the database starts a look, and so
 * does each second, since a notice may be lost. It reads only what has changed, and writes nothing. The leader follows
 * nobody: what it has in memory is what it stores.
 */
export class DatabaseFollower {
  readonly #options: DatabaseFollowerOptions;
  #watch: ChangeWatch | undefined;
  #cancel: () => void = () => undefined;
  readonly #looks = new CoalescedWork(() => this.#lookUnlessLeading());
  readonly #outages: OutageLog;
  /** Connections have come back, perhaps to another database, and what it has was not compared yet. */
  #isToCompare = false;
  /** Each by itself: a suspension waits neither for a large source nor for one that cannot be read. */
  readonly #parts: readonly FollowedVersions[];

  constructor(options: DatabaseFollowerOptions) {
    this.#options = options;
    const { followSource, followInterventions, followLooks, leadership, logger } = options;
    this.#outages = new OutageLog(logger, {
      fails: 'what other processes stored could not be read',
      works: 'what other processes store is read again',
    });
    const isWanted = (): boolean => !leadership.isLeader();
    const part = (followed: Omit<FollowedVersionsOptions, 'isWanted' | 'logger'>): FollowedVersions =>
      new FollowedVersions({ ...followed, isWanted, logger });
    this.#parts = [
      part({ what: 'interventions', select: versionOfAll('interventions'), follow: followInterventions }),
      part({ what: 'looks at sources', select: versionOfAll('look/'), follow: followLooks }),
      part({ what: 'sources', select: versionsOfEach('source/'), follow: followSource }),
    ];
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
      onReturn: () => {
        logger.info({}, 'the database sends notices again');
        this.#isToCompare = true;
      },
    });
    this.#options.tail.share();
    this.#lookRepeatedly();
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
    await Promise.all(this.#parts.map((part) => part.settled()));
    const { followInterventions, followLooks } = this.#options;
    await followInterventions();
    await followLooks();
  }

  /** Waits for the looks under way. */
  async stop(): Promise<void> {
    this.#cancel();
    const { tail, losses, requests } = this.#options;
    await Promise.all([
      this.#watch?.close(),
      this.#looks.end(),
      ...[...this.#parts, tail, losses, requests].map((each) => each.end()),
    ]);
  }

  #lookRepeatedly(): void {
    this.#cancel = this.#options.schedule(lookMilliseconds, () => this.#lookRepeatedly());
    void this.#looks.run();
    void this.#compareStored();
    const { tail, losses, requests } = this.#options;
    for (const each of [tail, losses, requests]) void each.look();
  }

  /** The leader, too: it reads nothing else, and may have stored nothing for hours. */
  async #compareStored(): Promise<void> {
    if (!this.#isToCompare) return;
    this.#isToCompare = false;
    try {
      await this.#options.compareStored();
    } catch {
      // The database is away again, which others tell.
      this.#isToCompare = true;
    }
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

  /** What has changed is read in the background, so that the next look finds what changes meanwhile. */
  async #look(): Promise<void> {
    const found = await this.#options.versions();
    for (const part of this.#parts) part.follow(found);
  }
}

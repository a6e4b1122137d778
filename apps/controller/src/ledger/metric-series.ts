import type { Logger } from 'pino';
import type { Configuration } from '#configuration';
import type { DecideInput, Decision } from '#decision';
import { messageOf, withinTime } from '#kernel';
import {
  administrationScope,
  type CountsQuery,
  decodeSeriesChunk,
  type Fence,
  type PolicyCounts,
  type RecordedChunk,
  type SeriesChunk,
  type SeriesQuery,
  SeriesRecorder,
  type SeriesStorePort,
  sliceSeriesChunk,
} from '#ledger';
import type { ClockPort, PassSeriesPort } from '#reconciliation';
import type { Holdings } from '../coordination/holdings/holdings.ts';
import type { Shards } from '../coordination/shards/shards.ts';
import { isOfDatabase } from '../database/database-away.ts';
import type { DeletionTime } from '../database/deletion-time.ts';

export interface MetricSeriesOptions {
  readonly configuration: Pick<Configuration, 'retention' | 'series'>;
  readonly store: SeriesStorePort;
  readonly shards: Pick<Shards, 'shardOf' | 'holds' | 'fencesOf'>;
  readonly holdings: Pick<Holdings, 'isLeader' | 'of'>;
  readonly time: Pick<DeletionTime, 'now'>;
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds' | 'schedule'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

const flushMilliseconds = 5_000;

/** Of a transaction, and of a flush: 20 ms of the main thread. */
const chunksPerFlush = 500;
/** What is seen is stored by then: rows are collected for four minutes, and two more where very many are stored. */
const storedWithinMilliseconds = 420_000;
/** A flush has more only where there are so many policies that their chunks would not be stored in two minutes. */
const slowestFlushes = 24;

/** The process is to end. */
const lastFlushMilliseconds = 4_000;
/** What {@link MetricSeries.stop} takes at most. */
export const seriesCloseMilliseconds = lastFlushMilliseconds + 1_000;

/** After the last part of an hour is stored, with the time that a short outage takes. */
const joinDelayMilliseconds = 600_000;
/** Hours of policies that are joined between two flushes; those of 10,000 policies within 40 minutes. */
const hoursPerFlush = 24;

/** What waits for a database that takes nothing: an hour of 5,000 policies, and days of 100. */
const maximumWaitingBytes = 16 * 1024 * 1024;

const pruneMilliseconds = 6 * 3_600_000;
const dayMilliseconds = 86_400_000;

/**
 * Keeps the metric series of policies: collects the rows of passes, and stores them a few minutes later under the fences
 * of their shards. The leader joins the chunks of an hour when it is over, and deletes what is too old. No pass waits
 * for it, and a database that takes nothing costs the oldest rows at worst.
 */
export class MetricSeries implements PassSeriesPort {
  readonly #options: MetricSeriesOptions;
  readonly #recorder = new SeriesRecorder();
  /** Oldest first, without those that are being stored. */
  #waiting: RecordedChunk[] = [];
  #storing: readonly RecordedChunk[] = [];
  /** Resolves when the database has answered for those that are being stored. */
  #stored: Promise<unknown> = Promise.resolve();
  /** Those of shards that are being given up. */
  readonly #leaving = new Set<RecordedChunk>();
  #waitingBytes = 0;
  #lost = 0;
  #isFailing = false;
  #isRunning = false;
  #cancel: (() => void) | null = null;
  #current: Promise<void> = Promise.resolve();
  #isStopped = false;
  /** In milliseconds of a clock that never goes back. */
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(options: MetricSeriesOptions) {
    this.#options = options;
  }

  /** Resolves when nothing is being stored or deleted. */
  get whenDone(): Promise<void> {
    return this.#current;
  }

  record(input: DecideInput, decision: Decision): void {
    if (this.#options.configuration.series.retentionDays > 0) this.#recorder.record(input, decision);
  }

  start(): void {
    this.#schedule();
  }

  /** The rows of a policy, oldest first, those included that this process has not stored yet. @throws AdapterError */
  async *read(query: SeriesQuery): AsyncGenerator<SeriesChunk> {
    const recent = this.unstored(query.policy);
    let last = Number.NEGATIVE_INFINITY;
    for await (const chunk of this.#options.store.read(query)) {
      last = Math.max(last, chunk.columns[0]?.at(-1) ?? last);
      yield chunk;
    }
    // Some of them may have been stored meanwhile.
    for (const chunk of recent)
      yield sliceSeriesChunk(chunk, { ...query, from: Math.max(query.from, last + 1) });
  }

  /** The counts of many policies, those included that this process has not stored yet, and these alone while the database is away. */
  async readCounts(query: CountsQuery): Promise<readonly PolicyCounts[]> {
    const recent = query.policies.flatMap((policy) =>
      this.unstored(policy).map(({ columns: [times, specReplicas] }) => ({
        policy,
        times: times ?? new Float64Array(0),
        specReplicas: specReplicas ?? new Float64Array(0),
      })),
    );
    return [...(await this.#storedCounts(query)), ...recent];
  }

  /** A list of policies is worth more than the counts of the hour before. */
  async #storedCounts(query: CountsQuery): Promise<readonly PolicyCounts[]> {
    try {
      return await this.#options.store.readCounts(query);
    } catch (error) {
      if (isOfDatabase(error)) return [];
      throw error;
    }
  }

  /**
   * Until when every row of a policy is known here, in milliseconds since 1970: now where this process runs its passes.
   * Those of another process are stored some minutes after they are seen.
   */
  completeUntil(policy: SeriesQuery['policy']): number {
    return this.#options.shards.holds(policy) ? this.#now : this.#now - storedWithinMilliseconds;
  }

  /** The rows of a policy that this process has in memory alone, oldest first: some minutes, or those of an outage. */
  unstored({ namespace, name }: SeriesQuery['policy']): readonly SeriesChunk[] {
    const waiting = this.#unstored.filter(
      ({ policy }) => policy.namespace === namespace && policy.name === name,
    );
    return [
      ...waiting.map(({ bytes }) => decodeSeriesChunk(bytes)),
      ...this.#recorder.peek({ namespace, name }),
    ];
  }

  /** Stores what there is. What the database does not take in time is lost. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#cancel?.();
    await withinTime(this.#options.clock, lastFlushMilliseconds, this.#storeLast());
    const lostRows = this.#lost + rowsOf(this.#unstored);
    if (lostRows > 0)
      this.#options.logger.warn({ lostRows }, 'the last rows of metric series could not be stored');
  }

  /**
   * Stores what there is of a shard, before another process takes it; beside what is stored or joined of others, so that
   * shards that are given up together do not wait for one another. What the database does not take is lost.
   */
  async leave(shard: number): Promise<void> {
    const isOfShard = ({ policy }: RecordedChunk): boolean => this.#options.shards.shardOf(policy) === shard;
    // What is on its way needs the shard's fence, and comes back where it fails.
    while (this.#storing.some(isOfShard)) await this.#stored;
    if (this.#isStopped) return;
    const waiting = this.#waiting.filter(isOfShard);
    this.#waiting = this.#waiting.filter((chunk) => !isOfShard(chunk));
    this.#waitingBytes -= sizeOf(waiting);
    const collected = this.#recorder.takeAll((policy) => this.#options.shards.shardOf(policy) === shard);
    await this.#storeLeaving(this.#ofHeld([...waiting, ...collected]));
  }

  async #storeLeaving(chunks: readonly RecordedChunk[]): Promise<void> {
    for (const chunk of chunks) this.#leaving.add(chunk);
    try {
      for (let start = 0; start < chunks.length; start += chunksPerFlush) {
        const part = chunks.slice(start, start + chunksPerFlush);
        await this.#store(part);
        for (const chunk of part) this.#leaving.delete(chunk);
      }
    } catch (error) {
      this.#reportFailure(error);
      const lost = chunks.filter((chunk) => this.#leaving.delete(chunk));
      this.#lost += rowsOf(lost);
    }
  }

  async #storeLast(): Promise<void> {
    await this.#current;
    this.#wait(this.#recorder.takeAll());
    try {
      await this.#storeWaiting();
    } catch (error) {
      this.#reportFailure(error);
    }
  }

  /** Rows leave the recorder in time also while the database is waited for, so that they take little memory. */
  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.schedule(flushMilliseconds, () => {
      const limit = Math.max(chunksPerFlush, Math.ceil(this.#recorder.size / slowestFlushes));
      this.#wait(this.#recorder.takeDue(this.#now, limit));
      this.#isRunning ||= this.#begin();
      this.#schedule();
    });
  }

  #begin(): true {
    this.#current = this.#runOrReport().finally(() => {
      this.#isRunning = false;
    });
    return true;
  }

  async #runOrReport(): Promise<void> {
    try {
      const hasStored = await this.#storeWaiting();
      // Where nothing was due, nothing shows that the database answers again.
      if (!(await this.#joinAsLeader()) && !hasStored) return;
      const fields = { lostRows: this.#lost };
      if (this.#isFailing) this.#options.logger.info(fields, 'metric series are stored again');
      this.#isFailing = false;
      this.#lost = 0;
    } catch (error) {
      this.#reportFailure(error);
    }
  }

  /** @returns whether it is the leader, and the database has answered */
  async #joinAsLeader(): Promise<boolean> {
    if (this.#isStopped || !this.#options.holdings.isLeader) return false;
    const before = this.#now - joinDelayMilliseconds;
    await this.#options.store.joinHours(before, hoursPerFlush, this.#leaderFence);
    await this.#prune();
    return true;
  }

  #reportFailure(error: unknown): void {
    if (!this.#isFailing) {
      const fields = { reason: messageOf(error) };
      this.#options.logger.warn(fields, 'metric series cannot be stored; they wait in memory');
    }
    this.#isFailing = true;
  }

  /** @returns whether there was anything to store */
  async #storeWaiting(): Promise<boolean> {
    const isAny = this.#waiting.length > 0;
    while (this.#waiting.length > 0) {
      const next = this.#waiting.splice(0, chunksPerFlush);
      this.#waitingBytes -= sizeOf(next);
      this.#storing = this.#ofHeld(next);
      const stored = this.#store(this.#storing);
      this.#stored = stored.catch(() => undefined);
      try {
        await stored;
      } catch (error) {
        this.#waiting.unshift(...this.#storing);
        this.#waitingBytes += sizeOf(this.#storing);
        throw error;
      } finally {
        this.#storing = [];
      }
    }
    return isAny;
  }

  /** Without those of shards that were lost: another process records their policies now. */
  #ofHeld(chunks: readonly RecordedChunk[]): readonly RecordedChunk[] {
    const held = chunks.filter(({ policy }) => this.#options.shards.holds(policy));
    this.#lost += rowsOf(chunks) - rowsOf(held);
    return held;
  }

  async #store(chunks: readonly RecordedChunk[]): Promise<void> {
    const { shards, store } = this.#options;
    await store.store(chunks, shards.fencesOf(chunks.map(({ policy }) => policy)));
  }

  async #prune(): Promise<void> {
    const { configuration, store, clock, time } = this.#options;
    const now = clock.monotonicMilliseconds();
    if (configuration.retention.legalHold || now - this.#prunedAt < pruneMilliseconds) return;
    this.#prunedAt = now;
    const before = (await time.now()) - configuration.series.retentionDays * dayMilliseconds;
    for (let after: string | null = ''; after !== null && !this.#isStopped;)
      ({ after } = await store.deleteBefore(before, after, this.#leaderFence));
  }

  #wait(chunks: readonly RecordedChunk[]): void {
    this.#waiting.push(...chunks);
    this.#waitingBytes += sizeOf(chunks);
    let count = 0;
    for (; this.#waitingBytes > maximumWaitingBytes; count += 1) {
      this.#waitingBytes -= this.#waiting[count]?.bytes.length ?? 0;
      this.#lost += this.#waiting[count]?.rows ?? 0;
    }
    this.#waiting.splice(0, count);
  }

  get #unstored(): readonly RecordedChunk[] {
    return [...this.#leaving, ...this.#storing, ...this.#waiting];
  }

  get #leaderFence(): Fence {
    return this.#options.holdings.of(administrationScope);
  }

  get #now(): number {
    return Date.parse(this.#options.clock.now());
  }
}

function rowsOf(chunks: readonly RecordedChunk[]): number {
  return chunks.reduce((sum, { rows }) => sum + rows, 0);
}

function sizeOf(chunks: readonly RecordedChunk[]): number {
  return chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

import type { Fence } from '#ledger';

/** What one process counts under one scope by one source of metrics. */
export interface StoredLosses {
  /** Of a shard, or of administration. */
  readonly scope: string;
  /** Under which it was stored. */
  readonly epoch: bigint;
  readonly metricSource: string;
  /** Of a shard: targets that the source would take so much from. Of administration: 1, operators have let the source go. */
  readonly losing: number;
  /** For how long its targets had been looked at when they were counted; of administration 0. */
  readonly lookedMilliseconds: number;
  /**
   * When the looks that are counted ended, in milliseconds since 1970 by the database's clock, at the earliest; 0: it is
   * not said, as of administration, and by earlier releases.
   */
  readonly lookedUntil: number;
}

/** A count, and the fence that it is stored under. */
export interface CountedLosses extends Omit<StoredLosses, 'scope' | 'epoch'> {
  readonly fence: Fence;
}

/** What was read together. */
export interface ReadLosses {
  readonly counts: readonly StoredLosses[];
  /** When they were read, in milliseconds since 1970 by the database's clock. */
  readonly time: number;
}

/** Where replicas tell one another what they count for the fleet brake. */
export interface LossStorePort {
  /** The counts that were stored within so long, by the database's clock. @throws AdapterError */
  read(maximumAgeMilliseconds: number): Promise<ReadLosses>;
  /**
   * Stores counts in place of those that are stored for their scopes and sources, and tells the other processes.
   *
   * @throws AdapterError `Fenced` where one of the fences is not in force any more: nothing was stored
   */
  store(counts: readonly CountedLosses[]): Promise<void>;
}

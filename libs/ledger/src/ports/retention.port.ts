import type { StreamHead } from '../entries/entry.ts';
import type { EntryKind } from '../entries/entry-kind.ts';
import type { EntryCursor } from './cursor.ts';
import type { Fence } from './fence.port.ts';

/** What of a kind is deleted, and of which age. */
export interface ExpiryRule {
  readonly kind: EntryKind;
  /** `Observation` only of a `Decision`. */
  readonly content: 'Payload' | 'Observation';
  /** Nanoseconds since 1970, exclusive. */
  readonly beforeNanoseconds: bigint;
}

/** What became of a batch. */
export interface DeletedContent {
  readonly deleted: number;
  /** Ids of entries whose content does not give their hash: it is kept as evidence. */
  readonly damaged: readonly string[];
  /** Where the next batch begins; `null`: there is none. */
  readonly after: EntryCursor | null;
}

/**
 * Deletes what has expired, in bounded batches, so that appends are never kept waiting. What is still needed stays: an
 * intent without an outcome, the last checkpoint, what a later decision is packed with, and the last entry of a stream.
 * Entries of format 1 have no content that could go before them.
 */
export interface RetentionPort {
  /** Whether a rule finds anything. */
  hasExpired(rule: ExpiryRule): Promise<boolean>;
  /** Remembers rules before anything is deleted by them, for exports. They never go back. @throws AdapterError `Fenced` */
  saveRules(rules: readonly ExpiryRule[], fence: Fence): Promise<void>;
  /** Deletes the next batch of a rule. @throws AdapterError `Fenced` */
  deleteContent(rule: ExpiryRule, after: EntryCursor | null, fence: Fence): Promise<DeletedContent>;
  /**
   * Finds entries at the beginning of streams that may go whole: their content is gone, and a checkpoint covers what
   * comes after them.
   *
   * @param after the name of a stream; a page of those after it is looked at.
   */
  findSegments(rules: readonly ExpiryRule[], after: string): Promise<FoundSegments>;
  /**
   * Deletes segments that a `RetentionRun` of a time has announced. Their entries may stay until `dropPeriods`, which is
   * cheaper.
   *
   * @returns how many entries went.
   * @throws AdapterError `Fenced`
   */
  deleteSegments(
    segments: readonly StreamHead[],
    announcedNanoseconds: bigint,
    fence: Fence,
  ): Promise<number>;
  /** The first segments that were announced before a time, or when is not known; a bounded number. */
  segmentsAnnouncedBefore(nanoseconds: bigint): Promise<readonly StreamHead[]>;
  /** Remembers that segments were announced again. @throws AdapterError `Fenced` */
  saveAnnounced(segments: readonly StreamHead[], announcedNanoseconds: bigint, fence: Fence): Promise<void>;
  /**
   * Gives back the space of whole periods in which only few entries are of no deleted segment; those stay. Where more
   * would stay, the others go in batches. Nothing more goes once the caller asks for no further one.
   *
   * @returns how many entries went, period by period or batch by batch
   * @throws AdapterError `Fenced`
   */
  dropPeriods(fence: Fence): AsyncIterable<number>;
}

/** A page of streams. */
export interface FoundSegments {
  /** The last entry of each segment. */
  readonly segments: readonly StreamHead[];
  /** The last stream of the page; `null`: there is no other page. */
  readonly after: string | null;
}

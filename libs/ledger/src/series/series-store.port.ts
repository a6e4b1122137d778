import type { Fence } from '../ports/fence.port.ts';
import type { SeriesChunk } from './series-chunk.ts';

/** A chunk as the recorder made it. */
export interface RecordedChunk {
  readonly policy: { readonly namespace: string; readonly name: string };
  /** The time of its first row, in milliseconds since 1970. */
  readonly start: number;
  /** The time of its last row. */
  readonly end: number;
  readonly rows: number;
  readonly bytes: Uint8Array;
}

/** Whose rows are read, and of which period. */
export interface SeriesQuery {
  readonly policy: { readonly namespace: string; readonly name: string };
  /** Milliseconds since 1970, inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
}

/** Whose counts are read, and of which period. */
export interface CountsQuery {
  readonly policies: readonly { readonly namespace: string; readonly name: string }[];
  /** Milliseconds since 1970, inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
}

/** The counts that passes of a policy saw, in the order of the passes. */
export interface PolicyCounts {
  readonly policy: { readonly namespace: string; readonly name: string };
  /** Milliseconds since 1970; some may be outside the period that was asked for. */
  readonly times: Float64Array;
  /** NaN: it could not be read. */
  readonly specReplicas: Float64Array;
}

/** Keeps the metric series of policies: small chunks as they come, which become one per hour when it is over. */
export interface SeriesStorePort {
  /**
   * Stores chunks, under the fences of their policies' shards; one that is stored already is left as it is, so they may
   * be sent again. @throws AdapterError
   */
  store(chunks: readonly RecordedChunk[], fences: readonly Fence[]): Promise<void>;
  /**
   * Joins the chunks of hours that were over at a time, of `limit` hours of policies at most.
   *
   * @returns how many hours of policies there were; 0: none are left
   * @throws AdapterError
   */
  joinHours(before: number, limit: number, fence: Fence): Promise<number>;
  /**
   * Deletes the chunks that begin before a time, of a page of policies.
   *
   * @param after the stream that the last page ended with; `''`: the first page
   * @returns how many there were, and the stream that the page ended with; null: it was the last
   * @throws AdapterError
   */
  deleteBefore(
    time: number,
    after: string,
    fence: Fence,
  ): Promise<{ readonly deleted: number; readonly after: string | null }>;
  /** Reads the rows of a policy, oldest first, a chunk at a time. @throws AdapterError */
  read(query: SeriesQuery): AsyncIterable<SeriesChunk>;
  /**
   * Reads the counts of many policies with one statement, a chunk each, those of a policy oldest first. Chunks that
   * cannot be read are left out.
   *
   * @throws AdapterError
   */
  readCounts(query: CountsQuery): Promise<readonly PolicyCounts[]>;
}

/** One measured case; the other keys say which. Times are in nanoseconds, sizes in bytes. */
export type BenchResult = Readonly<Record<string, string | number>> & { readonly case: string };

/** A named set of measurements, given as they are ready. */
export interface Bench {
  readonly description: string;
  readonly run: () => AsyncIterable<BenchResult> | Iterable<BenchResult>;
}

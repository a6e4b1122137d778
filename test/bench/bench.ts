/** One measured case; the other keys say which. Times are in nanoseconds, sizes in bytes. */
export type BenchResult = Readonly<Record<string, string | number>> & { readonly case: string };

/** What the command line chooses; a bench takes what its description names, and has a default for each. */
export type BenchOptions = Readonly<
  Partial<Record<'policies' | 'half' | 'cases' | 'sweeps' | 'days' | 'replicas', string | undefined>>
>;

/** A named set of measurements, given as they are ready. */
export interface Bench {
  readonly description: string;
  readonly run: (options: BenchOptions) => AsyncIterable<BenchResult> | Iterable<BenchResult>;
}

/** A count that the command line gives. @throws Error where it is none */
export function countOf(text: string | undefined, standard: number): number {
  const count = text === undefined ? standard : Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new Error(`${text ?? ''} is no whole number above 0`);
}

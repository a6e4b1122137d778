/** A number over time; seconds count from the start of the load. */
export type Series =
  | { readonly kind: 'Constant'; readonly value: number }
  /** A cosine between low (at `peakSeconds` plus half a period) and high (at `peakSeconds`). */
  | {
      readonly kind: 'Wave';
      readonly low: number;
      readonly high: number;
      readonly periodSeconds: number;
      readonly peakSeconds: number;
    }
  /** `base`, and `peak` from one time until before another. */
  | {
      readonly kind: 'Spike';
      readonly base: number;
      readonly peak: number;
      readonly fromSeconds: number;
      readonly untilSeconds: number;
    }
  /** Whatever a test computes. */
  | { readonly kind: 'Computed'; readonly at: (seconds: number) => number }
  /** The metrics API answers with an error. */
  | { readonly kind: 'Failing'; readonly code: number; readonly message: string }
  /** The metrics API answers, without a value. */
  | { readonly kind: 'Absent' };

/** The value at a time; undefined where the series has none. */
export function valueOfSeries(series: Series, seconds: number): number | undefined {
  switch (series.kind) {
    case 'Constant':
      return series.value;
    case 'Wave': {
      const { low, high, periodSeconds, peakSeconds } = series;
      const turn = (2 * Math.PI * (seconds - peakSeconds)) / periodSeconds;
      return low + ((high - low) * (1 + Math.cos(turn))) / 2;
    }
    case 'Spike': {
      const { base, peak, fromSeconds, untilSeconds } = series;
      return seconds >= fromSeconds && seconds < untilSeconds ? peak : base;
    }
    case 'Computed':
      return series.at(seconds);
    case 'Failing':
    case 'Absent':
      return undefined;
  }
}

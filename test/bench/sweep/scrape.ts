/** What one scrape of `/metrics` says, as far as the bench reads it. */
export interface Scrape {
  readonly passes: number;
  readonly scalings: number;
  /** How often the event loop was at most so late, by seconds; cumulative. */
  readonly loopDelays: ReadonlyMap<number, number>;
}

/** @throws Error where there is no answer */
export async function scrape(url: string): Promise<Scrape> {
  // A connection that is kept may be closed by a busy controller just as it is used again.
  const response = await fetch(url, { headers: { connection: 'close' } });
  const text = await response.text();
  const loopDelays = new Map<number, number>();
  for (const [, le, count] of text.matchAll(
    /^plimsoll_event_loop_delay_seconds_bucket\{le="([^"]+)".*\} (\d+)$/gm,
  ))
    loopDelays.set(le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), Number(count));
  return {
    passes: sumOf(text, 'plimsoll_reconciliations_total'),
    scalings: sumOf(text, 'plimsoll_scalings_total'),
    loopDelays,
  };
}

function sumOf(text: string, metric: string): number {
  let sum = 0;
  for (const [, value] of text.matchAll(new RegExp(`^${metric}\\{.*\\} (\\S+)$`, 'gm'))) sum += Number(value);
  return sum;
}

/** The quantile of the delays between two scrapes, in seconds; within a bucket as if they were spread evenly, as Prometheus does. */
export function delayQuantile(before: Scrape, after: Scrape, share: number): number {
  const counts = [...after.loopDelays].map(
    ([le, count]) => [le, count - (before.loopDelays.get(le) ?? 0)] as const,
  );
  const rank = (counts.at(-1)?.[1] ?? 0) * share;
  let [lower, below] = [0, 0];
  for (const [le, count] of counts) {
    if (count >= rank)
      return Number.isFinite(le) ? lower + ((le - lower) * (rank - below)) / (count - below) : lower;
    [lower, below] = [le, count];
  }
  return Number.NaN;
}

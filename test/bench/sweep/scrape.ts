import type { ControllerProcess } from '../../e2e/support/controller-process.ts';

/** What one scrape of `/metrics` says, as far as the bench reads it. */
export interface Scrape {
  readonly passes: number;
  readonly scalings: number;
  /** How often the event loop was at most so late, by seconds; cumulative. */
  readonly loopDelays: ReadonlyMap<number, number>;
}

/** Where a controller serves `/metrics`. */
export function metricsUrlOf({ log }: ControllerProcess): string {
  return String(log.findLast(({ msg }) => msg === 'serving the admin API')?.['metricsUrl']);
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
    passes: sumOf(text, passesMetric),
    scalings: sumOf(text, 'plimsoll_scalings_total'),
    loopDelays,
  };
}

/** How many passes a controller has made; the rest of the answer, most of it series of policies, is not waited for. */
export async function scrapePasses(url: string): Promise<number> {
  const reading = new AbortController();
  const response = await fetch(url, { headers: { connection: 'close' }, signal: reading.signal });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const at = text.indexOf(`# TYPE ${passesMetric}`);
    if (at >= 0 && text.includes('# HELP', at)) break;
  }
  reading.abort();
  return sumOf(text, passesMetric);
}

const passesMetric = 'plimsoll_reconciliations_total';

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

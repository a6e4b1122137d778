import type { ActivePolicy, PassReport } from '#reconciliation';

/** Labels of a sample, in the order in which they are written. */
export type Labels = Readonly<Record<string, string>>;

/** Values with their labels as they are written, see {@link labelText}. */
export type Samples = readonly (readonly [labels: string, value: number])[];

/** What is known of a policy at a scrape. */
export interface SeriesSubject {
  readonly report: PassReport;
  /** Replicas that Plimsoll added and removed since the start. */
  readonly scaled: ScaledReplicas;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface ScaledReplicas {
  readonly up: number;
  readonly down: number;
}

/** A metric with series of each policy. */
export interface PolicyMetric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly labels: readonly string[];
  /** Of whose policies alone there are samples; absent: of every policy's. */
  readonly family?: ActivePolicy['policy']['family'];
  /** A policy's samples; none where the metric does not apply. */
  readonly read: (subject: SeriesSubject) => Samples;
}

/** Which policies have series of their own: all, those that need attention, or none. */
export type PolicySeriesScope = 'All' | 'Attention' | 'None';

export interface PolicySeriesOptions {
  readonly metrics: readonly PolicyMetric[];
  readonly scope: PolicySeriesScope;
  readonly cluster: string;
  readonly reports: () => readonly PassReport[];
  readonly scaledReplicas: (key: string) => ScaledReplicas;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Policies of one metric that are rendered in one turn of the loop: about a millisecond. */
export const policiesPerSlice = 100;

/**
 * Renders the series of policies from their latest reports, a slice at a time: nothing is kept for them between scrapes,
 * and the series of a policy that left vanish with its report.
 *
 * @returns Prometheus' text format, in parts; the caller lets other work go on between them
 */
export function* renderPolicySeries(options: PolicySeriesOptions): Generator<string> {
  const { metrics, cluster, now } = options;
  const shown = options.reports().filter((report) => isShown(report, options.scope));
  const time = now();
  const ofCluster = labelText({ cluster });
  const byFamily = Map.groupBy(shown, ({ active }) => active.policy.family);
  for (const metric of metrics) {
    const reports = metric.family === undefined ? shown : (byFamily.get(metric.family) ?? []);
    let part = `# HELP ${metric.name} ${metric.help}\n# TYPE ${metric.name} ${metric.type}\n`;
    for (let start = 0; start < reports.length; start += policiesPerSlice) {
      for (const report of reports.slice(start, start + policiesPerSlice)) {
        const subject = { report, scaled: options.scaledReplicas(report.key), now: time };
        for (const [labels, value] of metric.read(subject))
          part += `${metric.name}{${labels},${ofCluster}} ${value}\n`;
      }
      yield part;
      part = '';
    }
    if (part !== '') yield part;
  }
}

function isShown({ ready, conditions }: PassReport, scope: PolicySeriesScope): boolean {
  if (scope !== 'Attention') return scope === 'All';
  const isDegraded = conditions.some(({ type, status }) => type === 'Degraded' && status === 'True');
  return ready.status !== 'True' || isDegraded;
}

/** Labels as they are written: `namespace="shop",policy="checkout"`. */
export function labelText(labels: Labels): string {
  // Joined, it is one text; put together piece by piece, all pieces would be kept for as long as it is.
  return Object.entries(labels)
    .flatMap(([name, value], index) => [index === 0 ? '' : ',', name, '="', escaped(value), '"'])
    .join('');
}

/** The labels of a policy, written once for as long as the policy stays as it is. */
export function labelsOfPolicy(read: (active: ActivePolicy) => Labels): (report: PassReport) => string {
  const written = new WeakMap<ActivePolicy, string>();
  return ({ active }) => {
    const known = written.get(active);
    if (known !== undefined) return known;
    const text = labelText(read(active));
    written.set(active, text);
    return text;
  };
}

function escaped(value: string): string {
  if (!/[\\\n"]/.test(value)) return value;
  return value.replace(/[\\\n"]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}

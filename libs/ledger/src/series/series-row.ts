import type {
  DecideInput,
  Decision,
  MetricReport,
  ObservedContainer,
  ObservedMetric,
  ObservedPod,
  Optional,
  PodSample,
  QuantityText,
} from '#decision';
import { parseMilli } from '#kernel';
import type { SeriesMetric } from './series-chunk.ts';

/** Containers of a metric beyond these have no columns: names come from pods, which anyone may make. */
const maximumContainers = 32;

/** What one pass says: one value per column, and the containers of which the columns are. */
export interface SeriesRow {
  readonly metrics: readonly SeriesMetric[];
  /** In the order of `seriesColumns`. NaN: there is none. */
  readonly values: readonly number[];
}

const absent = Number.NaN;
const none: readonly never[] = [];

/**
 * What one pass saw, in sums. Quantities are in thousandths; above 2⁵³ of them they are rounded as float64 does.
 *
 * @param known the metrics of the row before, whose containers keep their places. A pass that evaluated no metric says
 * nothing about them.
 */
export function seriesRow(
  { policy, observation }: DecideInput,
  decision: Decision,
  known: readonly SeriesMetric[],
): SeriesRow {
  const { scale } = observation;
  const counts = 'specReplicas' in scale ? [scale.specReplicas, scale.statusReplicas ?? 0] : [absent, absent];
  const values = [Date.parse(decision.time), ...counts];
  if (decision.metrics.length === 0) {
    for (const { containers } of known)
      for (let left = 6 + 4 * containers.length; left > 0; left -= 1) values.push(absent);
    return { metrics: known, values };
  }
  const metrics = decision.metrics.map((report, index) => {
    const spec = policy.metrics[index];
    const sums = new MetricSums(report, known[index]);
    if (report.type === 'Recommender') {
      sums.value = recommended(observation.recommendation);
    } else if (spec !== undefined) {
      const resource = 'resource' in spec ? spec.resource : null;
      const container = spec.type === 'ContainerResource' ? spec.container : null;
      sums.add({ observed: observation.metrics?.[index], pods: observation.pods ?? [], resource, container });
    }
    return sums.writeTo(values);
  });
  return { metrics, values };
}

/** In thousandths of a replica, as every value. */
function recommended(answer: DecideInput['observation']['recommendation']): number {
  if (answer === null || answer === undefined || !('replicas' in answer)) return absent;
  return (answer.replicas ?? absent) * 1_000;
}

interface MetricSource extends Wanted {
  readonly observed: Optional<ObservedMetric>;
  readonly pods: readonly ObservedPod[];
}

/** What of pods and their samples is summed. */
interface Wanted {
  /** Null: samples have one value. */
  readonly resource: string | null;
  /** Null: all of them. */
  readonly container: string | null;
}

interface WantedResource extends Wanted {
  readonly resource: string;
}

/** One container's sums, as they stand in the row. */
type ContainerSums = [usage: number, requests: number, filteredUsage: number, filteredRequests: number];

/** Index of the sums of usage, and of the requests behind it, of kept pods and of filtered-out ones. */
type Side = 0 | 2;

/** The sums of one metric in one pass. */
class MetricSums {
  value = absent;
  readonly #report: MetricReport;
  readonly #names: string[];
  readonly #sums: ContainerSums[];

  constructor(report: MetricReport, known: SeriesMetric | undefined) {
    this.#report = report;
    const isKnown = known?.type === report.type && known.name === report.name;
    this.#names = isKnown ? [...known.containers] : [];
    this.#sums = this.#names.map(() => [absent, absent, absent, absent]);
  }

  add({ observed, pods, resource, container }: MetricSource): void {
    const values = targetValues(this.#report.type, observed);
    if (values !== null) {
      this.value = sumOf(values);
      return;
    }
    const samples = observed?.pods ?? [];
    const sideOf = areAllKept(this.#report, { pods, samples }) ? kept : this.#sides(samples);
    const wanted = { resource, container };
    for (const sample of samples) this.#addSample(sample, sideOf(sample.pod), wanted);
    if (resource === null) return;
    const requested = { resource, container };
    for (const pod of pods) this.#addRequests(pod, sideOf(pod.name), requested);
  }

  /** Appends the values of the metric's columns. */
  writeTo(values: number[]): SeriesMetric {
    const { type, name, pods } = this.#report;
    values.push(pods.ready.length, pods.unready.length, pods.missing.length, pods.ignored.length);
    values.push(pods.filteredOut.length, this.value);
    for (const [usage, requests, filteredUsage, filteredRequests] of this.#sums)
      values.push(usage, requests, filteredUsage, filteredRequests);
    return { type, name, containers: this.#names };
  }

  /** Where the values of a pod belong; null: they are not counted. A filtered-out pod needs a sample to have requests. */
  #sides(samples: readonly PodSample[]): (pod: string) => Side | null {
    const { ready, filteredOut } = this.#report.pods;
    const known = new Set(ready);
    if (filteredOut.length === 0) return (pod) => (known.has(pod) ? 0 : null);
    const sampled = new Set(samples.map(({ pod }) => pod));
    const filtered = new Set(filteredOut.map(({ pod }) => pod).filter((pod) => sampled.has(pod)));
    return (pod) => {
      if (known.has(pod)) return 0;
      return filtered.has(pod) ? 2 : null;
    };
  }

  #addSample({ value, containers }: PodSample, side: Side | null, { resource, container }: Wanted): void {
    if (side === null) return;
    if (resource === null) {
      this.#add('', side, value);
      return;
    }
    for (const { name, usage } of containers ?? none)
      if (container === null || name === container) this.#add(name ?? '', side, usage?.[resource]);
  }

  #addRequests(
    { containers, initContainers, resources }: ObservedPod,
    side: Side | null,
    wanted: WantedResource,
  ): void {
    if (side === null) return;
    const place = side === 0 ? 1 : 3;
    containers?.forEach((each) => this.#addRequest(each, place, wanted));
    for (const each of initContainers ?? none)
      if (each.restartPolicy === 'Always') this.#addRequest(each, place, wanted);
    if (wanted.container === null) this.#add('', place, resources?.requests?.[wanted.resource]);
  }

  #addRequest(
    { name, requests }: ObservedContainer,
    place: 1 | 3,
    { resource, container }: WantedResource,
  ): void {
    if (container === null || name === container) this.#add(name ?? '', place, requests?.[resource]);
  }

  #add(name: string, place: 0 | 1 | 2 | 3, text: Optional<QuantityText>): void {
    const milli = milliOf(text);
    if (Number.isNaN(milli)) return;
    const sums = this.#sumsOf(name);
    if (sums !== undefined) sums[place] = Number.isNaN(sums[place]) ? milli : sums[place] + milli;
  }

  #sumsOf(name: string): ContainerSums | undefined {
    const index = this.#names.indexOf(name);
    if (index !== -1) return this.#sums[index];
    if (this.#names.length === maximumContainers) return undefined;
    const sums: ContainerSums = [absent, absent, absent, absent];
    this.#names.push(name);
    this.#sums.push(sums);
    return sums;
  }
}

function kept(): Side {
  return 0;
}

/** Whether each pod is ready and has a sample, in one order, as in nearly every pass: then nothing needs to be looked up. */
function areAllKept(
  { pods: { ready, filteredOut } }: MetricReport,
  { pods, samples }: { readonly pods: readonly ObservedPod[]; readonly samples: readonly PodSample[] },
): boolean {
  if (filteredOut.length > 0 || ready.length !== pods.length || ready.length !== samples.length) return false;
  return samples.every(({ pod }, index) => pod === ready[index]);
}

/** The values of a metric that looks at no pods; null: it does. */
function targetValues(
  type: MetricReport['type'],
  observed: Optional<ObservedMetric>,
): readonly Optional<QuantityText>[] | null {
  if (type === 'Object') return [observed?.value];
  return type === 'External' || type === 'Prometheus' ? (observed?.values ?? []) : null;
}

function sumOf(texts: readonly Optional<QuantityText>[]): number {
  let sum = absent;
  for (const text of texts) {
    const milli = milliOf(text);
    if (!Number.isNaN(milli)) sum = Number.isNaN(sum) ? milli : sum + milli;
  }
  return sum;
}

function milliOf(text: Optional<QuantityText>): number {
  if (typeof text !== 'string' && typeof text !== 'number') return absent;
  const milli = parseMilli(text);
  return milli === undefined ? absent : Number(milli);
}

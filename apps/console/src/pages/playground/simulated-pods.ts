import type { DecideInput, ObservedMetric, ObservedPod, PodSample } from '#decision';
import { parseMilli } from '#kernel';
import type { MetricSpec } from '#policy';
import { quantityOf } from '../../evaluation/scale-load.ts';

/** A pod of a run: it starts, and is ready some time after. */
interface SimulatedPod {
  readonly starting: ObservedPod;
  readonly ready: ObservedPod;
  /** Seconds after the start of the run. */
  readonly readyAt: number;
}

/** A moment of a run. */
export interface SimulatedMoment {
  /** Seconds after the start of the run. */
  readonly seconds: number;
  /** 1 is the load of the observation. */
  readonly factor: number;
}

/** Pods of an observation that run already are taken to have started so long before it. */
const longRunningSeconds = 3_600;

/**
 * The pods of a target over time. They are made after the first counted pod of the observation, and share its load
 * evenly among those that are ready; what selection left out, and what does not run, stays as it was observed.
 */
export class SimulatedPods {
  readonly #base: DecideInput;
  readonly #startMilliseconds: number;
  readonly #podStartSeconds: number;
  readonly #bystanders: readonly ObservedPod[];
  readonly #template: ObservedPod;
  readonly #loads: readonly MetricLoad[];
  #pods: readonly SimulatedPod[] = [];
  #made = 0;

  constructor(base: DecideInput, { bystanders, podStartSeconds }: PodOptions) {
    const pods = base.observation.pods ?? [];
    const counted = pods.filter(({ name }) => !bystanders.has(name));
    this.#base = base;
    this.#startMilliseconds = Date.parse(base.observation.time);
    this.#podStartSeconds = podStartSeconds;
    this.#bystanders = pods.filter(({ name }) => bystanders.has(name));
    this.#template = counted.find(({ ready }) => ready?.status === 'True') ?? counted[0] ?? { name: 'pod' };
    const names = new Set(counted.map(({ name }) => name));
    this.#loads = base.policy.metrics.map((metric, index) =>
      loadOf(metric, base.observation.metrics?.[index] ?? null, names),
    );
  }

  /** Pods come, not ready yet, or the newest go. Those that are there at the start run already. */
  scaleTo(count: number, seconds: number, isStart = false): void {
    const kept = this.#pods.slice(0, count);
    const startedAt = isStart ? -longRunningSeconds : seconds;
    const added = Array.from({ length: Math.max(0, count - kept.length) }, () => this.#make(startedAt));
    this.#pods = [...kept, ...added];
  }

  readyAt(seconds: number): number {
    return this.#pods.filter(({ readyAt }) => readyAt <= seconds).length;
  }

  /** What is observed of them at a moment. */
  observedAt({ seconds, factor }: SimulatedMoment): {
    readonly pods: readonly ObservedPod[];
    readonly metrics: readonly (ObservedMetric | null)[];
  } {
    const isReady = ({ readyAt }: SimulatedPod): boolean => readyAt <= seconds;
    const ready = this.#pods.filter(isReady).map(({ ready: pod }) => pod);
    const pods = this.#pods.map((pod) => (isReady(pod) ? pod.ready : pod.starting));
    const metrics = this.#loads.map((load) => load({ factor, ready }));
    return { pods: [...this.#bystanders, ...pods], metrics };
  }

  #make(startedAt: number): SimulatedPod {
    const name = `${this.#base.policy.target.name}-${(this.#made += 1)}`;
    const readyAt = startedAt + this.#podStartSeconds;
    const startTime = this.#timeOf(startedAt);
    const own = { uid: null, deletionTimestamp: null, name, phase: 'Running', startTime };
    const pod = { ...this.#template, ...own };
    return {
      starting: { ...pod, ready: { status: 'False', lastTransitionTime: startTime } },
      ready: { ...pod, ready: { status: 'True', lastTransitionTime: this.#timeOf(readyAt) } },
      readyAt,
    };
  }

  #timeOf(seconds: number): string {
    return new Date(this.#startMilliseconds + seconds * 1_000).toISOString();
  }
}

interface PodOptions {
  /** Names of pods that are not the target's, or do not run. */
  readonly bystanders: ReadonlySet<string>;
  readonly podStartSeconds: number;
}

interface LoadMoment {
  readonly factor: number;
  readonly ready: readonly ObservedPod[];
}

type MetricLoad = (moment: LoadMoment) => ObservedMetric | null;

/** What a metric answers under a load: the sum of what was measured, times the factor, shared by the pods that are ready. */
function loadOf(
  metric: MetricSpec,
  observed: ObservedMetric | null,
  counted: ReadonlySet<string>,
): MetricLoad {
  if (observed === null || (observed.error !== null && observed.error !== undefined)) return () => observed;
  const samples = observed.pods ?? [];
  const others = samples.filter(({ pod }) => !counted.has(pod));
  const own = samples.filter(({ pod }) => counted.has(pod));
  if (metric.type === 'Resource' || metric.type === 'ContainerResource')
    return resourceLoad(metric.resource, own, others);
  if (metric.type === 'Pods') return podsLoad(own, others);
  return valueLoad(metric, observed, Math.max(1, counted.size));
}

function resourceLoad(resource: string, own: readonly PodSample[], others: readonly PodSample[]): MetricLoad {
  const totals = new Map<string, number>();
  for (const { name, usage } of own.flatMap(({ containers }) => containers ?? [])) {
    const milli = parseMilli(usage?.[resource] ?? '');
    if (milli !== undefined) totals.set(name ?? '', (totals.get(name ?? '') ?? 0) + Number(milli));
  }
  return ({ factor, ready }) => {
    const containers = [...totals].map(([name, total]) => ({
      name,
      usage: { [resource]: quantityOf((total * factor) / ready.length) },
    }));
    return { pods: [...others, ...ready.map(({ name }) => ({ pod: name, containers }))] };
  };
}

function podsLoad(own: readonly PodSample[], others: readonly PodSample[]): MetricLoad {
  const total = own.reduce((sum, { value }) => sum + Number(parseMilli(value ?? '') ?? 0), 0);
  return ({ factor, ready }) => {
    const value = quantityOf((total * factor) / ready.length);
    return { pods: [...others, ...ready.map(({ name }) => ({ pod: name, value }))] };
  };
}

/**
 * A value that a target compares as it stands, such as a latency, falls as pods come; one that is divided by the pods,
 * such as the length of a queue, is the same for however many there are.
 */
function valueLoad({ target }: MetricSpec, observed: ObservedMetric, present: number): MetricLoad {
  const isShared =
    target.type === 'Value' || (target.type === 'Watermark' && target.algorithm === 'absolute');
  return ({ factor, ready }) => {
    const times = isShared ? (factor * present) / Math.max(1, ready.length) : factor;
    const scaled = (value: string | number): string | number => {
      const milli = parseMilli(value);
      return milli === undefined ? value : quantityOf(Number(milli) * times);
    };
    const { value, values } = observed;
    return {
      ...(value !== null && value !== undefined && { value: scaled(value) }),
      ...(values !== null && values !== undefined && { values: values.map(scaled) }),
    };
  };
}

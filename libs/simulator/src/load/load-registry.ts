import type { SimulationClock } from '../clock/simulation-clock.ts';
import { type Series, valueOfSeries } from './series.ts';

/** A workload, by what its pods' owners lead to; a bare pod is its own workload. */
export interface WorkloadName {
  readonly namespace: string;
  /** `Deployment`, `StatefulSet`, `Job`, a custom kind, or `Pod`. */
  readonly kind: string;
  readonly name: string;
}

/** What one container of a workload uses. */
export interface ContainerLoad {
  /** Millicores of CPU. */
  readonly cpu: Series;
  /** Bytes of memory; 64 MiB where left out. */
  readonly memory?: Series;
  /** Total: the value is spread over the ready pods. EachPod: every ready pod uses that much. */
  readonly share: 'Total' | 'EachPod';
}

/** What a workload's pods use, by container; containers that are not named idle. */
export type WorkloadLoad = Readonly<Record<string, ContainerLoad>>;

/** A metric of custom.metrics.k8s.io about one object, or about each pod of a workload. */
export interface CustomMetric {
  readonly metric: string;
  /** For a workload's pods the value is spread over the ready ones. */
  readonly subject:
    | {
        readonly kind: 'Object';
        readonly namespace: string;
        readonly resource: string;
        readonly name: string;
      }
    | { readonly kind: 'Pods'; readonly workload: WorkloadName };
  readonly series: Series;
}

/** A metric of external.metrics.k8s.io; several with one name and different labels are several values. */
export interface ExternalMetric {
  readonly namespace: string;
  readonly metric: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly series: Series;
}

/** The load that the simulator plays, and its time. Everything can change while it runs. */
export class LoadRegistry {
  readonly #clock: SimulationClock;
  readonly #compression: number;
  readonly #workloads = new Map<string, WorkloadLoad>();
  readonly #external = new Map<string, ExternalMetric[]>();
  readonly #custom = new Map<string, CustomMetric[]>();
  #startMilliseconds: number;

  /** `compression` seconds of load pass in one second of the clock: 480 makes three minutes of a day. */
  constructor(clock: SimulationClock, compression: number) {
    this.#clock = clock;
    this.#compression = compression;
    this.#startMilliseconds = clock.now();
  }

  /** Time 0 of every series is now. */
  restart(): void {
    this.#startMilliseconds = this.#clock.now();
  }

  /** Sets what a workload uses. */
  setWorkload(workload: WorkloadName, load: WorkloadLoad): void {
    this.#workloads.set(workloadKey(workload), load);
  }

  /** What a workload uses; undefined where none was set. */
  workload(workload: WorkloadName): WorkloadLoad | undefined {
    return this.#workloads.get(workloadKey(workload));
  }

  /** Sets an external metric, or replaces the one of the same name and labels. */
  setExternal(metric: ExternalMetric): void {
    const key = `${metric.namespace}/${metric.metric}`;
    const labels = JSON.stringify(metric.labels ?? {});
    const others = this.external(metric.namespace, metric.metric).filter(
      (other) => JSON.stringify(other.labels ?? {}) !== labels,
    );
    this.#external.set(key, [...others, metric]);
  }

  external(namespace: string, metric: string): readonly ExternalMetric[] {
    return this.#external.get(`${namespace}/${metric}`) ?? [];
  }

  /** Sets a custom metric, or replaces the one of the same name and subject. */
  setCustom(metric: CustomMetric): void {
    const subject = JSON.stringify(metric.subject);
    const others = this.custom(metric.metric).filter((other) => JSON.stringify(other.subject) !== subject);
    this.#custom.set(metric.metric, [...others, metric]);
  }

  custom(metric: string): readonly CustomMetric[] {
    return this.#custom.get(metric) ?? [];
  }

  /** A series' value at an instant of the clock, milliseconds since the epoch. */
  valueAt(series: Series, epochMilliseconds: number): number | undefined {
    return valueOfSeries(series, ((epochMilliseconds - this.#startMilliseconds) / 1000) * this.#compression);
  }
}

function workloadKey({ namespace, kind, name }: WorkloadName): string {
  return `${namespace}/${kind}/${name}`;
}

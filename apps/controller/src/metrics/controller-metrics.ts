import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Decision } from '#decision';
import { namespacedName } from '#kernel';
import type { PassReport } from '#reconciliation';
import type { ScaledReplicas } from './policy-series.ts';
import { durationBuckets, UpstreamMetrics } from './upstream-metrics.ts';

/** Around 50 ms, which nothing from outside may exceed. */
const loopDelayBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Numbers that are read when Prometheus asks. */
export interface MetricReadings {
  readonly policies: () => number;
  /** Of them, those that are carried out as an HPA is: without watermarks. */
  readonly hpaPolicies: () => number;
  /** Requests that wait for the ledger. */
  readonly ledgerQueue: () => number;
  /** What does not work now. */
  readonly degraded: () => readonly string[];
  readonly cachedPods: () => number;
  /** HPAs of ours that no policy explains. */
  readonly orphanedHpas: () => number;
}

const noReplicas: ScaledReplicas = { up: 0, down: 0 };

/** What Prometheus sees: `plimsoll_*`, and beside them Node's own. */
export class ControllerMetrics {
  readonly registry = new Registry();
  readonly #passes: Counter<'action' | 'outcome'>;
  readonly #durations: Histogram<'outcome'>;
  readonly #scalings: Counter<'direction'>;
  readonly #loopDelays: Histogram;
  readonly #loopHolds: Counter<'work'>;
  readonly #fallbacks: Counter<'reason'>;
  readonly #resources: Counter<'resource_kind' | 'result'>;
  readonly #upstream: UpstreamMetrics;
  /** By `namespace/name`. */
  readonly #scaled = new Map<string, ScaledReplicas>();

  constructor(cluster: string, readings: MetricReadings) {
    this.registry.setDefaultLabels({ cluster });
    collectDefaultMetrics({ register: this.registry });
    const registers = [this.registry];
    this.#passes = new Counter({
      name: 'plimsoll_reconciliations_total',
      help: 'Passes, by what was decided and by what became of it.',
      labelNames: ['action', 'outcome'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'plimsoll_reconciliation_duration_seconds',
      help: 'How long passes took.',
      labelNames: ['outcome'],
      buckets: durationBuckets,
      registers,
    });
    this.#scalings = new Counter({
      name: 'plimsoll_scalings_total',
      help: 'Writes of a replica count.',
      labelNames: ['direction'],
      registers,
    });
    this.#loopDelays = new Histogram({
      name: 'plimsoll_event_loop_delay_seconds',
      help: 'How late the event loop was, measured every 20 ms.',
      buckets: loopDelayBuckets,
      registers,
    });
    this.#fallbacks = new Counter({
      name: 'plimsoll_selection_fallbacks_total',
      help: 'Passes whose owner filter fell back to all pods of the selector.',
      labelNames: ['reason'],
      registers,
    });
    this.#loopHolds = new Counter({
      name: 'plimsoll_event_loop_holds_total',
      help: 'How often the event loop was held for more than 50 ms, by the kinds of work begun meanwhile.',
      labelNames: ['work'],
      registers,
    });
    this.#resources = new Counter({
      name: 'reconcile_resource_total',
      help: 'Passes, by the kind of the policy’s document and by what became of them.',
      labelNames: ['resource_kind', 'result'],
      registers,
    });
    this.#upstream = new UpstreamMetrics(this.registry, readings.hpaPolicies);
    this.#registerReadings(readings);
  }

  /** Counts a pass. */
  record(report: PassReport): void {
    const outcome = report.outcome.kind;
    this.#passes.inc({ action: report.decision?.action ?? 'None', outcome });
    this.#durations.observe({ outcome }, report.durationMilliseconds / 1_000);
    this.#resources.inc({ resource_kind: report.active.policy.kind, result: outcome });
    this.#upstream.record(report);
    const fallback = report.decision?.selection.fallback ?? null;
    if (fallback !== null) this.#fallbacks.inc({ reason: fallback.reason });
    if (report.outcome.reason === 'Scaled' && report.decision !== null)
      this.#recordScaling(report, report.decision);
  }

  /** A count that is restored is compared, too: what was written is the scale after the pass. */
  #recordScaling({ key, scale }: PassReport, { currentReplicas, desiredReplicas }: Decision): void {
    const from = currentReplicas ?? 0;
    const change = (scale?.specReplicas ?? desiredReplicas ?? from) - from;
    this.#scalings.inc({ direction: change > 0 ? 'up' : 'down' });
    const { up, down } = this.scaledReplicas(key);
    this.#scaled.set(key, { up: up + Math.max(0, change), down: down + Math.max(0, -change) });
  }

  /** Counts how late the event loop was, and each kind of work that was begun while it was held. */
  readonly recordLoopDelay = (seconds: number, begun: readonly string[]): void => {
    this.#loopDelays.observe(seconds);
    for (const work of new Set(begun.map(workKindOf))) this.#loopHolds.inc({ work });
  };

  /** Replicas that Plimsoll added to and removed from a policy's target since the start. */
  readonly scaledReplicas = (key: string): ScaledReplicas => this.#scaled.get(key) ?? noReplicas;

  /** Forgets a policy that is no longer in force. */
  forget(policy: { readonly namespace: string; readonly name: string }): void {
    this.#scaled.delete(namespacedName(policy));
  }

  #registerReadings({ policies, ledgerQueue, degraded, cachedPods, orphanedHpas }: MetricReadings): void {
    new Gauge({
      name: 'plimsoll_degraded',
      help: '1 for each thing that does not work now.',
      labelNames: ['what'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const what of degraded()) this.set({ what }, 1);
      },
    });
    this.#gauge('plimsoll_ledger_queue', 'Requests that wait for the ledger.', ledgerQueue);
    this.#gauge('plimsoll_policies', 'Policies in force.', policies);
    this.#gauge('plimsoll_cached_pods', 'Pods in the slim cache.', cachedPods);
    this.#gauge('plimsoll_orphaned_hpas', 'HPAs of Plimsoll that no policy in force explains.', orphanedHpas);
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}

/** The first word of an activity: `sweep`, `pass`, `decision`, `sync`, `answer`, `GraphQL`, or a request's method. */
function workKindOf(activity: string): string {
  return /^\w+/.exec(activity)?.[0] ?? 'other';
}

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Decision } from '#decision';
import type { PassReport } from '#reconciliation';

/** Upstream's buckets: 0.001 · 2^k seconds, k = 0 … 14. */
const durationBuckets = Array.from({ length: 15 }, (_, exponent) => 0.001 * 2 ** exponent);

/** Around 50 ms, which nothing from outside may exceed. */
const loopDelayBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Numbers that are read when Prometheus asks. */
export interface MetricReadings {
  readonly policies: () => number;
  /** What does not work now. */
  readonly degraded: () => readonly string[];
  readonly cachedPods: () => number;
  /** Failed authentications since the start, by what was done about them. */
  readonly authenticationFailures: () => ReadonlyMap<string, number>;
  /** HPAs of ours that no policy explains. */
  readonly orphanedHpas: () => number;
}

/** What Prometheus sees: `plimsoll_*`, and beside them Node's own. */
export class ControllerMetrics {
  readonly registry = new Registry();
  readonly #passes: Counter<'action' | 'outcome'>;
  readonly #durations: Histogram<'outcome'>;
  readonly #desired: Gauge<'namespace' | 'policy'>;
  readonly #scalings: Counter<'direction'>;
  readonly #loopDelays: Histogram;
  readonly #loopHolds: Counter<'work'>;
  readonly #fallbacks: Counter<'reason'>;

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
    this.#desired = new Gauge({
      name: 'plimsoll_desired_replicas',
      help: 'The count decided last.',
      labelNames: ['namespace', 'policy'],
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
    this.#registerReadings(readings);
  }

  /** Counts a pass. */
  record(report: PassReport): void {
    const outcome = report.outcome.kind;
    this.#passes.inc({ action: report.decision?.action ?? 'None', outcome });
    this.#durations.observe({ outcome }, report.durationMilliseconds / 1_000);
    if (report.decision !== null) this.#recordDecision(report, report.decision);
    if (report.outcome.reason !== 'Scaled') return;
    this.#scalings.inc({ direction: report.decision?.action === 'ScaleUp' ? 'up' : 'down' });
  }

  #recordDecision({ active }: PassReport, { selection, desiredReplicas }: Decision): void {
    if (selection.fallback !== null) this.#fallbacks.inc({ reason: selection.fallback.reason });
    const { namespace, name } = active.policy;
    if (desiredReplicas !== null) this.#desired.set({ namespace, policy: name }, desiredReplicas);
  }

  /** Counts how late the event loop was, and each kind of work that was begun while it was held. */
  readonly recordLoopDelay = (seconds: number, begun: readonly string[]): void => {
    this.#loopDelays.observe(seconds);
    for (const work of new Set(begun.map(workKindOf))) this.#loopHolds.inc({ work });
  };

  /** Ends the series of a policy that is no longer in force. */
  forget(policy: { readonly namespace: string; readonly name: string }): void {
    this.#desired.remove({ namespace: policy.namespace, policy: policy.name });
  }

  #registerReadings({
    policies,
    degraded,
    cachedPods,
    authenticationFailures,
    orphanedHpas,
  }: MetricReadings): void {
    new Counter({
      name: 'plimsoll_authentication_failures_total',
      help: 'Requests without a valid token, by what was done about them.',
      labelNames: ['treatment'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [treatment, count] of authenticationFailures()) this.inc({ treatment }, count);
      },
    });
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

import type { CurrentValue, MetricReport, PodGroups, RuleId } from '../model/decision.ts';

/**
 * Where a value stands relative to its watermarks, or a proposal to the present count. Only a recommendation is `both`:
 * the present count may be outside each of its bounds where the upper one is absent, or below the lower one.
 */
export type Position = 'above' | 'below' | 'both' | 'stable';

/** A step that a metric adds to the waterfall when its proposal wins. */
export interface TrailStep {
  readonly rule: RuleId;
  readonly after: number;
  readonly because: string;
}

/** The pods a metric counted. */
export type CountedPods = Omit<PodGroups, 'considered' | 'filteredOut'>;

/** No group at all: a metric that looks at no pods. */
export const noPods: CountedPods = { ready: [], unready: [], missing: [], ignored: [] };

/** A metric that gave a proposal. */
export interface ValidMetric {
  readonly ok: true;
  readonly current: CurrentValue;
  readonly proposal: number;
  readonly pods: CountedPods;
  /** The count of ready pods that velocity's ready clause looks at; null: the metric looks at no pods. */
  readonly readyCount: number | null;
  readonly position: Position;
  /** A zero value that is not tolerated: the metric proposes the present count so that nothing shrinks. */
  readonly isZeroValue: boolean;
  /** Whether the value was compared with watermarks, and whether it took a convergence step. */
  readonly convergence: 'NotCompared' | 'NotConverging' | 'Converging';
  /** Called only for the metric that wins. */
  readonly explain: () => readonly TrailStep[];
}

/** A metric that could not be computed. */
export interface InvalidMetric {
  readonly ok: false;
  readonly message: string;
  readonly pods: CountedPods;
}

export type MetricResult = ValidMetric | InvalidMetric;

/** A metric's result with what the report and the decision's reason need. */
export interface EvaluatedMetric {
  readonly result: MetricResult;
  readonly report: MetricReport;
  /** The condition reason of its type when it is invalid. */
  readonly failureReason: string;
  /** As upstream names the metric in a rescale reason. */
  readonly rescaleName: string;
}

/** An evaluated metric that gave a proposal. */
export interface ProposingMetric extends EvaluatedMetric {
  readonly result: ValidMetric;
}

export function isProposing(metric: EvaluatedMetric): metric is ProposingMetric {
  return metric.result.ok;
}

export function invalidMetric(message: string, pods: CountedPods = noPods): InvalidMetric {
  return { ok: false, message, pods };
}

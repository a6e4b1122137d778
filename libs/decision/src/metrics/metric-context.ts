import type { Evaluation } from '../evaluation/evaluation.ts';
import type { SelectedPods } from '../selection/select-pods.ts';

/** What every metric of an evaluation is computed from. */
export interface MetricContext {
  readonly evaluation: Evaluation;
  readonly selected: SelectedPods;
}

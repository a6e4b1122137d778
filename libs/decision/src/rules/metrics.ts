import {
  type EvaluatedMetric,
  isProposing,
  type ProposingMetric,
  type ValidMetric,
} from '../evaluation/evaluated-metric.ts';
import { type Evaluation, note, type RuleOutcome, step } from '../evaluation/evaluation.ts';
import { rescaleReason } from '../evaluation/rescale-reason.ts';
import { evaluateMetrics } from '../metrics/evaluate-metrics.ts';
import { selectPods } from '../selection/select-pods.ts';

/**
 * Evaluates every metric; the highest proposal wins. An invalid metric blocks scaling down only: nothing is decided
 * where no metric is valid, or where the highest of the other proposals is below the present count.
 */
export function metrics(evaluation: Evaluation): RuleOutcome {
  const selected = selectPods(evaluation.input, evaluation.selection);
  evaluation.evaluatedMetrics = evaluateMetrics({ evaluation, selected });
  const best = highest(evaluation.evaluatedMetrics);
  if (isBlockedByInvalid(evaluation, best) || best === null) return 'conclude';
  activate(evaluation, best);
  fold(evaluation, best);
  if (evaluation.isWatermark) setWatermarkConditions(evaluation);
  return 'next';
}

/** The highest proposal; of equal ones the first, but a zero value before others; a proposal of 0 is overwritten. */
function highest(evaluated: readonly EvaluatedMetric[]): ProposingMetric | null {
  let best: ProposingMetric | null = null;
  for (const metric of evaluated)
    if (isProposing(metric) && (best === null || beats(metric.result, best.result))) best = metric;
  return best;
}

function beats(metric: ValidMetric, best: ValidMetric): boolean {
  if (best.proposal === 0 || metric.proposal > best.proposal) return true;
  return metric.proposal === best.proposal && metric.isZeroValue && !best.isZeroValue;
}

function isBlockedByInvalid(evaluation: Evaluation, best: ProposingMetric | null): boolean {
  const { evaluatedMetrics, present } = evaluation;
  if (evaluatedMetrics.every(isProposing)) return false;
  const invalid = evaluatedMetrics.filter((metric) => !isProposing(metric));
  const [first] = invalid;
  if (first === undefined) return false;
  const cause = first.result.ok ? '' : first.result.message;
  const text = `invalid metrics (${invalid.length} invalid out of ${evaluatedMetrics.length}), first error is: ${first.report.name}: ${cause}`;
  if (best !== null && best.result.proposal >= present) {
    const because = `${text}; the others want no fewer than ${present} replicas, so the pass goes on`;
    note(evaluation, 'invalid-metric', because);
    return false;
  }
  const message = `the HPA was unable to compute the replica count: ${cause}`;
  evaluation.conditions.set('ScalingActive', { status: 'False', reason: first.failureReason, message });
  evaluation.isUndecided = true;
  evaluation.reason = 'Invalid metrics: nothing shrinks on ignorance';
  const because = `${text}; nothing shrinks on ignorance, so ${present} replicas stay`;
  note(evaluation, 'invalid-metric', because);
  return true;
}

function activate(evaluation: Evaluation, best: ProposingMetric): void {
  evaluation.winner = best;
  const message = `the HPA was able to successfully calculate a replica count from ${best.rescaleName}`;
  evaluation.conditions.set('ScalingActive', { status: 'True', reason: 'ValidMetricFound', message });
  evaluation.isUndecided = best.result.isZeroValue;
  if (best.result.isZeroValue) evaluation.reason = 'A watermark value of zero is not tolerated';
  else evaluation.reason = rescaleReason(evaluation) ?? evaluation.reason;
}

function fold(evaluation: Evaluation, winner: ProposingMetric): void {
  for (const { rule, after, because } of winner.result.explain()) step(evaluation, rule, { after, because });
  const { evaluatedMetrics } = evaluation;
  const { length } = evaluatedMetrics;
  if (length < 2) return;
  const others = evaluatedMetrics
    .filter((other) => other !== winner)
    .map(({ report }) => `${report.name} ${report.proposedReplicas ?? 'none'}`);
  const because = `${winner.report.name} proposes ${winner.result.proposal}, the most of ${length} metrics (${others.join(', ')})`;
  note(evaluation, 'highest-proposal', because);
}

/** Whether any value is outside its watermarks, and whether any took a step towards one. */
function setWatermarkConditions(evaluation: Evaluation): void {
  const valid = evaluation.evaluatedMetrics.filter(isProposing).map(({ result }) => result);
  const isAbove = valid.some(({ position }) => position === 'above' || position === 'both');
  const isBelow = valid.some(({ position }) => position === 'below' || position === 'both');
  setPosition(evaluation, 'AboveHighWatermark', isAbove);
  setPosition(evaluation, 'BelowLowWatermark', isBelow);
  const isConverging = valid.some(({ convergence }) => convergence === 'Converging');
  if (!isConverging && valid.every(({ convergence }) => convergence === 'NotCompared')) return;
  evaluation.conditions.set('ConvergeToWatermark', {
    status: isConverging ? 'True' : 'False',
    reason: isConverging ? 'Converging' : 'NotConverging',
    message: isConverging
      ? 'a metric took a step towards its watermark'
      : 'no metric took a step towards its watermark',
  });
}

function setPosition(
  { conditions }: Evaluation,
  type: 'AboveHighWatermark' | 'BelowLowWatermark',
  isTrue: boolean,
): void {
  const place = type === 'AboveHighWatermark' ? 'above its high' : 'below its low';
  conditions.set(type, {
    status: isTrue ? 'True' : 'False',
    reason: isTrue ? type : `Not${type}`,
    message: `${isTrue ? 'a' : 'no'} value is ${place} watermark`,
  });
}

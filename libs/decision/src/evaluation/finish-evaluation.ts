import type { Action, DecideOutput, Decision } from '../model/decision.ts';
import type { Evaluation, UnreadEvaluation } from './evaluation.ts';
import { memoryAfter } from './memory-after.ts';

/** The decision and the memory of an evaluation whose rules have all been applied. */
export function finishEvaluation(evaluation: Evaluation | UnreadEvaluation): DecideOutput {
  const action = actionOf(evaluation);
  if (evaluation.isWatermark) setAbleToScale(evaluation, action);
  const { policy } = evaluation;
  const decision: Decision = {
    time: evaluation.time,
    policy: { namespace: policy.namespace, name: policy.name },
    currentReplicas: evaluation.present,
    desiredReplicas: evaluation.count,
    action,
    reason: evaluation.reason,
    selection: evaluation.selection,
    metrics: evaluation.evaluatedMetrics.map(({ report }) => report),
    steps: evaluation.steps,
    conditions: evaluation.conditions.list(),
  };
  return { decision, memory: memoryAfter(evaluation) };
}

function actionOf({ present, count, isUndecided }: Evaluation | UnreadEvaluation): Action {
  if (present !== null && count !== present) return count > present ? 'ScaleUp' : 'ScaleDown';
  return isUndecided ? 'Hold' : 'None';
}

/** The watermark family sets AbleToScale last, and only where nothing else did or the count changes. */
function setAbleToScale(
  { conditions, isAbleToScaleOpen }: Evaluation | UnreadEvaluation,
  action: Action,
): void {
  if (action === 'ScaleUp' || action === 'ScaleDown') {
    conditions.set('AbleToScale', {
      status: 'True',
      reason: 'ReadyForScale',
      message: 'the last scaling time was sufficiently old as to warrant a new scale',
    });
  } else if (isAbleToScaleOpen) {
    conditions.set('AbleToScale', {
      status: 'True',
      reason: 'SucceededGetScale',
      message: "the WPA controller was able to get the target's current scale",
    });
  }
}

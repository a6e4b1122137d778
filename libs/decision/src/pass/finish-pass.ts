import type { Action, DecideOutput, Decision } from '../model/decision.ts';
import { memoryAfterPass } from './memory-after-pass.ts';
import type { Pass } from './pass.ts';
import { isScaling } from './remembered.ts';

/** Reads the verdict off a pass whose rules have all spoken. */
export function finishPass(pass: Pass): DecideOutput {
  const action = actionOf(pass);
  settleAbleToScale(pass, action);
  const { current, count, policy } = pass;
  const decision: Decision = {
    time: pass.time,
    policy: { namespace: policy.namespace, name: policy.name },
    currentReplicas: current,
    desiredReplicas: current === null ? null : count,
    action,
    reason: reasonOf(pass, action),
    selection: pass.selection,
    metrics: pass.evaluations.map(({ report }) => report),
    steps: pass.steps,
    conditions: pass.conditions.list(),
  };
  return { decision, memory: memoryAfterPass(pass, action) };
}

function actionOf({ count, current, hold, isPinned, isStopped }: Pass): Action {
  if (current !== null && count !== current) return count > current ? 'ScaleUp' : 'ScaleDown';
  return hold !== null && !isPinned && !isStopped ? 'Hold' : 'None';
}

function reasonOf({ isPinned, isStopped, hold, rescaleReason, keepReason }: Pass, action: Action): string {
  if (isPinned && !isStopped) return 'Override';
  if (isScaling(action)) return rescaleReason;
  return action === 'Hold' ? (hold ?? keepReason) : keepReason;
}

/** The watermark family says last whether the target is able to scale, and only where nothing else did. */
function settleAbleToScale({ isWatermark, conditions, isAbleToScaleOpen }: Pass, action: Action): void {
  if (!isWatermark) return;
  if (isScaling(action)) {
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

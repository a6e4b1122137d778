import { addSeconds } from '#kernel';
import { type Evaluation, type RuleOutcome, step } from '../evaluation/evaluation.ts';
import { isAfter, isBefore, overwriteOutdated } from '../evaluation/overwrite-outdated.ts';
import { rescaleReason } from '../evaluation/rescale-reason.ts';
import type { TimedReplicas } from '../model/memory.ts';

/**
 * Takes the recommendations of a recent window into account, so that a short dip or spike changes nothing, and records
 * the present one. In the watermark family only where a window is written.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#stabilization-window
 */
export function stabilization(evaluation: Evaluation): RuleOutcome {
  const { policy, isWatermark, settings } = evaluation;
  const { isSet, scaleUp, scaleDown } = policy.behavior;
  const up = scaleUp.stabilizationWindowSeconds;
  const down = scaleDown.stabilizationWindowSeconds;
  const isWritten = up !== undefined || down !== undefined;
  if (!isWatermark && !isSet) {
    stabilizeLegacy(evaluation);
  } else if (!isWatermark || isWritten) {
    const ownDown = isWatermark ? 0 : settings.downscaleStabilizationSeconds;
    stabilizeBothWays(evaluation, { up: up ?? 0, down: down ?? ownDown });
  }
  evaluation.stabilized = evaluation.count;
  return 'next';
}

/**
 * Without `behavior`: the highest recommendation within the controller's window.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Without behavior"
 */
function stabilizeLegacy(evaluation: Evaluation): void {
  const { now, settings, time } = evaluation;
  const desired = evaluation.count;
  const window = settings.downscaleStabilizationSeconds;
  const cutoff = addSeconds(now, -window);
  const recommendations = evaluation.recommendations ?? [];
  let stabilized = desired;
  for (const { replicas, time: at } of recommendations)
    if (replicas > stabilized && !isBefore(at, cutoff)) stabilized = replicas;
  evaluation.recommendations = overwriteOutdated(
    recommendations,
    { replicas: desired, time },
    ({ time: at }) => isBefore(at, cutoff),
  );
  applyStabilized(evaluation, { desired, stabilized, reason: 'ScaleDownStabilized', seconds: window });
}

/**
 * With `behavior`: kept between the lowest recommendation of one window and the highest of the other.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Stabilization"
 */
function stabilizeBothWays(evaluation: Evaluation, { up, down }: { up: number; down: number }): void {
  const { now, time } = evaluation;
  const present = evaluation.present;
  const desired = evaluation.count;
  const upCutoff = addSeconds(now, -up);
  const downCutoff = addSeconds(now, -down);
  const recommendations = evaluation.recommendations ?? [];
  const lowest = extreme(
    desired,
    recommendations,
    ({ replicas, time: at }, known) => replicas < known && isAfter(at, upCutoff),
  );
  const highest = extreme(
    desired,
    recommendations,
    ({ replicas, time: at }, known) => replicas > known && isAfter(at, downCutoff),
  );
  evaluation.recommendations = overwriteOutdated(
    recommendations,
    { replicas: desired, time },
    ({ time: at }) => isBefore(at, upCutoff) && isBefore(at, downCutoff),
  );
  const stabilized = Math.min(Math.max(present, lowest), highest);
  const isUp = desired >= present;
  applyStabilized(evaluation, {
    desired,
    stabilized,
    reason: isUp ? 'ScaleUpStabilized' : 'ScaleDownStabilized',
    seconds: isUp ? up : down,
  });
}

/** The most extreme count: the start, or an entry that is taken before what is known so far. */
function extreme(
  start: number,
  recommendations: readonly TimedReplicas[],
  isTaken: (entry: TimedReplicas, known: number) => boolean,
): number {
  return recommendations.reduce((known, entry) => (isTaken(entry, known) ? entry.replicas : known), start);
}

interface Stabilized {
  readonly desired: number;
  readonly stabilized: number;
  readonly reason: 'ScaleUpStabilized' | 'ScaleDownStabilized';
  readonly seconds: number;
}

function applyStabilized(evaluation: Evaluation, { desired, stabilized, reason, seconds }: Stabilized): void {
  const { isWatermark, conditions, present } = evaluation;
  const isChanged = stabilized !== desired;
  const [were, applied] = reason === 'ScaleUpStabilized' ? ['lower', 'lowest'] : ['higher', 'highest'];
  const message = `recent recommendations were ${were} than current one, applying the ${applied} recent recommendation`;
  if (!isWatermark) {
    conditions.set(
      'AbleToScale',
      isChanged
        ? { status: 'True', reason, message }
        : { status: 'True', reason: 'ReadyForNewScale', message: 'recommended size matches current size' },
    );
  }
  if (!isChanged) return;
  const because = `recommendations of the last ${seconds} s were ${were} than ${desired}; the ${applied} of them holds`;
  step(evaluation, 'stabilization', { after: stabilized, because });
  if (stabilized === present) evaluation.reason = 'Recent recommendations keep the present count';
  else if (rescaleReason(evaluation) === null) evaluation.reason = `Recent recommendations were ${were}`;
}

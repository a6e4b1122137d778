import { addSeconds } from '#kernel';
import type { TimedReplicas } from '../model/memory.ts';
import { type Pass, step, type Verdict } from '../pass/pass.ts';
import { isAfter, isBefore, overwriteOutdated } from './recommendations.ts';

/**
 * Looks at the recommendations of the last seconds, so that a short dip or spike changes nothing, and records this
 * pass's own. In the watermark family only where a window is written.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#stabilization-window
 */
export function stabilization(pass: Pass): Verdict {
  const { policy, isWatermark, settings } = pass;
  const { isSet, scaleUp, scaleDown } = policy.behavior;
  const up = scaleUp.stabilizationWindowSeconds;
  const down = scaleDown.stabilizationWindowSeconds;
  const isWritten = up !== undefined || down !== undefined;
  if (!isWatermark && !isSet) {
    stabilizeLegacy(pass);
  } else if (!isWatermark || isWritten) {
    const ownDown = isWatermark ? 0 : settings.downscaleStabilizationSeconds;
    stabilizeBothWays(pass, { up: up ?? 0, down: down ?? ownDown });
  }
  pass.stabilized = pass.count;
  return 'next';
}

/** Without `behavior`: the highest recommendation within the controller's window (hpa.md 11.1). */
function stabilizeLegacy(pass: Pass): void {
  const { now, settings, time } = pass;
  const desired = pass.count;
  const window = settings.downscaleStabilizationSeconds;
  const cutoff = addSeconds(now, -window);
  const recommendations = pass.recommendations ?? [];
  let stabilized = desired;
  for (const { replicas, time: at } of recommendations)
    if (replicas > stabilized && !isBefore(at, cutoff)) stabilized = replicas;
  pass.recommendations = overwriteOutdated(recommendations, { replicas: desired, time }, ({ time: at }) =>
    isBefore(at, cutoff),
  );
  settle(pass, { desired, stabilized, reason: 'ScaleDownStabilized', seconds: window });
}

/** With `behavior`: kept between the lowest recommendation of one window and the highest of the other (hpa.md 12.2). */
function stabilizeBothWays(pass: Pass, { up, down }: { up: number; down: number }): void {
  const { now, time } = pass;
  const current = pass.present;
  const desired = pass.count;
  const upCutoff = addSeconds(now, -up);
  const downCutoff = addSeconds(now, -down);
  const recommendations = pass.recommendations ?? [];
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
  pass.recommendations = overwriteOutdated(
    recommendations,
    { replicas: desired, time },
    ({ time: at }) => isBefore(at, upCutoff) && isBefore(at, downCutoff),
  );
  const stabilized = Math.min(Math.max(current, lowest), highest);
  const isUp = desired >= current;
  settle(pass, {
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

interface Settled {
  readonly desired: number;
  readonly stabilized: number;
  readonly reason: 'ScaleUpStabilized' | 'ScaleDownStabilized';
  readonly seconds: number;
}

function settle(pass: Pass, { desired, stabilized, reason, seconds }: Settled): void {
  const isChanged = stabilized !== desired;
  const [were, applied] = reason === 'ScaleUpStabilized' ? ['lower', 'lowest'] : ['higher', 'highest'];
  const message = `recent recommendations were ${were} than current one, applying the ${applied} recent recommendation`;
  if (!pass.isWatermark) {
    pass.conditions.set(
      'AbleToScale',
      isChanged
        ? { status: 'True', reason, message }
        : { status: 'True', reason: 'ReadyForNewScale', message: 'recommended size matches current size' },
    );
  }
  if (!isChanged) return;
  const because = `recommendations of the last ${seconds} s were ${were} than ${desired}; the ${applied} of them holds`;
  step(pass, 'stabilization', { after: stabilized, because });
  pass.keepReason = 'Recent recommendations keep the present count';
  if (pass.rescaleReason === '') pass.rescaleReason = `Recent recommendations were ${were}`;
}

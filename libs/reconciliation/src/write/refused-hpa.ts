import { renderedDigestOf } from '../hpa/managed-part.ts';
import type { HpaWrite } from '../hpa/plan-actuation.ts';
import type { Pass } from '../pass/pass.ts';
import { type Plan, refusedWait } from '../plan/plan-write.ts';
import type { RefusableWrite } from '../plan/refusals.ts';
import type { LiveAutoscaler } from '../ports/native-autoscalers.port.ts';
import { hpaDirectionOf } from './contested-hpa.ts';

/** A write of the policy's HPA that the API server refuses waits as one of a scale does. Null: it need not wait. */
export function refusedHpa(pass: Pass, write: HpaWrite, live: LiveAutoscaler | null): Plan | null {
  const now = pass.ports.clock.monotonicMilliseconds();
  return refusedWait(pass.runtime.refusalAt(now), refusableHpaWrite(pass, write, live), now);
}

/** A write of the policy's HPA, as refusals tell it from others. Until one that goes is gone, nothing else scales the target up. */
export function refusableHpaWrite(
  { runtime }: Pick<Pass, 'runtime'>,
  write: HpaWrite,
  live: LiveAutoscaler | null,
): RefusableWrite {
  const { version } = runtime.schedule;
  if (write.verb === 'Delete') {
    const { uid, ownerUid } = write.live;
    return { direction: 'Up', wanted: `Delete ${uid}`, targetUid: ownerUid, version };
  }
  const { rendered } = write;
  return {
    direction: hpaDirectionOf(rendered.spec, live),
    wanted: `${write.verb} ${renderedDigestOf(rendered)}`,
    targetUid: rendered.owner.uid,
    version,
  };
}

import { isJsonObject, type JsonObject } from '#kernel';
import type { HpaWrite } from '../hpa/plan-actuation.ts';
import { driftOf } from '../hpa/recorded-hpa.ts';
import type { Pass } from '../pass/pass.ts';
import type { Direction } from '../plan/back-off.ts';
import { contestWaitSeconds, describeContest } from '../plan/contest.ts';
import { type Plan, withheld } from '../plan/plan-write.ts';
import { momentOf } from '../ports/clock.port.ts';
import type { LiveAutoscaler } from '../ports/native-autoscalers.port.ts';

/**
 * Where others keep changing or deleting what is rendered, the correction waits as a contested write of a scale does; one
 * that allows more replicas, or stops scaling in, for a minute at most. Null: it need not wait.
 */
export function contestedHpa(
  { ports, runtime }: Pass,
  write: HpaWrite,
  live: LiveAutoscaler | null,
): Plan | null {
  if (write.verb !== 'Create' && write.verb !== 'Update') return null;
  const { contest } = runtime;
  const recorded = runtime.kept.strategy.hpa ?? null;
  const found = live?.autoscaler ?? null;
  const drift = driftOf(recorded, found, write.rendered.owner.uid);
  if (drift === null) return null;
  const moment = momentOf(ports.clock);
  contest.noteDrift(found === null ? drift.kind : found.digest, drift.manager, moment);
  const now = moment.monotonicMilliseconds;
  const state = contest.at(now);
  if (state === null) return null;
  const seconds = contestWaitSeconds(state, hpaDirectionOf(write.rendered.spec, live), now);
  if (seconds === 0) return null;
  return withheld('Contested', `not written for ${seconds} s: ${describeContest(state, 'Hpa')}`);
}

/**
 * Which way a write of an HPA takes the replicas. One that is gone scales nothing up; what keeps replicas is as urgent as
 * what adds them.
 */
export function hpaDirectionOf(wanted: JsonObject, live: LiveAutoscaler | null): Direction {
  const found = live?.document['spec'];
  if (found === undefined || !isJsonObject(found)) return 'Up';
  const isMore = (field: string): boolean => Number(wanted[field] ?? 1) > Number(found[field] ?? 1);
  const isKept = isStoppedDown(wanted) && !isStoppedDown(found);
  return isKept || isMore('minReplicas') || isMore('maxReplicas') ? 'Up' : 'Down';
}

/** Whether nothing is scaled in. */
function isStoppedDown({ behavior }: JsonObject): boolean {
  const scaleDown = isJsonObject(behavior) ? behavior['scaleDown'] : undefined;
  return isJsonObject(scaleDown) && scaleDown['selectPolicy'] === 'Disabled';
}

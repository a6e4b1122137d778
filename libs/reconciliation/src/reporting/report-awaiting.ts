import type { ReconcilePorts } from '../pass/pass.ts';
import type { PolicyRuntime } from '../runtime/policy-runtime.ts';
import { targetSubjectOf } from './event-subject.ts';
import { presentOutcome } from './present-outcome.ts';

/**
 * Reports a policy that must not begin yet, as a pass would: another one has its name or its target, has left, and its
 * record cannot be completed. Without it nothing would say why no pass over the policy ever ends.
 */
export function reportAwaiting(
  { clock, log, kubernetesEvents, reports }: ReconcilePorts,
  runtime: PolicyRuntime,
  { left, waitsFor }: { readonly left: string; readonly waitsFor: string },
): void {
  const { active, key, conditions } = runtime;
  const who = left === key ? 'what it scaled before' : `${left}, which scaled its target before,`;
  const message = `not looked at yet: the record of ${who} is not complete: ${waitsFor}`;
  const { kept, previous } = runtime.replaceOutcome({ kind: 'Waiting', reason: 'TargetLeaving', message });
  const time = clock.now();
  const context = { key, subject: targetSubjectOf(active, null), time, previous };
  const told = presentOutcome(kept, { ...context, selector: null, family: active.policy.family });
  if (told.log !== null) log.write(told.log);
  if (told.event !== null) kubernetesEvents.emit(told.event);
  conditions.set(told.condition, time);
  const outcome = { outcome: kept, ready: told.condition, conditions: conditions.list() };
  reports.publish({ key, active, time, ...outcome, ...nothingDecided });
}

const nothingDecided = {
  durationMilliseconds: 0,
  decision: null,
  decisionId: null,
  computationMilliseconds: null,
  lastScaleTime: null,
  scale: null,
} as const;

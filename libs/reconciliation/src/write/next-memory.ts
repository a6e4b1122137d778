import { isDryRun, type Memory, memoryAfterFailedWrite, memoryWithoutWrite } from '#decision';
import type { EffectivePolicy } from '#policy';
import type { Plan } from '../plan/plan-write.ts';
import type { Decided, NextMemory } from '../record/record-decision.ts';

/**
 * What the next pass begins with. A dry run counts as made in the watermark family, whose windows it simulates, and as
 * not made in the HPA family; whatever else is not written counts as not made, and where it waits because it
 * was refused, as refused again.
 *
 * @see docs/spec/decision-contract.md "Conditions and memory"
 */
export function nextMemoryOf(policy: EffectivePolicy, { input, output }: Decided, plan: Plan): NextMemory {
  if (isKept(policy, { input, output }, plan)) return { memory: output.memory, write: null };
  if (plan.kind === 'Write' && plan.purpose === 'Restore')
    return { memory: output.memory, write: { ifWritten: output.memory, ifFailed: output.memory } };
  if (plan.kind !== 'Write') {
    const isRefused =
      policy.actuation === 'Scale' && plan.kind === 'Withheld' && plan.reason === 'WriteRefused';
    const memoryOf = isRefused ? memoryAfterFailedWrite : memoryWithoutWrite;
    return { memory: memoryOf(input, output), write: null };
  }
  const memory = memoryWithoutWrite(input, output);
  const write = { ifWritten: output.memory, ifFailed: memoryAfterFailedWrite(input, output) };
  return { memory, write };
}

/**
 * What follows a write that may have been made: what it took away counts, and cool-downs run, so that no limit on scaling
 * in is exceeded. What it added does not count: limits would then let more be taken away.
 */
export function memoryInDoubt(unwritten: Memory, { scaleDownEvents, lastScaleTime }: Memory): Memory {
  return {
    ...unwritten,
    ...(scaleDownEvents !== undefined && { scaleDownEvents }),
    ...(lastScaleTime !== undefined && { lastScaleTime }),
  };
}

/** Whether the memory after the decision is kept although nothing is written. */
function isKept(
  policy: EffectivePolicy,
  { input, output: { decision } }: Pick<Decided, 'input' | 'output'>,
  plan: Plan,
): boolean {
  if (plan.kind === 'Nothing') return true;
  if (plan.kind === 'Withheld' && plan.reason === 'IntervalNotElapsed') return false;
  if (policy.family === 'watermark' && isDryRun(policy, input.observation)) return true;
  return plan.kind !== 'Write' && decision.action !== 'ScaleUp' && decision.action !== 'ScaleDown';
}

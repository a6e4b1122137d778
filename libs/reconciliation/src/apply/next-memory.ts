import type { Memory, RememberedCondition } from '#decision';
import type { Plan } from '../plan/plan-write.ts';
import type { Pass } from '../pass/pass.ts';
import type { Decided, NextMemory } from '../record/record-decision.ts';

/**
 * What the next pass begins with. A dry run counts as made in the watermark family, whose windows it simulates, and as
 * not made in the HPA family; whatever else is not written counts as not made.
 *
 * @see docs/spec/decision-contract.md "memory"
 */
export function nextMemoryOf({ engine, runtime }: Pass, { input, output }: Decided, plan: Plan): NextMemory {
  const { policy } = runtime.active;
  const isSimulated = policy.dryRun && policy.family === 'watermark';
  if (plan.kind === 'Nothing' || isSimulated) return { memory: output.memory, memoryIfWritten: null };
  const memory = engine.memoryWithoutWrite(input, output);
  return { memory, memoryIfWritten: plan.kind === 'Write' ? output.memory : null };
}

/** The memory after a write that failed: AbleToScale is False, since now unless it was so before. */
export function withFailedUpdate(memory: Memory, time: string): Memory {
  const conditions = memory.conditions ?? [];
  const before = conditions.find(({ type }) => type === 'AbleToScale');
  const failed: RememberedCondition = {
    type: 'AbleToScale',
    status: 'False',
    reason: 'FailedUpdateScale',
    lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : time,
  };
  return { ...memory, conditions: [...conditions.filter((condition) => condition !== before), failed] };
}

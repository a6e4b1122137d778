import { type Memory, memoryAfterChange } from '#decision';
import type { Observed } from '../observe/observe.ts';
import type { Pass } from '../pass/pass.ts';
import { memoryInDoubt } from './next-memory.ts';

/**
 * The memory of a pass, with writes of ours that were believed lost and turn up now. When they were made is not known:
 * what they took away counts as of now, and what they added does not.
 */
export function withLateWrites(
  { runtime }: Pass,
  memory: Memory,
  { scale, observation: { time } }: Observed,
): Memory {
  if (scale === null) return memory;
  let counted = memory;
  for (const { from, to } of runtime.replicas.takeLate(scale))
    counted = memoryInDoubt(counted, memoryAfterChange(runtime.active.policy, counted, { from, to, time }));
  return counted;
}

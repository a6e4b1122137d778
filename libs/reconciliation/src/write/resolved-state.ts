import type { PolicyState } from '#ledger';
import { withoutRestore } from '../strategy/strategy-changes.ts';
import { memoryInDoubt } from './next-memory.ts';
import type { WriteOutcome } from './write-outcome.ts';

/** What the policy of a write goes on from once it is known what became of it. */
export function resolvedState(state: PolicyState, outcome: WriteOutcome, updatedAt: string): PolicyState {
  const isOver = outcome.kind === 'Written' || (outcome.kind === 'Failed' && outcome.failure.mayHaveBeenMade);
  const strategy =
    state.strategy !== null && isOver === true ? withoutRestore(state.strategy) : state.strategy;
  if (outcome.kind !== 'Written') {
    const counts = outcome.kind === 'Failed' && outcome.failure.countsAsMade === true;
    const { memoryIfWritten } = state;
    const memory =
      counts && memoryIfWritten !== null ? memoryInDoubt(state.memory, memoryIfWritten) : state.memory;
    return { ...state, memory, strategy, memoryIfWritten: null, updatedAt };
  }
  const { uid, specReplicas: replicas, resourceVersion } = outcome.scale;
  const memory = state.memoryIfWritten ?? state.memory;
  return {
    ...state,
    memory,
    strategy,
    memoryIfWritten: null,
    refusal: null,
    account: { uid, replicas, resourceVersion },
    updatedAt,
  };
}

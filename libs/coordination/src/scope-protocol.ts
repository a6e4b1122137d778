/**
 * How far a process is with a scope.
 *
 * | phase | the Lease | the fence in the database | the work of the scope |
 * | --- | --- | --- | --- |
 * | `Waiting` | another's, or free | not ours | nothing |
 * | `Elected` | ours | not ours yet | nothing |
 * | `Fenced` | ours | ours | reads what the last holder left |
 * | `Held` | ours | ours | all of it |
 * | `Leaving` | ours | ours | ends, and records what it has done |
 * | `GivenUp` | ours | free | nothing |
 */
export type ScopePhase = 'Waiting' | 'Elected' | 'Fenced' | 'Held' | 'Leaving' | 'GivenUp';

/** What happens to a scope. */
export type ScopeEvent =
  /** The Lease was won. */
  | 'Elect'
  /** The fence was taken. */
  | 'Fence'
  /** What the last holder left is read, and its pending writes are being resolved. */
  | 'Restore'
  /** It is to be handed over, the renew deadline is over, or the process ends. */
  | 'Leave'
  /** Its work has ended, and the fence was given up. */
  | 'GiveUp'
  /** The Lease was released. */
  | 'Release'
  /** The Lease or the fence is another's. */
  | 'Lose';

const steps: Readonly<Record<ScopePhase, Partial<Record<ScopeEvent, ScopePhase>>>> = {
  Waiting: { Elect: 'Elected' },
  // Nothing is to be given up where the fence was not taken.
  Elected: { Fence: 'Fenced', Leave: 'GivenUp' },
  Fenced: { Restore: 'Held', Leave: 'Leaving' },
  Held: { Leave: 'Leaving' },
  Leaving: { GiveUp: 'GivenUp' },
  GivenUp: { Release: 'Waiting' },
};

/**
 * The order in which a scope is taken and given up: the Lease before the fence, the fence before anything is read, and the
 * fence given up before the Lease, so that the next holder never finds it held.
 *
 * @returns null: the protocol has no such step
 */
export function nextScopePhase(phase: ScopePhase, event: ScopeEvent): ScopePhase | null {
  if (event === 'Lose') return phase === 'Waiting' ? null : 'Waiting';
  return steps[phase][event] ?? null;
}

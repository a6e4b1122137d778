import { type Memory, memoryAfterChange } from '#decision';
import type { EffectivePolicy } from '#policy';
import type { WriteFailure } from '../runtime/pending-write.ts';
import type { PolicyRuntime } from '../runtime/policy-runtime.ts';
import { memoryInDoubt } from './next-memory.ts';
import type { WriteOutcome } from './write-outcome.ts';

/**
 * Takes that a write of a scale was made: its state, the account of replicas, and the memory that follows. Refusals end with
 * it, unless it has come no nearer to what was asked for.
 */
export function settleMade(
  { pendingWrite, replicas, kept, active, refusals }: PolicyRuntime,
  { from, scale }: Pick<Extract<WriteOutcome, { readonly kind: 'Written' }>, 'from' | 'scale'>,
): void {
  const { memoryIfWritten: ifWritten, state } = pendingWrite;
  const asked =
    state.kind === 'Sent' && state.intent.kind === 'ScalingIntent' ? state.intent.payload.to : null;
  const to = scale.specReplicas;
  pendingWrite.apply({ kind: 'Succeed', scale });
  if (asked === null || isNearer({ from, to }, asked)) refusals.clear();
  replicas.noteOwn(from, scale);
  if (ifWritten === null) return;
  kept.remember(
    asked === to
      ? ifWritten
      : memoryAsMade(active.policy, { unwritten: kept.memory, ifWritten }, { from, to }),
  );
}

/** Whether a change comes nearer to a count: otherwise it would be asked for again, and go on. */
export function isNearer(
  { from, to }: { readonly from: number; readonly to: number },
  asked: number,
): boolean {
  return Math.abs(to - asked) < Math.abs(from - asked);
}

/** Takes that a write of a scale was not made, or that nothing shows that it was. */
export function settleUnmade({ pendingWrite, kept }: PolicyRuntime, failure: WriteFailure): void {
  const { memoryIfWritten } = pendingWrite;
  pendingWrite.apply({ kind: 'Fail', failure });
  if (failure.countsAsMade === true && memoryIfWritten !== null)
    kept.remember(memoryInDoubt(kept.memory, memoryIfWritten));
}

/** Where admission made another count of it, limits look at what was made, and not at what was asked for. */
function memoryAsMade(
  policy: EffectivePolicy,
  { unwritten, ifWritten }: { readonly unwritten: Memory; readonly ifWritten: Memory },
  change: { readonly from: number; readonly to: number },
): Memory {
  const time = ifWritten.lastScaleTime ?? null;
  // A count that is restored is no scaling that a decision asked for.
  if (time === null || time === unwritten.lastScaleTime) return ifWritten;
  const { scaleUpEvents = [], scaleDownEvents = [] } = memoryAfterChange(policy, unwritten, {
    ...change,
    time,
  });
  return { ...ifWritten, scaleUpEvents, scaleDownEvents };
}

import type { EntryDraft, PolicyState, RecordedStrategy } from '#ledger';
import type { Accounting, WatchProgress } from '../observe/replica-account.ts';
import type { Pass } from '../pass/pass.ts';
import { type Appended, appendForPolicy } from '../record/append.ts';
import { eventDraft, failureDraft } from '../record/drafts.ts';
import { externalDrafts, reportExternalChanges } from '../record/external-changes.ts';
import type { PendingWriteState } from './pending-write.ts';

type RecordingPass = Pick<Pass, 'ports' | 'runtime' | 'deadline'>;

/**
 * Records the outcome of a write that is known to be made, or known not to be: one entry, after the changes of others that
 * came before it. Until it is stored, each pass tries again before it does anything else.
 *
 * @param progress of the watch, for a write that was made
 * @throws Error where the outcome is not known: a bug
 */
export function recordWriteOutcome(
  pass: RecordingPass,
  progress: WatchProgress = 'CaughtUp',
): Promise<Appended> {
  const { runtime, ports } = pass;
  const { state } = runtime.pendingWrite;
  const time = ports.clock.now();
  switch (state.kind) {
    case 'Failed':
      return recordResolution(pass, { drafts: [failureDraft(state.intent, state.failure, time)], time });
    case 'Written': {
      const { scale } = state;
      const { resourceVersion } = scale;
      const accounting = runtime.replicas.accountFor(scale, progress);
      const drafts = [
        ...externalDrafts(pass, { accounting, scale, time }),
        eventDraft(state.intent, { time, resourceVersion }),
      ];
      return recordResolution(pass, { drafts, accounting, time });
    }
    default:
      throw new Error(`a write that is ${state.kind} has no outcome to record`);
  }
}

/** The entries that end a pending write, and what they account for. */
interface Resolution {
  readonly drafts: readonly EntryDraft[];
  readonly accounting?: Accounting;
  readonly time: string;
}

/** Records what ends a pending write, with the memory that goes with it. */
function recordResolution(pass: RecordingPass, { drafts, accounting, time }: Resolution): Promise<Appended> {
  const { runtime } = pass;
  const { replicas, pendingWrite } = runtime;
  const account = accounting === undefined ? replicas.accounted : replicas.accountedAfter(accounting);
  const strategy = strategyWithout(runtime.strategy, pendingWrite.state);
  const state: PolicyState = runtime.stateWith({ memoryIfWritten: null, account, strategy, updatedAt: time });
  const resolve = (): void => {
    runtime.commit(state);
    if (accounting !== undefined) {
      replicas.accept(accounting);
      reportExternalChanges(pass, accounting.changes);
    }
    pendingWrite.apply({ kind: 'Resolve' });
  };
  return appendForPolicy(pass, {
    request: { drafts, states: [state] },
    onStored: resolve,
    onRefused: (code) => {
      // Its outcome is in the ledger already, as a process before this one recorded it.
      if (code === 'IntentNotPending') pendingWrite.apply({ kind: 'Resolve' });
    },
  });
}

/** A count that was written is restored, once. */
function strategyWithout(strategy: RecordedStrategy, pending: PendingWriteState): RecordedStrategy {
  const isRestored = pending.kind === 'Written' && pending.intent.payload.to === strategy.restoreReplicas;
  return isRestored ? { ...strategy, restoreReplicas: null } : strategy;
}

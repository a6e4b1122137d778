import type { EntryDraft, PolicyState, RecordedStrategy } from '#ledger';
import type { Pass } from '../pass/pass.ts';
import { type Appended, appendForPolicy } from '../record/append.ts';
import { eventDraft, failureDraft } from '../record/drafts.ts';
import { externalDrafts, reportExternalChanges } from '../record/external-changes.ts';
import { subjectOf } from '../reporting/event-subject.ts';
import { reportAdoption } from '../reporting/report-strategy.ts';
import type { PendingWriteState, RecordedActuation } from '../runtime/pending-write.ts';
import type { Accounting, WatchProgress } from '../runtime/replica-account.ts';
import { withoutRestore } from '../strategy/strategy-changes.ts';
import { hpaOutcomeEntries, type ResolvedHpaWrite } from './hpa-outcome-entries.ts';

type RecordingPass = Pick<Pass, 'ports' | 'runtime' | 'deadline'>;

/**
 * Records the outcome of a write that is known to be made, or known not to be: one entry, after the changes of others that
 * came before it. Until it is stored, each pass tries again before it does anything else.
 *
 * @param progress of the watch, for a write of a scale that was made
 * @throws Error where the outcome is not known: a bug
 */
export function recordWriteOutcome(
  pass: RecordingPass,
  progress: WatchProgress = 'CaughtUp',
): Promise<Appended> {
  const { state } = pass.runtime.pendingWrite;
  const time = pass.ports.clock.now();
  switch (state.kind) {
    case 'Failed': {
      const { intent, failure } = state;
      if (intent.kind === 'ActuationIntent') {
        return recordResolution(
          pass,
          hpaResolution(pass, intent, { outcome: { kind: 'Failed', failure }, time }),
        );
      }
      const drafts = [failureDraft(intent, failure, time)];
      const { strategy } = pass.runtime.kept;
      // What may have been restored is not restored again, over what others did since.
      const isOver = failure.mayHaveBeenMade === true;
      return recordResolution(pass, { drafts, strategy: isOver ? withoutRestore(strategy) : strategy, time });
    }
    case 'HpaWritten': {
      const outcome = { kind: 'Written', ...state.hpa } as const;
      return recordResolution(pass, hpaResolution(pass, state.intent, { outcome, time }));
    }
    case 'Written':
      return recordResolution(pass, scalingResolution(pass, { ...state, progress, time }));
    default:
      throw new Error(`a write that is ${state.kind} has no outcome to record`);
  }
}

/** The entries that end a pending write, and what they account for. */
interface Resolution {
  readonly drafts: readonly EntryDraft[];
  readonly accounting?: Accounting;
  readonly strategy: RecordedStrategy;
  /** Called once it is stored. */
  readonly report?: () => void;
  readonly time: string;
}

function scalingResolution(
  pass: RecordingPass,
  {
    intent,
    scale,
    progress,
    time,
  }: Extract<PendingWriteState, { kind: 'Written' }> & {
    readonly progress: WatchProgress;
    readonly time: string;
  },
): Resolution {
  const { runtime } = pass;
  const accounting = runtime.replicas.accountFor(scale, progress);
  const drafts = [...externalDrafts(pass, { accounting, time }), eventDraft(intent, { time, scale })];
  // A count that was written is restored, once.
  const isRestored = intent.payload.to === runtime.kept.strategy.restoreReplicas;
  const strategy = isRestored ? withoutRestore(runtime.kept.strategy) : runtime.kept.strategy;
  return { drafts, accounting, strategy, time };
}

function hpaResolution(
  pass: RecordingPass,
  intent: RecordedActuation,
  { time, ...resolved }: Pick<ResolvedHpaWrite, 'outcome' | 'time'>,
): Resolution {
  const { ports, runtime } = pass;
  const { strategy } = runtime.kept;
  const { drafts, hpa } = hpaOutcomeEntries(intent, {
    ...resolved,
    before: strategy.hpa ?? null,
    serverVersion: ports.nativeAutoscalers.serverVersion(),
    time,
  });
  const resolution = { drafts, strategy: { ...strategy, hpa }, time };
  const { verb, adoptedFrom } = intent.payload;
  if (verb !== 'Adopt' || resolved.outcome.kind === 'Failed') return resolution;
  const audience = { ports, key: runtime.key, subject: subjectOf(pass, null) };
  return { ...resolution, report: () => reportAdoption(audience, adoptedFrom) };
}

/** Records what ends a pending write, with the memory that goes with it. */
function recordResolution(
  pass: RecordingPass,
  { drafts, accounting, strategy, report, time }: Resolution,
): Promise<Appended> {
  const { runtime } = pass;
  const { replicas, pendingWrite } = runtime;
  const account = accounting === undefined ? replicas.accounted : replicas.accountedAfter(accounting);
  const state: PolicyState = runtime.stateWith({ memoryIfWritten: null, account, strategy, updatedAt: time });
  const resolve = (): void => {
    runtime.kept.commit(state);
    if (accounting !== undefined) {
      replicas.accept(accounting);
      reportExternalChanges(pass, accounting.changes);
    }
    pendingWrite.apply({ kind: 'Resolve' });
    report?.();
  };
  return appendForPolicy(pass, {
    request: { drafts, states: [state] },
    onStored: resolve,
    onRefused: (code) => {
      // Its outcome is in the ledger already, as a process before this one recorded it.
      if (code === 'IntentNotPending') pendingWrite.apply({ kind: 'Resolve' });
    },
    // Its intent is in the database already.
    inOutage: {
      request: () => ({ drafts, states: [state], onReplayed: () => undefined }),
      onJournaled: resolve,
    },
  });
}

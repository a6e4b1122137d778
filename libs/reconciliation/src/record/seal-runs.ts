import { namespacedName } from '#kernel';
import {
  type AppendRequest,
  type EntryDraft,
  type PolicyState,
  sealedRun,
  sealHpaObservation,
  sealRun,
} from '#ledger';
import { sealedHpa } from '../hpa/follow-hpa.ts';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import type { ReconcilePorts } from '../pass/pass.ts';
import { departedState } from '../runtime/departed-policies.ts';
import type { PolicyRuntime } from '../runtime/policy-runtime.ts';
import { append } from './append.ts';

type SealingPorts = Pick<ReconcilePorts, 'writer' | 'journal' | 'clock' | 'log'>;

/** Makes the open runs of all policies entries, at a shutdown, and stores the states that only repetition has changed. */
export async function sealAll(ports: SealingPorts, runtimes: readonly PolicyRuntime[]): Promise<void> {
  await Promise.all(runtimes.map((runtime) => seal(ports, runtime)));
}

async function seal(ports: SealingPorts, runtime: PolicyRuntime): Promise<void> {
  const { openRun, strategy } = runtime.kept;
  const drafts = sealedDrafts(runtime.kept);
  // What an append without an answer stored is not known, and must not be overwritten.
  if (drafts.length === 0 || runtime.isAppendUnanswered) return;
  const state = runtime.stateWith({
    openRun: openRun && sealedRun(openRun),
    strategy: { ...strategy, hpa: sealedHpa(strategy.hpa ?? null) },
    updatedAt: ports.clock.now(),
  });
  const appended = await append(ports, { drafts, states: [state] });
  if (appended.kind === 'Stored') {
    runtime.kept.commit(state);
    return;
  }
  if (appended.kind === 'NotStored' && appended.isOutage) {
    const request = { drafts, states: [state], onReplayed: () => undefined };
    const kept = await ports.journal.record(request, appended.outcome.message);
    if (kept.ok) return;
  }
  reportNotStored(ports, runtime.key, appended.outcome);
}

/** Seals the run of a policy that is not in force any more, and forgets its state. @returns whether that is stored */
export function forgetPolicy(
  ports: SealingPorts,
  { policy, ...runs }: Pick<PolicyState, 'policy' | 'openRun' | 'strategy'>,
): Promise<boolean> {
  const { namespace, name } = policy;
  const request = { drafts: sealedDrafts(runs), forget: [{ namespace, name }] };
  return isStored(ports, namespacedName(policy), request);
}

/** Seals the runs of a policy that left, and keeps of its state what its HPA needs. */
export async function keepDeparted(ports: SealingPorts, state: PolicyState): Promise<PolicyState> {
  const departed = departedState(state);
  const { policy } = state;
  const conditions = [{ policy, conditions: [] }];
  await isStored(ports, namespacedName(policy), {
    drafts: sealedDrafts(state),
    states: [departed],
    conditions,
  });
  return departed;
}

/** The entries of open runs. */
export function sealedDrafts({
  openRun,
  strategy,
}: Pick<PolicyState, 'openRun' | 'strategy'>): readonly EntryDraft[] {
  return [...sealHpaObservation(strategy?.hpa?.observation ?? null), ...sealRun(openRun)];
}

async function isStored(ports: SealingPorts, key: string, request: AppendRequest): Promise<boolean> {
  const appended = await append(ports, request);
  if (appended.kind === 'Stored') return true;
  reportNotStored(ports, key, appended.outcome);
  return false;
}

function reportNotStored({ log }: SealingPorts, key: string, { message }: PassOutcome): void {
  const text = `${key}  the run of unchanged decisions could not be recorded: ${message}`;
  log.write({ level: 'warn', text, fields: { policy: key } });
}

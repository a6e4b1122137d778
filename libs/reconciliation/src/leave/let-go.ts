import { isJsonObject } from '#kernel';
import {
  type ActuationIntentPayload,
  entryId,
  type EntryOf,
  type PolicyDeparture,
  type PolicyState,
  policyStream,
  type RecordedRefusal,
} from '#ledger';
import { isOwn } from '../hpa/plan-actuation.ts';
import { endedFailure, isEndReason } from '../outcome/version-end.ts';
import { ledgerAppend, ledgerRead } from '../pass/awaited-calls.ts';
import { callKubernetes } from '../pass/call-kubernetes.ts';
import { managesNamespace, type Pass } from '../pass/pass.ts';
import type { AutoscalerWriteOutcome, NativeAutoscaler } from '../ports/native-autoscalers.port.ts';
import { append } from '../record/append.ts';
import { forgetPolicy } from '../record/seal-runs.ts';
import { hasHpa, type KeptHpa, terminatingHpa } from '../runtime/departed-policies.ts';
import type { RecordedIntent, WriteFailure } from '../runtime/pending-write.ts';
import {
  findPendingIntent,
  resolveOrphan,
  resolveOrphanedActuation,
} from '../write/resolve-pending-write.ts';

type LeavingPass = Pick<Pass, 'ports' | 'options' | 'semaphore' | 'deadline'>;

/** Is told why an HPA that is to go is still there; must not throw. */
export interface KeptHpaListener {
  /** The deletion was refused, or made nothing go. @returns what is stored of it */
  onNotDeleted(failure: WriteFailure): RecordedRefusal;
  /** It is being deleted, and is not gone: no other deletion helps. */
  onTerminating(kept: KeptHpa): void;
  /** It cannot be looked at. @returns what is stored of it */
  onUnread(message: string): RecordedRefusal;
  /** It is not known yet what became of the last write of the policy's scale. */
  onInDoubt(message: string): void;
}

/** Departures that keep HPA and count. */
const keeping: ReadonlySet<PolicyDeparture> = new Set(['Kept', 'Released']);

/** Of an HPA that this process may neither see nor delete. */
export const outOfReach = 'OutOfReach';

/**
 * Lets go of a policy that is not in force any more: finds out what became of its write, then deletes its HPA where the
 * record says that the policy was pruned, keeps it where it was released, and forgets the policy's state then. While the
 * record does not say how it left, nothing is done.
 *
 * @returns the policy's state as it is stored now; null: it is done; `OutOfReach`: its HPA is in a namespace that is not
 *   among the configured ones any more, so its state stays: nothing else says that there is an HPA
 * @throws DeadlineExceeded; AdapterError when the ledger cannot be read
 */
export async function letGo(
  pass: LeavingPass & { readonly kept: KeptHpaListener },
  state: PolicyState,
): Promise<PolicyState | null | typeof outOfReach> {
  const { ports, deadline } = pass;
  const stream = policyStream(state.policy);
  const change = await deadline.race(ports.ledger.newestEntry({ stream, kind: 'PolicyChange' }), ledgerRead);
  if (change?.payload.after !== null) return state;
  if (isOutOfReach(pass, change, state)) return outOfReach;
  const pending = await deadline.race(findPendingIntent(ports, stream), ledgerRead);
  if (pending !== null) return resolvePending(pass, pending, state);
  if (!mayDelete(pass, change) || !hasHpa(state)) return forget(pass, state);
  return letGoOfHpa(pass, change, state);
}

async function letGoOfHpa(
  pass: LetGoPass,
  change: EntryOf<'PolicyChange'>,
  state: PolicyState,
): Promise<PolicyState | null> {
  const reading = await callKubernetes(pass, 'GET of its HPA', (signal) =>
    pass.ports.nativeAutoscalers.readAutoscaler(state.policy, signal),
  );
  if (reading.kind === 'Failed') return noteUnread(pass, state, reading.message);
  if (reading.kind === 'NotFound' || !isOwn(state.policy, reading.autoscaler)) return forget(pass, state);
  // It is forgotten when it is seen gone.
  const terminating = terminatingHpa(reading.autoscaler);
  if (terminating !== null) {
    pass.kept.onTerminating(terminating);
    return state;
  }
  return deleteHpa(pass, deletionOf(change, reading.autoscaler), state);
}

type LetGoPass = Parameters<typeof letGo>[0];

/** Finds out what became of the last write. Where that is not known yet, it is told why. */
async function resolvePending(
  pass: LetGoPass,
  intent: RecordedIntent,
  state: PolicyState,
): Promise<PolicyState | null> {
  const { state: resolved, waitsFor } = await resolveOrphan(pass, { intent, state });
  if (waitsFor === null || resolved === null) return resolved;
  if (hasHpa(resolved)) return noteUnread(pass, resolved, waitsFor);
  pass.kept.onInDoubt(waitsFor);
  return resolved;
}

/** It is stored once for each reason, so that other replicas, and the next process, know of it. */
async function noteUnread(pass: LetGoPass, state: PolicyState, message: string): Promise<PolicyState> {
  const refusal = pass.kept.onUnread(message);
  if (state.refusal?.message === refusal.message) return state;
  const noted = { ...state, refusal };
  const appended = await pass.deadline.race(
    append(pass.ports, { drafts: [], states: [noted] }),
    ledgerAppend,
  );
  return appended.kind === 'Stored' ? noted : state;
}

function mayDelete({ options }: LeavingPass, { payload }: EntryOf<'PolicyChange'>): boolean {
  const { departure, before, policy } = payload;
  if (departure === null || keeping.has(departure)) return false;
  const spec = before?.['spec'];
  const isDryRun = isJsonObject(spec) && spec['dryRun'] === true;
  return !isDryRun && options.mode === 'Act' && managesNamespace(options, policy.namespace);
}

function isOutOfReach(
  { options }: LeavingPass,
  { payload: { departure, policy } }: EntryOf<'PolicyChange'>,
  state: PolicyState,
): boolean {
  if (departure === null || keeping.has(departure)) return false;
  return hasHpa(state) && !managesNamespace(options, policy.namespace);
}

async function forget({ ports }: LeavingPass, state: PolicyState): Promise<PolicyState | null> {
  return (await forgetPolicy(ports, state)) ? null : state;
}

function deletionOf(
  { payload }: EntryOf<'PolicyChange'>,
  { uid, resourceVersion, target, ownerUid }: NativeAutoscaler,
): ActuationIntentPayload {
  return {
    policy: payload.policy,
    target: { ...target, uid: ownerUid },
    verb: 'Delete',
    specDigest: null,
    uid,
    resourceVersion,
    reason: reasons[payload.departure ?? 'Pruned'],
    differences: [],
    drift: null,
    departures: [],
    adoptedFrom: null,
    decision: null,
    commit: payload.commit,
  };
}

const reasons: Readonly<Record<PolicyDeparture, string>> = {
  Pruned: 'the policy was pruned',
  Kept: 'the policy was pruned',
  Released: 'the policy was released',
  RolledBack: 'the source was rolled back to a revision without the policy',
  SourceRemoved: 'the source of the policy was removed',
};

async function deleteHpa(
  pass: LetGoPass,
  payload: ActuationIntentPayload,
  state: PolicyState,
): Promise<PolicyState | null> {
  const { ports, deadline } = pass;
  const { policy, uid } = payload;
  const time = ports.clock.now();
  const draft = { stream: policyStream(policy), time, kind: 'ActuationIntent', payload } as const;
  const appended = await deadline.race(append(ports, { drafts: [draft] }), ledgerAppend);
  const [entry] = appended.kind === 'Stored' ? appended.entries : [];
  if (entry === undefined || uid === null) return state;
  const sent = await callKubernetes<AutoscalerWriteOutcome>(pass, 'Delete of its HPA', async (signal) =>
    ports.shards.mayWrite(policy)
      ? ports.nativeAutoscalers.deleteAutoscaler({ ...policy, uid }, signal)
      : { outcome: 'Failed', failure: endedFailure('NotHeld') },
  );
  const intent = { kind: 'ActuationIntent', id: entryId(entry), payload } as const;
  const refused = (failure: WriteFailure): RecordedRefusal | null =>
    isEndReason(failure.code) ? state.refusal : pass.kept.onNotDeleted(failure);
  return (await resolveOrphanedActuation(pass, { intent, answer: sent, refused }, state)).state;
}

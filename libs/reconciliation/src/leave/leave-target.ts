import { type ActuationIntentPayload, entryId, policyStream } from '#ledger';
import { plainHpa } from '../hpa/plain-hpa.ts';
import { endedFailure } from '../outcome/version-end.ts';
import { ledgerAppend, ledgerRead } from '../pass/awaited-calls.ts';
import { callKubernetes } from '../pass/call-kubernetes.ts';
import type { Pass } from '../pass/pass.ts';
import { refusedWait } from '../plan/plan-write.ts';
import { type RefusableWrite, type Refusals, serverError } from '../plan/refusals.ts';
import { momentOf } from '../ports/clock.port.ts';
import type { AutoscalerReplacement, AutoscalerWriteOutcome } from '../ports/native-autoscalers.port.ts';
import type { ScaleWriteFailure } from '../ports/scale.port.ts';
import { append } from '../record/append.ts';
import type { RecordedActuation } from '../runtime/pending-write.ts';
import { hpaOutcomeEntries } from '../write/hpa-outcome-entries.ts';
import type { HpaWriteOutcome } from '../write/hpa-write-outcome.ts';
import { findConflictedHpaWrite, findUndoneDeletion } from '../write/resolve-hpa-write.ts';
import { findPendingIntent, resolveOrphan } from '../write/resolve-pending-write.ts';
import { type LeavePlan, type LeftTarget, planLeave, whyNotWritten } from './plan-leave.ts';

/** What became of a target that was left. `Waiting`: it is left with the same request, made again. */
export type LeaveOutcome =
  | { readonly kind: 'Done'; readonly message: string }
  | { readonly kind: 'Blocked'; readonly message: string }
  | { readonly kind: 'Waiting'; readonly message: string };

interface LeavingPass extends Pick<Pass, 'ports' | 'options' | 'semaphore' | 'deadline'> {
  /** Of the writes that leave this target. */
  readonly refusals: Refusals;
}

/**
 * Leaves the target of a policy that is not in force any more: its HPA is stripped of all that is Plimsoll's, or made, or
 * deleted. The count is never written. A write is announced and resolved in the ledger as every other; one that a crash
 * cut off is resolved first.
 *
 * @throws DeadlineExceeded; AdapterError when the ledger cannot be read
 */
export async function leaveTarget(pass: LeavingPass, left: LeftTarget): Promise<LeaveOutcome> {
  const { ports, deadline } = pass;
  const stream = policyStream(left.policy);
  const pending = await deadline.race(findPendingIntent(ports, stream), ledgerRead);
  if (pending !== null) {
    const { waitsFor } = await resolveOrphan(pass, { intent: pending, state: null });
    return { kind: 'Waiting', message: withReason('finding out what became of its last write', waitsFor) };
  }
  const reading = await callKubernetes(pass, 'GET of its HPA', (signal) =>
    ports.nativeAutoscalers.readAutoscaler(left.policy, signal),
  );
  if (reading.kind === 'Failed') return { kind: 'Waiting', message: reading.message };
  const listing = ports.nativeAutoscalers.listAutoscalers(left.policy.namespace);
  if (listing.state === 'Unsynced') return { kind: 'Waiting', message: listing.message };
  const plan = planLeave(left, { reading, others: listing.autoscalers });
  if (plan.kind === 'Keep' || plan.kind === 'None') return { kind: 'Done', message: plan.message };
  if (plan.kind === 'Blocked') return plan;
  const unwritable = whyNotWritten(pass.options, left.policy);
  if (unwritable !== null) return { kind: 'Blocked', message: unwritable };
  return refusalOutcome(pass, plan) ?? write(pass, left, plan);
}

/** What a target that is left waits for, and why that is not known or done yet; null: nothing is in the way of it. */
export function withReason(what: string, why: string | null): string {
  return why === null ? what : `${what}: ${why}`;
}

type LeaveWrite = Extract<LeavePlan, { readonly kind: 'Create' | 'Update' | 'Delete' }>;

/**
 * A request that is made again and again does not record what the API server refuses as often.
 *
 * @returns null: nothing was refused, or it is time to try again
 */
function refusalOutcome({ ports, refusals }: LeavingPass, plan: LeaveWrite): LeaveOutcome | null {
  const now = ports.clock.monotonicMilliseconds();
  const refusal = refusals.at(now);
  const wait = refusedWait(refusal, refusableLeave(plan), now);
  if (refusal === null || wait?.kind !== 'Withheld') return null;
  return refused(refusal.code, wait.message);
}

/** They may pass by themselves: credentials are renewed, the API server has less to do, and no 409 is for good. */
const passingRefusals: ReadonlySet<string> = new Set([
  'Unauthorized',
  'TooManyRequests',
  'UnfoundedConflict',
]);

function refused(code: string, message: string): LeaveOutcome {
  return { kind: passingRefusals.has(code) ? 'Waiting' : 'Blocked', message };
}

/** `Up`: a person waits for it, so that it is kept waiting for a minute at most. */
function refusableLeave(plan: LeaveWrite): RefusableWrite {
  const live = plan.kind === 'Create' ? null : plan.live.autoscaler;
  const what = plan.kind === 'Delete' ? plan.live.autoscaler.uid : plan.digest;
  const wanted = `${plan.kind} ${what}`;
  return { direction: 'Up', wanted, targetUid: live?.ownerUid ?? null, version: '' };
}

async function write(pass: LeavingPass, left: LeftTarget, plan: LeaveWrite): Promise<LeaveOutcome> {
  const { ports, deadline } = pass;
  const { policy } = left;
  const payload = intentOf(left, plan);
  const draft = {
    stream: policyStream(policy),
    time: ports.clock.now(),
    kind: 'ActuationIntent',
    payload,
  } as const;
  const announced = await deadline.race(append(ports, { drafts: [draft] }), ledgerAppend);
  const [entry] = announced.kind === 'Stored' ? announced.entries : [];
  if (entry === undefined) return unrecorded;
  const unwanted = (): ScaleWriteFailure | null =>
    ports.shards.mayWrite(policy) ? null : endedFailure('NotHeld');
  const answer = await callKubernetes<AutoscalerWriteOutcome>(
    pass,
    `${plan.kind} of its HPA`,
    async (signal) => {
      const failure = unwanted();
      return failure === null
        ? send(pass, plan, { policy, unwanted })(signal)
        : { outcome: 'Failed', failure };
    },
  );
  const sent = await withDeletionSeen(pass, payload, answer);
  const refusal = noteRefusal(pass, plan, sent);
  const outcome = await outcomeOf(pass, sent, { payload, plan });
  if (outcome.kind === 'Unknown') return { kind: 'Waiting', message: outcome.message };
  const intent = { kind: 'ActuationIntent', id: entryId(entry), payload } as const;
  if (!(await isRecorded(pass, intent, outcome))) return unrecorded;
  if (outcome.kind === 'Written' || sent.outcome !== 'Failed')
    return { kind: 'Done', message: done[plan.kind](policy.name) };
  return refusal ?? { kind: 'Waiting', message: sent.failure.message };
}

/** @returns what a refusal came to; null: there was none, or what was wanted is to be looked at anew */
function noteRefusal(
  { ports, refusals }: LeavingPass,
  plan: LeaveWrite,
  sent: AutoscalerWriteOutcome,
): LeaveOutcome | null {
  if (sent.outcome === 'Written') return null;
  const { failure } = sent;
  const isRefusal = sent.outcome === 'Failed' ? isRefused(failure) : failure.code === serverError;
  if (!isRefusal) return null;
  return refused(failure.code, refusals.note(refusableLeave(plan), failure, momentOf(ports.clock)));
}

function isRefused({ code, retryable }: ScaleWriteFailure): boolean {
  return code !== 'Conflict' && (!retryable || passingRefusals.has(code));
}

const unrecorded: LeaveOutcome = { kind: 'Waiting', message: 'the ledger takes nothing' };

/** An answered deletion that deleted nothing has failed. */
async function withDeletionSeen(
  pass: LeavingPass,
  payload: ActuationIntentPayload,
  answer: AutoscalerWriteOutcome,
): Promise<AutoscalerWriteOutcome> {
  if (answer.outcome !== 'Written' || payload.verb !== 'Delete') return answer;
  const failure = await findUndoneDeletion(pass, payload);
  return failure === null ? answer : { outcome: 'Failed', failure };
}

/** What became of a write; `Unknown`: its intent stays without an outcome, and is resolved when it is left again. */
async function outcomeOf(
  pass: LeavingPass,
  sent: AutoscalerWriteOutcome,
  { payload, plan }: { readonly payload: ActuationIntentPayload; readonly plan: LeaveWrite },
): Promise<HpaWriteOutcome> {
  if (sent.outcome === 'Written')
    return { kind: 'Written', autoscaler: sent.live?.autoscaler ?? null, dropped: [] };
  const { failure } = sent;
  if (sent.outcome === 'Unknown') return { kind: 'Unknown', message: failure.message };
  if (failure.code !== 'Conflict' || plan.kind === 'Delete') return { kind: 'Failed', failure };
  const before = plan.kind === 'Create' ? null : plan.live.autoscaler.digest;
  const { outcome } = await findConflictedHpaWrite(pass, payload, before);
  return outcome.kind === 'Failed' ? { kind: 'Failed', failure } : outcome;
}

/** Records what became of a write. */
async function isRecorded(
  { ports, deadline }: LeavingPass,
  intent: RecordedActuation,
  outcome: Exclude<HpaWriteOutcome, { readonly kind: 'Unknown' }>,
): Promise<boolean> {
  const { drafts } = hpaOutcomeEntries(intent, {
    outcome,
    before: null,
    serverVersion: ports.nativeAutoscalers.serverVersion(),
    time: ports.clock.now(),
  });
  return (await deadline.race(append(ports, { drafts }), ledgerAppend)).kind === 'Stored';
}

const done = {
  Create: (name: string) => `HorizontalPodAutoscaler ${name} is made, and scales it`,
  Update: (name: string) => `HorizontalPodAutoscaler ${name} scales it on, and nothing of it is Plimsoll's`,
  Delete: (name: string) =>
    `HorizontalPodAutoscaler ${name} is deleted; its count stays, and nothing scales it`,
} as const;

const reasons = {
  Create: 'the policy was left to an HPA',
  Update: 'the policy was left to its HPA',
  Delete: 'the policy was left to nothing',
} as const;

function intentOf({ policy, commit }: LeftTarget, plan: LeaveWrite): ActuationIntentPayload {
  const { namespace, name, target } = policy;
  const live = plan.kind === 'Create' ? null : plan.live.autoscaler;
  return {
    policy: { namespace, name },
    target: { ...target, uid: live?.ownerUid ?? null },
    verb: plan.kind,
    specDigest: plan.kind === 'Delete' ? null : plan.digest,
    uid: live?.uid ?? null,
    resourceVersion: live?.resourceVersion ?? null,
    reason: reasons[plan.kind],
    differences: [],
    drift: null,
    departures: plan.kind === 'Delete' ? [] : plainHpa(policy).gaps,
    adoptedFrom: null,
    decision: null,
    commit,
  };
}

function send(
  { ports }: LeavingPass,
  plan: LeaveWrite,
  { policy, unwanted }: Pick<LeftTarget, 'policy'> & Pick<AutoscalerReplacement, 'unwanted'>,
): (signal: AbortSignal) => Promise<AutoscalerWriteOutcome> {
  const port = ports.nativeAutoscalers;
  const { namespace, name } = policy;
  switch (plan.kind) {
    case 'Create':
      return (signal) => port.createAutoscaler(plan.document, signal);
    case 'Update':
      return (signal) =>
        port.replaceAutoscaler({ document: plan.document, observed: plan.live, unwanted }, signal);
    case 'Delete':
      return (signal) => port.deleteAutoscaler({ namespace, name, uid: plan.live.autoscaler.uid }, signal);
  }
}

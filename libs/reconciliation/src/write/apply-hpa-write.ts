import type { FieldDifference } from '#ledger';
import { newHpaDocument, replacedHpaDocument } from '../hpa/hpa-document.ts';
import { describeDifferences } from '../hpa/managed-part.ts';
import { describeDropped, droppedFields, isRefusedForGood } from '../hpa/recorded-hpa.ts';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import { endedFailure, isEndReason } from '../outcome/version-end.ts';
import { callKubernetes } from '../pass/call-kubernetes.ts';
import type { Pass } from '../pass/pass.ts';
import { writeEnd } from '../pass/write-end.ts';
import { isRefusal, type RefusalReason } from '../plan/refusals.ts';
import { momentOf } from '../ports/clock.port.ts';
import type {
  AutoscalerWriteOutcome,
  LiveAutoscaler,
  NativeAutoscalersPort,
} from '../ports/native-autoscalers.port.ts';
import type { ScaleWriteFailure } from '../ports/scale.port.ts';
import type { IntendedHpaWrite } from '../record/actuation-drafts.ts';
import { recordWriteOutcome } from './record-write-outcome.ts';
import { refusableHpaWrite } from './refused-hpa.ts';
import { findConflictedHpaWrite, findUndoneDeletion } from './resolve-hpa-write.ts';

/**
 * Sends a write of an HPA whose intent is durable, and records what came of it. A write without an answer leaves its
 * intent pending, and the next pass finds out before it does anything else.
 */
export async function applyHpaWrite(pass: Pass, intended: IntendedHpaWrite): Promise<PassOutcome> {
  const written = await pass.span.step('write', () => writeHpa(pass, intended));
  return pass.span.step('outcome', () => conclude(pass, intended, written));
}

function writeHpa(pass: Pass, intended: IntendedHpaWrite): Promise<AutoscalerWriteOutcome> {
  const { ports, runtime } = pass;
  const unwanted = (): ScaleWriteFailure | null => {
    const end = writeEnd(pass);
    return end === null ? null : endedFailure(end);
  };
  return callKubernetes(pass, `${intended.write.verb} of its HPA`, (signal) => {
    const failure = unwanted();
    if (failure !== null) return Promise.resolve({ outcome: 'Failed', failure } as const);
    runtime.pendingWrite.apply({ kind: 'Send' });
    return send(ports.nativeAutoscalers, { intended, unwanted }, signal);
  });
}

async function conclude(
  pass: Pass,
  intended: IntendedHpaWrite,
  written: AutoscalerWriteOutcome,
): Promise<PassOutcome> {
  switch (written.outcome) {
    case 'Written': {
      const undone = await findUndone(pass, intended);
      return undone === null
        ? concludeWritten(pass, intended, written.live)
        : concludeFailed(pass, intended, undone);
    }
    case 'Failed':
      return written.failure.code === 'Conflict'
        ? concludeConflict(pass, intended, written.failure)
        : concludeFailed(pass, intended, written.failure);
    case 'Unknown':
      return concludeUnknown(pass, intended, written.failure);
  }
}

/** Where a deletion deletes nothing, the next pass would ask for it at once, and so would all others. */
async function findUndone(pass: Pass, { write }: IntendedHpaWrite): Promise<ScaleWriteFailure | null> {
  const { state } = pass.runtime.pendingWrite;
  if (write.verb !== 'Delete' || state.kind !== 'Sent' || state.intent.kind !== 'ActuationIntent')
    return null;
  return findUndoneDeletion(pass, state.intent.payload);
}

function send(
  port: NativeAutoscalersPort,
  {
    intended: { active, write, live },
    unwanted,
  }: { readonly intended: IntendedHpaWrite; readonly unwanted: () => ScaleWriteFailure | null },
  signal: AbortSignal,
): Promise<AutoscalerWriteOutcome> {
  const { namespace, name } = active.policy;
  switch (write.verb) {
    case 'Create':
      return port.createAutoscaler(newHpaDocument(write.rendered), signal);
    case 'Delete':
      return port.deleteAutoscaler({ namespace, name, uid: write.live.uid }, signal);
    case 'Update':
    case 'Adopt': {
      const observed = { autoscaler: write.live, document: live?.document ?? {} };
      const document = replacedHpaDocument(write.rendered, observed.document);
      return port.replaceAutoscaler({ document, observed, unwanted }, signal);
    }
  }
}

async function concludeWritten(
  pass: Pass,
  intended: IntendedHpaWrite,
  live: LiveAutoscaler | null,
): Promise<PassOutcome> {
  const { write } = intended;
  const dropped = write.verb === 'Delete' || live === null ? [] : droppedFields(write.rendered, live);
  pass.runtime.pendingWrite.apply({
    kind: 'SucceedHpa',
    hpa: { autoscaler: live?.autoscaler ?? null, dropped },
  });
  pass.runtime.contest.endDrift();
  pass.runtime.refusals.clear();
  const message = describeHpaWrite(intended, dropped);
  const appended = await recordWriteOutcome(pass);
  // The write is made all the same; the next pass records it.
  if (appended.kind !== 'Stored') return appended.outcome;
  if (dropped.length > 0) return { kind: 'Stalled', reason: 'FieldNotSupported', message };
  return { kind: 'Done', reason: doneReasons[write.verb], message };
}

const doneReasons = {
  Create: 'HpaCreated',
  Update: 'HpaUpdated',
  Delete: 'HpaDeleted',
  Adopt: 'HpaAdopted',
} as const;

async function concludeConflict(
  pass: Pass,
  intended: IntendedHpaWrite,
  failure: ScaleWriteFailure,
): Promise<PassOutcome> {
  const { state } = pass.runtime.pendingWrite;
  if (state.kind !== 'Sent' || state.intent.kind !== 'ActuationIntent' || intended.write.verb === 'Delete')
    return concludeFailed(pass, intended, failure);
  const before = intended.live?.autoscaler.digest ?? null;
  const { reading, outcome } = await findConflictedHpaWrite(pass, state.intent.payload, before);
  if (outcome.kind === 'Unknown') {
    const message = `a write of the HPA was refused, and may have been made before; the next pass finds out what became of it: ${outcome.message}`;
    return { kind: 'Waiting', reason: 'WriteInDoubt', message };
  }
  if (outcome.kind === 'Failed' || outcome.autoscaler === null || reading.kind !== 'Found')
    return concludeFailed(pass, intended, failure);
  return concludeWritten(pass, intended, { ...reading, autoscaler: outcome.autoscaler });
}

async function concludeFailed(
  pass: Pass,
  intended: IntendedHpaWrite,
  failure: ScaleWriteFailure,
): Promise<PassOutcome> {
  const { code, message } = failure;
  pass.runtime.pendingWrite.apply({ kind: 'Fail', failure: { code, message } });
  const outcome = outcomeOfFailure(pass, intended, failure);
  const appended = await recordWriteOutcome(pass);
  return appended.kind === 'Stored' ? outcome : appended.outcome;
}

function outcomeOfFailure(pass: Pass, intended: IntendedHpaWrite, failure: ScaleWriteFailure): PassOutcome {
  const { code, message, retryable } = failure;
  if (isEndReason(code)) return { kind: 'Waiting', reason: code, message };
  const reason = refusalOf(intended, failure);
  const { message: text } = reason;
  if (code === 'Conflict') return { kind: 'Waiting', reason: 'HpaChanged', message: text };
  if (isRefusedForGood({ code })) return { kind: 'Stalled', reason: 'FieldNotSupported', message: text };
  const failed: PassOutcome = { kind: 'Failed', reason: 'FailedUpdateHpa', message: text };
  if (!isRefusal(failure)) return failed;
  const { ports, runtime } = pass;
  const { write, live } = intended;
  const refusable = refusableHpaWrite(pass, write, live);
  const refused = runtime.refusals.note(refusable, reason, momentOf(ports.clock));
  if (retryable && !runtime.refusals.isWaiting) return failed;
  return { kind: 'Stalled', reason: 'WriteRefused', message: refused };
}

/** As of a scale: see `apply-write.ts`. */
function concludeUnknown(pass: Pass, intended: IntendedHpaWrite, failure: ScaleWriteFailure): PassOutcome {
  const { ports, runtime } = pass;
  const { write, live } = intended;
  const refusable = refusableHpaWrite(pass, write, live);
  const refused = runtime.refusals.suspect(refusable, refusalOf(intended, failure), momentOf(ports.clock));
  if (refused !== null) return { kind: 'Stalled', reason: 'WriteRefused', message: refused };
  return {
    kind: 'Waiting',
    reason: 'WriteInDoubt',
    message: `a write of the HPA was sent and not answered: ${failure.message}; the next pass finds out what became of it`,
  };
}

function refusalOf({ write }: IntendedHpaWrite, { code, message }: ScaleWriteFailure): RefusalReason {
  return { code, message: `could not ${verbs[write.verb]} the HPA: ${message}` };
}

const verbs = { Create: 'create', Update: 'update', Delete: 'delete', Adopt: 'take over' } as const;

/** `HorizontalPodAutoscaler checkout updated, which kubectl-edit had changed: spec.maxReplicas 9 → 5`. */
export function describeHpaWrite(intended: IntendedHpaWrite, dropped: readonly FieldDifference[]): string {
  const { active, write, differences } = intended;
  const done = { Create: 'created', Update: 'updated', Delete: 'deleted', Adopt: 'taken over' }[write.verb];
  const what = differences.length === 0 ? write.reason : describeDifferences(differences);
  const lost = dropped.length === 0 ? '' : `; the API server does not keep ${describeDropped(dropped)}`;
  const sentences = write.verb === 'Delete' ? [] : write.rendered.departures;
  const departures = sentences.length === 0 ? '' : `; ${sentences.join('; ')}`;
  return `HorizontalPodAutoscaler ${active.policy.name} ${done}${describeDrift(intended)}: ${what}${describeAsked(intended)}${lost}${departures}`;
}

function describeDrift({ drift }: IntendedHpaWrite): string {
  if (drift === null) return '';
  return `, which ${drift.manager ?? 'somebody'} had ${drift.kind === 'Deleted' ? 'deleted' : 'changed'}`;
}

/** The windows and interventions that an update was made for. */
function describeAsked({ write, drift }: IntendedHpaWrite): string {
  if (write.verb !== 'Update' || drift !== null || write.rendered.inForce.length === 0) return '';
  return `; ${write.reason}`;
}

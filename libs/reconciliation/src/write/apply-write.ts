import { awaitWatch } from '../observe/await-watch.ts';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import { endedFailure, endedOutcome, type VersionEnd } from '../outcome/version-end.ts';
import { writeOfScale } from '../pass/awaited-calls.ts';
import { callKubernetes } from '../pass/call-kubernetes.ts';
import type { Pass } from '../pass/pass.ts';
import { writeEnd } from '../pass/write-end.ts';
import { directionOf } from '../plan/plan-write.ts';
import { isRefusal, type RefusableWrite, type RefusalReason } from '../plan/refusals.ts';
import { momentOf } from '../ports/clock.port.ts';
import type { ScaleState, ScaleWriteFailure, ScaleWriteOutcome } from '../ports/scale.port.ts';
import { type IntendedWrite, keptInstead } from '../record/drafts.ts';
import type { NextMemory } from '../record/record-decision.ts';
import { describeScaling } from '../reporting/describe-scaling.ts';
import { recordWriteOutcome } from './record-write-outcome.ts';
import { emitFailedRescale, emitRescale } from './rescale-events.ts';
import { findOutRefused } from './resolve-pending-write.ts';
import { isNearer, settleMade, settleUnmade } from './settle-scaling.ts';

/** A write whose intent is durable. */
export interface RecordedWrite extends IntendedWrite {
  readonly next: NonNullable<NextMemory['write']>;
}

/**
 * `Changed`: the scale is another one now, which others made it, and the decision is to be made again; `countsAsMade`: as
 * if the write had been made, too, since nothing shows that it was not.
 */
export type Applied =
  | { readonly kind: 'Ended'; readonly outcome: PassOutcome; readonly scale: ScaleState }
  | { readonly kind: 'Changed'; readonly scale: ScaleState; readonly countsAsMade: boolean };

/**
 * Writes the scale and records what came of it. A write without an answer leaves its intent pending, and the next pass
 * finds out before it does anything else.
 */
export async function applyWrite(pass: Pass, write: RecordedWrite): Promise<Applied> {
  const written = await pass.span.step('write', () => writeScale(pass, write));
  return pass.span.step('outcome', () => conclude(pass, write, written));
}

async function conclude(pass: Pass, write: RecordedWrite, written: ScaleWriteOutcome): Promise<Applied> {
  switch (written.outcome) {
    case 'Written':
      return {
        kind: 'Ended',
        outcome: await concludeWritten(pass, write, written.state),
        scale: written.state,
      };
    case 'Changed':
      return concludeChanged(pass, write, written.state);
    case 'Failed':
      return {
        kind: 'Ended',
        outcome: await concludeFailed(pass, write, written.failure),
        scale: write.scale,
      };
    case 'Unknown':
      return { kind: 'Ended', outcome: concludeUnknown(pass, write, written.failure), scale: write.scale };
  }
}

function writeScale(pass: Pass, { scale, to }: RecordedWrite): Promise<ScaleWriteOutcome> {
  const { ports, runtime } = pass;
  const unwanted = (): ScaleWriteFailure | null => {
    const end = writeEnd(pass);
    return end === null ? null : endedFailure(end);
  };
  const request = { target: runtime.target, observed: scale, replicas: to, unwanted };
  return callKubernetes(pass, writeOfScale(runtime.target), (signal) => {
    const failure = unwanted();
    if (failure !== null) return Promise.resolve({ outcome: 'Failed', failure });
    runtime.pendingWrite.apply({ kind: 'Send' });
    return ports.scale.writeScale(request, signal);
  });
}

async function concludeWritten(pass: Pass, write: RecordedWrite, scale: ScaleState): Promise<PassOutcome> {
  settleMade(pass.runtime, { from: write.scale.specReplicas, scale });
  const { specReplicas: kept } = scale;
  emitRescale(pass, { ...write, to: kept });
  const restored = write.to === write.decision.desiredReplicas ? null : write.to;
  const scaled = describeScaling(write.decision, {
    origin: write.active.origin,
    override: write.override,
    restored,
  });
  const message = kept === write.to ? scaled : `${scaled}; ${keptInstead(write.to, kept)}`;
  const done = noteFutile(pass, write, kept) ?? { kind: 'Done', reason: 'Scaled', message };
  const progress = await awaitWatch(pass, scale);
  // The next pass records it, so that what others did before it stands before it.
  if (progress === 'Behind') return done;
  const appended = await recordWriteOutcome(pass, progress);
  // The write is made all the same; the next pass records it.
  return appended.kind === 'Stored' ? done : appended.outcome;
}

/** A request that is delivered twice is made, and then refused: what the scale says and who wrote it decides. */
async function concludeChanged(pass: Pass, write: RecordedWrite, scale: ScaleState): Promise<Applied> {
  const found = await findOutRefused(pass);
  switch (found.kind) {
    case 'Unknown': {
      const message = `a write was refused, and may have been made before; finding out what became of it: ${found.message}`;
      return { kind: 'Ended', outcome: { kind: 'Waiting', reason: 'WriteInDoubt', message }, scale };
    }
    case 'Written':
      return { kind: 'Ended', outcome: await concludeWritten(pass, write, found.scale), scale: found.scale };
    case 'Failed': {
      settleUnmade(pass.runtime, found.failure);
      const appended = await recordWriteOutcome(pass);
      const countsAsMade = found.failure.countsAsMade === true;
      return appended.kind === 'Stored'
        ? { kind: 'Changed', scale, countsAsMade }
        : { kind: 'Ended', outcome: appended.outcome, scale };
    }
  }
}

async function concludeFailed(
  pass: Pass,
  write: RecordedWrite,
  failure: ScaleWriteFailure,
): Promise<PassOutcome> {
  const { code, message, retryable } = failure;
  const { runtime } = pass;
  runtime.pendingWrite.apply({ kind: 'Fail', failure: { code, message } });
  const end = endOf(pass, code);
  if (end === null) {
    runtime.kept.remember(write.next.ifFailed);
    emitFailedRescale(pass, write, failure);
  }
  const reason = refusalOf(write, failure);
  const refused = isRefusal(failure) ? noteRefusal(pass, write, reason) : null;
  const appended = await recordWriteOutcome(pass);
  if (appended.kind !== 'Stored') return appended.outcome;
  if (end !== null) return endedOutcome(end);
  // What may pass by itself is no refusal until it has not for so long that the write waits.
  return refused === null || (retryable && !runtime.refusals.isWaiting)
    ? { kind: 'Failed', reason: 'FailedUpdateScale', message: reason.message }
    : { kind: 'Stalled', reason: 'WriteRefused', message: refused };
}

/** A write of which admission makes what is no nearer goes on for ever, and waits as if it had been refused. Null: it is nearer. */
function noteFutile(pass: Pass, write: RecordedWrite, kept: number): PassOutcome | null {
  const { to, scale } = write;
  const { specReplicas: from } = scale;
  if (isNearer({ from, to: kept }, to)) return null;
  const made = `the API server made it ${kept}, and it was ${from}: does an admission webhook set the count?`;
  const reason = refusalOf(write, { code: 'NotKept', message: made, retryable: false });
  return { kind: 'Stalled', reason: 'WriteRefused', message: noteRefusal(pass, write, reason) };
}

function noteRefusal({ ports, runtime }: Pass, write: RecordedWrite, reason: RefusalReason): string {
  return runtime.refusals.note(refusableWrite({ runtime }, write), reason, momentOf(ports.clock));
}

/** A policy whose writes are answered so again and again does not go to and fro between two reasons. */
function concludeUnknown(
  { ports, runtime }: Pass,
  write: RecordedWrite,
  failure: ScaleWriteFailure,
): PassOutcome {
  const refusable = refusableWrite({ runtime }, write);
  const refused = runtime.refusals.suspect(refusable, refusalOf(write, failure), momentOf(ports.clock));
  if (refused === null) return unanswered(failure);
  runtime.kept.remember(write.next.ifFailed);
  return { kind: 'Stalled', reason: 'WriteRefused', message: refused };
}

function refusalOf({ to }: RecordedWrite, { code, message }: ScaleWriteFailure): RefusalReason {
  return { code, message: `could not scale to ${to}: ${message}` };
}

function refusableWrite({ runtime }: Pick<Pass, 'runtime'>, { scale, to }: RecordedWrite): RefusableWrite {
  const { uid: targetUid, specReplicas: from } = scale;
  return { direction: directionOf(from, to), wanted: to, targetUid, version: runtime.schedule.version };
}

/** What ended before the write was sent, where it failed for that. */
function endOf(pass: Pass, code: string): VersionEnd | null {
  if (code === 'ShardNotHeld') return 'NotHeld';
  return code === 'PolicyChanged' ? pass.versionEnd() : null;
}

function unanswered({ message }: ScaleWriteFailure): PassOutcome {
  return {
    kind: 'Waiting',
    reason: 'WriteInDoubt',
    message: `a write was sent and not answered: ${message}; the next pass finds out what became of it`,
  };
}

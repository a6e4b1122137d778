import { type ChainedEntry, entryId } from '#ledger';
import { accountOf } from '../observe/replica-account.ts';
import { describeScaling } from '../outcome/describe-scaling.ts';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import { callKubernetes } from '../pass/call-kubernetes.ts';
import type { Pass } from '../pass/pass.ts';
import type { ScaleState, ScaleWriteFailure, ScaleWriteOutcome } from '../ports/scale.port.ts';
import { append } from '../record/append.ts';
import { decisionIdIn, eventDraft, failureDraft, type IntendedWrite } from '../record/drafts.ts';
import type { NextMemory } from '../record/record-decision.ts';
import { emitFailedRescale, emitRescale } from './rescale-events.ts';

/** A write whose intent is durable. */
export interface AnnouncedWrite extends IntendedWrite {
  readonly next: NonNullable<NextMemory['write']>;
  /** What the intent was stored with. */
  readonly entries: readonly ChainedEntry[];
}

/** `Changed`: the scale is another one now, nothing was written, and the decision is to be made again. */
export type Applied =
  | { readonly kind: 'Ended'; readonly outcome: PassOutcome; readonly scale: ScaleState }
  | { readonly kind: 'Changed'; readonly scale: ScaleState };

/**
 * Writes the scale and records what came of it. A write without an answer leaves its intent pending: the policy is in
 * doubt, and the next pass finds out before it does anything else.
 */
export async function applyWrite(pass: Pass, write: AnnouncedWrite): Promise<Applied> {
  const written = await writeScale(pass, write);
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
      return { kind: 'Ended', outcome: inDoubt(written.failure), scale: write.scale };
  }
}

function writeScale(pass: Pass, { scale, to }: AnnouncedWrite): Promise<ScaleWriteOutcome> {
  const { ports, runtime } = pass;
  const request = { target: runtime.target, observed: scale, replicas: to };
  return callKubernetes(pass, (signal) => ports.scale.writeScale(request, signal));
}

async function concludeWritten(pass: Pass, write: AnnouncedWrite, state: ScaleState): Promise<PassOutcome> {
  const { runtime, ports } = pass;
  emitRescale(pass, write);
  const time = ports.clock.now();
  const memory = write.next.ifWritten;
  const decision = decisionIdIn(write.entries, write.active) ?? runtime.lastDecision?.entry ?? null;
  const appended = await append(pass, {
    drafts: [eventDraft(write, { intent: intentIdOf(write), decision, time })],
    states: [runtime.stateWith({ memory, memoryIfWritten: null, updatedAt: time })],
  });
  // The write is made all the same; in doubt, the next pass reads it back and records it.
  if (appended.kind !== 'Stored') return appended.outcome;
  runtime.memory = memory;
  runtime.account = accountOf(state);
  runtime.doubt = null;
  return { kind: 'Done', reason: 'Scaled', message: describeScaling(write.decision, write.active.origin) };
}

async function concludeChanged(pass: Pass, write: AnnouncedWrite, state: ScaleState): Promise<Applied> {
  const message = `the scale changed from ${write.scale.specReplicas} to ${state.specReplicas} before the write`;
  const failure = await recordFailure(pass, write, { code: 'Changed', message });
  return failure === null
    ? { kind: 'Changed', scale: state }
    : { kind: 'Ended', outcome: failure, scale: state };
}

async function concludeFailed(
  pass: Pass,
  write: AnnouncedWrite,
  failure: ScaleWriteFailure,
): Promise<PassOutcome> {
  emitFailedRescale(pass, write, failure);
  pass.runtime.memory = write.next.ifFailed;
  const unrecorded = await recordFailure(pass, write, failure);
  if (unrecorded !== null) return unrecorded;
  const message = `could not scale to ${write.to}: ${failure.message}`;
  return failure.retryable
    ? { kind: 'Failed', reason: 'FailedUpdateScale', message }
    : { kind: 'Stalled', reason: 'WriteRefused', message };
}

async function recordFailure(
  pass: Pass,
  write: AnnouncedWrite,
  { code, message }: Pick<ScaleWriteFailure, 'code' | 'message'>,
): Promise<PassOutcome | null> {
  const { runtime, ports } = pass;
  const time = ports.clock.now();
  const appended = await append(pass, {
    drafts: [failureDraft(write, { intent: intentIdOf(write), code, message, time })],
    states: [runtime.stateWith({ memoryIfWritten: null, updatedAt: time })],
  });
  if (appended.kind !== 'Stored') return appended.outcome;
  runtime.doubt = null;
  return null;
}

function intentIdOf({ entries }: AnnouncedWrite): string {
  const intent = entries.findLast(({ kind }) => kind === 'ScalingIntent');
  if (intent === undefined) throw new Error('a write was announced without an intent');
  return entryId(intent);
}

function inDoubt({ message }: ScaleWriteFailure): PassOutcome {
  return {
    kind: 'Waiting',
    reason: 'WriteInDoubt',
    message: `a write was sent and not answered: ${message}; the next pass finds out what became of it`,
  };
}

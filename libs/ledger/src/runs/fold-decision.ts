import type { DraftOf } from '../entries/entry.ts';
import type { DecisionPayload, DecisionRunPayload } from '../entries/payloads/decision-payloads.ts';
import { policyStream } from '../entries/stream-name.ts';
import { type Fingerprintable, fingerprintOf, isRepeated } from './decision-fingerprint.ts';
import { rangesOf, widenRanges } from './metric-range.ts';
import { isBefore, lastsTooLong } from './run-length.ts';

/**
 * Unchanged decisions that are not in the ledger yet. It is JSON, so that `policy_state` can hold it: after a SIGKILL
 * the run goes on where the last sweep left it.
 */
export interface OpenRun extends DecisionRunPayload {
  /** 0: the `Decision` was recorded, and nothing has repeated it yet. `first` and `last` are then its time. */
  readonly count: number;
  /** The fingerprint of its decisions; `policy_state` keeps it under this name. */
  readonly verdict: string;
}

/** What a decision adds to the ledger. */
export interface FoldedDecision {
  /** Empty when the decision only lengthens the open run. */
  readonly append: readonly (DraftOf<'Decision'> | DraftOf<'DecisionRun'>)[];
  readonly openRun: OpenRun;
}

/** The decision that an open run ends with, and what it was decided by. */
export type RunEnd = Fingerprintable;

/** What the next decision is compared with, once this one is folded. */
export function runEndOf(payload: DecisionPayload): RunEnd {
  const { decision, commit, engineVersion, contractVersion, departures, input } = payload;
  const { policy, settings } = input;
  const end = { decision, commit, engineVersion, contractVersion, input: { policy, settings } };
  return departures === undefined ? end : { ...end, departures };
}

/**
 * Records a decision: one that repeats the last lengthens the open run, any other seals the run and is appended in
 * full. A run that would last 15 minutes is sealed, and the decision begins the next. A time before the run's last
 * is a difference: the clock went back, and that is worth seeing.
 *
 * @param runEnd null: not known, so that the fingerprint is made. A comparison costs a hundredth of it.
 */
export function foldDecision(
  openRun: OpenRun | null,
  record: DecisionPayload,
  runEnd: RunEnd | null = null,
): FoldedDecision {
  const isKnown = openRun !== null && runEnd !== null && isRepeated(runEnd, record);
  const fingerprint = isKnown ? openRun.verdict : fingerprintOf(record);
  if (openRun?.verdict !== fingerprint || isBefore(record.decision.time, openRun.last)) {
    return {
      append: [...sealRun(openRun), fullDecision(record)],
      openRun: beginRun({ record, fingerprint, count: 0 }),
    };
  }
  if (openRun.count === 0) return { append: [], openRun: beginRun({ record, fingerprint, count: 1 }) };
  if (lastsTooLong(openRun.first, record.decision.time))
    return { append: sealRun(openRun), openRun: beginRun({ record, fingerprint, count: 1 }) };
  return { append: [], openRun: lengthen(openRun, record) };
}

/**
 * The entry of a run, for shutdown; nothing when it holds no decision.
 *
 * @see {@link sealedRun} for what remains open afterwards.
 */
export function sealRun(openRun: OpenRun | null): readonly DraftOf<'DecisionRun'>[] {
  if (openRun === null || openRun.count === 0) return [];
  const { policy, first, last, count, action, desiredReplicas, reason, metrics } = openRun;
  const payload: DecisionRunPayload = {
    policy,
    first,
    last,
    count,
    action,
    desiredReplicas,
    reason,
    metrics,
  };
  return [{ stream: policyStream(policy), kind: 'DecisionRun', time: last, payload }];
}

/** The run after its entry was appended: the same decision goes on after a restart without being recorded anew. */
export function sealedRun(openRun: OpenRun): OpenRun {
  return { ...openRun, count: 0 };
}

function fullDecision(record: DecisionPayload): DraftOf<'Decision'> {
  const { policy, time } = record.decision;
  return { stream: policyStream(policy), kind: 'Decision', time, payload: record };
}

function beginRun(begin: {
  readonly record: DecisionPayload;
  readonly fingerprint: string;
  readonly count: 0 | 1;
}): OpenRun {
  const { policy, time, action, desiredReplicas, reason, metrics } = begin.record.decision;
  return {
    policy,
    verdict: begin.fingerprint,
    count: begin.count,
    first: time,
    last: time,
    action,
    desiredReplicas,
    reason,
    metrics: rangesOf(metrics),
  };
}

function lengthen(openRun: OpenRun, { decision }: DecisionPayload): OpenRun {
  return {
    ...openRun,
    count: openRun.count + 1,
    last: decision.time,
    metrics: widenRanges(openRun.metrics, decision.metrics),
  };
}

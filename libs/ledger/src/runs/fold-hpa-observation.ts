import { canonicalJson } from '#kernel';
import type { DraftOf } from '../entries/entry.ts';
import type { HpaCondition, HpaObservationPayload } from '../entries/payloads/hpa-payloads.ts';
import { type PolicyKey, policyStream } from '../entries/stream-name.ts';
import { type RangedMetric, rangesOf, widenRanges } from './metric-range.ts';
import { isBefore, lastsTooLong } from './run-length.ts';

/** The status of a policy's HPA as one pass saw it. */
export interface SeenHpaStatus {
  readonly policy: PolicyKey;
  readonly uid: string;
  /** RFC 3339. */
  readonly time: string;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly conditions: readonly HpaCondition[];
  readonly metrics: readonly RangedMetric[];
}

/** What a status adds to the ledger. */
export interface FoldedHpaObservation {
  readonly append: readonly DraftOf<'HpaObservation'>[];
  /** Statuses that are not in the ledger yet; `count` 0: the last entry holds all that were seen. */
  readonly open: HpaObservationPayload;
}

/**
 * Records a status of a policy's HPA, as decisions are: one that says what the last one said lengthens the open run, any
 * other seals it and is appended. The values of metrics are no difference.
 */
export function foldHpaObservation(
  open: HpaObservationPayload | null,
  seen: SeenHpaStatus,
): FoldedHpaObservation {
  if (open === null || !isRepeated(open, seen)) {
    const first = observationOf(seen);
    return { append: [...sealHpaObservation(open), draftOf(first)], open: { ...first, count: 0 } };
  }
  if (open.count === 0) return { append: [], open: observationOf(seen) };
  if (lastsTooLong(open.first, seen.time))
    return { append: sealHpaObservation(open), open: observationOf(seen) };
  const metrics = widenRanges(open.metrics, seen.metrics);
  return { append: [], open: { ...open, count: open.count + 1, last: seen.time, metrics } };
}

/** The entry of an open run, for the end of an HPA and for shutdown; nothing when it holds no status. */
export function sealHpaObservation(open: HpaObservationPayload | null): readonly DraftOf<'HpaObservation'>[] {
  return open === null || open.count === 0 ? [] : [draftOf(open)];
}

function isRepeated(open: HpaObservationPayload, seen: SeenHpaStatus): boolean {
  return (
    open.uid === seen.uid &&
    open.currentReplicas === seen.currentReplicas &&
    open.desiredReplicas === seen.desiredReplicas &&
    conditionsText(open) === conditionsText(seen) &&
    !isBefore(seen.time, open.last)
  );
}

function conditionsText({ conditions }: Pick<SeenHpaStatus, 'conditions'>): string {
  return canonicalJson(conditions.map(({ type, status, reason }) => [type, status, reason]));
}

function observationOf({ time, metrics, ...seen }: SeenHpaStatus): HpaObservationPayload {
  return { ...seen, first: time, last: time, count: 1, metrics: rangesOf(metrics) };
}

function draftOf(payload: HpaObservationPayload): DraftOf<'HpaObservation'> {
  return { stream: policyStream(payload.policy), kind: 'HpaObservation', time: payload.last, payload };
}

import type { Intervention } from '#decision';
import type { InForce } from '#reconciliation';
import type { PolicyOutline } from '#repository';
import { pictureOf } from '../policies/policy-picture.ts';
import { interventionText } from './intervention-requests.ts';

/** A document that comes into force while interventions stand. */
export interface StandingChange {
  /** What is in force; undefined: the policy is new. */
  readonly before: PolicyOutline | undefined;
  readonly after: PolicyOutline;
  /** The counts that follow at once, with the one in force and with the one that comes; null: not known. */
  readonly counts: { readonly before: number | null; readonly after: number | null };
  /** Those that act on it now. */
  readonly interventions: readonly Intervention[];
  /** What else is in force of a document at a moment. */
  readonly at: (outline: PolicyOutline, time: string) => Pick<InForce, 'time' | 'windows'>;
}

/**
 * What follows of a change when what stands now ends, a sentence per end at which the count goes elsewhere than without
 * the change: `40 → 10 when the suspension by ann ends, 2026-11-28T00:15:00Z`. Pure.
 */
export function laterCounts({ before, after, counts, interventions, at }: StandingChange): readonly string[] {
  const ends = [...new Set(interventions.map(({ expires }) => expires))].toSorted(
    (one, other) => Date.parse(one) - Date.parse(other),
  );
  let { before: without, after: count } = counts;
  return ends.flatMap((end) => {
    const standing = interventions.filter(({ expires }) => Date.parse(expires) > Date.parse(end));
    const next = (outline: PolicyOutline, present: number | null): number | null =>
      pictureOf(outline, { ...at(outline, end), interventions: standing }, present).replicas;
    const earlier = count;
    without = before === undefined ? null : next(before, without);
    count = next(after, count);
    if (count === null || earlier === null || count === earlier || count === without) return [];
    const ending = interventions.filter(({ expires }) => expires === end).map(interventionText);
    return [`${earlier} → ${count} when ${ending.join(' and ')} ends, ${end}`];
  });
}

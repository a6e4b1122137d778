import { canonicalJson } from '#kernel';
import type { ActivePolicy } from '../active-policy.ts';
import type { PassOutcome } from '../outcome/pass-outcome.ts';

/**
 * How what a pass works with ends: the policy is not in force any more, has another version, or has another target, or
 * an intervention for it began or ended.
 */
export type VersionEnd = 'Left' | 'Replaced' | 'Retargeted' | 'Intervened';

/** Whether two versions of a policy say the same. A file that moved, or a commit that left it alone, changes nothing. */
export function isSameVersion(left: ActivePolicy, right: ActivePolicy): boolean {
  if (left === right || left.policy === right.policy) return true;
  return canonicalJson(left.document) === canonicalJson(right.document);
}

/** Why a write was not sent, or not sent again: code of a `ScalingFailure` or `ActuationOutcome`. */
export function endedFailure(end: VersionEnd): {
  readonly code: 'PolicyChanged';
  readonly message: string;
  readonly retryable: true;
} {
  return { code: 'PolicyChanged', message: `not sent: ${sentences[end]}`, retryable: true };
}

/** What a pass comes to whose version ended before its decision was recorded or carried out. */
export function endedOutcome(end: VersionEnd): PassOutcome {
  return { kind: 'Waiting', reason: 'PolicyChanged', message: `nothing is written: ${sentences[end]}` };
}

const sentences: Readonly<Record<VersionEnd, string>> = {
  Left: 'the policy is not in force any more',
  Replaced: 'a new version of the policy came into force',
  Retargeted: 'the policy has another target now',
  Intervened: 'an intervention began or ended meanwhile',
};

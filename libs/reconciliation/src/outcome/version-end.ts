import { canonicalJson } from '#kernel';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { PassOutcome } from './pass-outcome.ts';

/**
 * How what a pass works with ends: the policy is not in force any more, has another version, or has another target, or
 * an intervention for it began or ended, or this process may not write for it any more.
 */
export type VersionEnd = 'Left' | 'Replaced' | 'Retargeted' | 'Intervened' | 'NotHeld';

/** Whether two versions of a policy say the same. A file that moved, or a commit that left it alone, changes nothing. */
export function isSameVersion(left: ActivePolicy, right: ActivePolicy): boolean {
  if (left === right || left.policy === right.policy) return true;
  return canonicalJson(left.document) === canonicalJson(right.document);
}

/** Why a write was not sent, or not sent again: code of a `ScalingFailure` or `ActuationOutcome`. */
export function endedFailure(end: VersionEnd): {
  readonly code: EndReason;
  readonly message: string;
  readonly retryable: true;
} {
  return { code: reasonOf(end), message: `not sent: ${sentences[end]}`, retryable: true };
}

/** What a pass comes to whose version ended before its decision was recorded or carried out. */
export function endedOutcome(end: VersionEnd): PassOutcome {
  return { kind: 'Waiting', reason: reasonOf(end), message: `nothing is written: ${sentences[end]}` };
}

type EndReason = 'PolicyChanged' | 'ShardNotHeld';

function reasonOf(end: VersionEnd): EndReason {
  return end === 'NotHeld' ? 'ShardNotHeld' : 'PolicyChanged';
}

/** Whether a write failed since the version of its pass had ended. */
export function isEndReason(code: string): code is EndReason {
  return code === 'PolicyChanged' || code === 'ShardNotHeld';
}

const sentences: Readonly<Record<VersionEnd, string>> = {
  Left: 'the policy is not in force any more',
  Replaced: 'a new version of the policy came into force',
  Retargeted: 'the policy has another target now',
  Intervened: 'an intervention began or ended meanwhile',
  NotHeld: 'this process may not write for the policy any more; the process that takes its shard looks again',
};

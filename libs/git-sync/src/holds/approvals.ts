import { AdapterError, type JsonObject, withoutUndefined } from '#kernel';
import type { LeaveTarget } from '#reconciliation';
import type { HoldCause, HoldEffect, HoldScope } from '#repository';

/** Who decided, when and why. */
export interface OperatorDecision extends Requester {
  /** What is approved or rejected. */
  readonly digest: string;
  readonly reason: string;
  /** RFC 3339. */
  readonly time: string;
}

/** A hold as it is stored. */
export interface Hold {
  readonly scope: HoldScope;
  readonly causes: readonly HoldCause[];
  /** What would change if nothing else held it; absent: an earlier release stored it. */
  readonly effect?: HoldEffect;
  /** Of the resulting policy set and the causes: an approval is for exactly this. */
  readonly digest: string;
  readonly commit: string;
  /** RFC 3339. */
  readonly since: string;
  /** It was rejected, and stays held until another commit replaces it, or another person than the rejecter approves it. */
  readonly isRejected: boolean;
  /** By whom, why and when; absent: it was not, or by a release that did not keep it here. */
  readonly rejection?: Rejection;
  /** What its digest is once its unverified commits are accepted; absent where nothing else holds it. */
  readonly digestOnceAccepted?: string;
}

/** Who rejected a hold, why and when. */
type Rejection = Pick<OperatorDecision, 'by' | 'reason' | 'time'>;

/** Who asked for something, or decided it. Absent is unknown. */
export interface Requester {
  readonly by: string;
  readonly email?: string;
  readonly forgeLogin?: string;
}

/** The end of a rollback, or a release that was taken back: by whom, when and why. */
export interface Resumption extends Requester {
  /** Absent like `time`: a release before this one did not store it. */
  readonly reason?: string;
  /** RFC 3339. */
  readonly time?: string;
}

/** A rollback: to which commit, by whom, when and why. */
export interface Pin extends Requester {
  readonly commit: string;
  readonly reason: string;
  /** RFC 3339. */
  readonly time: string;
}

/** A policy that was released by name: by whom, when and why. */
export interface Release extends Requester {
  readonly policy: string;
  readonly reason: string;
  /** RFC 3339. */
  readonly time: string;
  /** The tenant that it was in force in; absent: it was not in force, or a release before this one did not store it. */
  readonly tenant?: string;
  /** The commits that were in force then: those after them may have changed the policy. Absent like `tenant`. */
  readonly since?: readonly string[];
  /** What carries its target on, where everything was released; absent: it was released by its name. */
  readonly leavesTo?: LeaveTarget;
}

/**
 * The last revision that came into force by following the ref. What a rollback put into force instead is no place to count
 * from: the commits between the two would be judged by the one who resumes alone.
 */
export interface FollowedRevision {
  readonly commit: string;
  /** By tenant, for those that have not advanced since the rollback. */
  readonly tenants: Readonly<Record<string, string>>;
  /** Null while the source is rolled back. */
  readonly resumedBy: Resumption | null;
}

/** An approval by which commits without a signature were accepted. */
interface Acceptance extends OperatorDecision {
  readonly commits: readonly string[];
}

/** A source's approvals: what is held, approved, rejected, accepted, pinned and released. */
export interface Approvals {
  readonly holds: readonly Hold[];
  readonly approvals: readonly OperatorDecision[];
  readonly rejections: readonly OperatorDecision[];
  /** Commits whose missing signature an approver accepted. */
  readonly acceptedCommits: readonly string[];
  /** Who accepted them; of those that a release before this one accepted it is not known. */
  readonly acceptances: readonly Acceptance[];
  /** The revision that the source was rolled back to, and where it stays until it is resumed. */
  readonly pin: Pin | null;
  /** What of a rollback awaits approval; none where it came into force whole. */
  readonly rollbackHolds: readonly Hold[];
  /** A rollback that is recorded and not carried out yet, which the next look does; null: none is. */
  readonly requestedRollback: Pin | null;
  /** Null: what is in force came by following the ref. */
  readonly followed: FollowedRevision | null;
  /** Policies that were released by name. */
  readonly released: readonly Release[];
  /** Policies whose release was taken back, and that are not in force again yet: by whom that was, when and why. */
  readonly returning: readonly Release[];
  /** The newest commit that was verified and activated. */
  readonly verified: string | null;
}

/** Of a source on which nothing was decided yet. */
export const noApprovals: Approvals = {
  holds: [],
  approvals: [],
  rejections: [],
  acceptedCommits: [],
  acceptances: [],
  pin: null,
  rollbackHolds: [],
  requestedRollback: null,
  followed: null,
  released: [],
  returning: [],
  verified: null,
};

/** Decisions on revisions long gone are of no use. */
const maximumDecisions = 1_000;

/** They tell who accepted a commit until it is in force; each names as many commits as its hold. */
const maximumAcceptances = 100;

/** A release is a way out for single policies, and stays in the state of its source. */
const maximumReleases = 10_000;

/** What a hold says of its rejection, if there was one. */
export function rejectedBy(decision: Rejection | undefined): Pick<Hold, 'isRejected' | 'rejection'> {
  if (decision === undefined) return { isRejected: false };
  const { by, reason, time } = decision;
  return { isRejected: true, rejection: { by, reason, time } };
}

/** Everything that waits for a person, and what one has rejected. */
export function holdsOf({ holds, rollbackHolds }: Approvals): readonly Hold[] {
  return [...holds, ...rollbackHolds];
}

/** The hold of that digest, if it still waits. */
export function findHold(approvals: Approvals, digest: string): Hold | undefined {
  return holdsOf(approvals).find((hold) => hold.digest === digest);
}

/** Approves exactly what a hold names. */
export function withApproval(approvals: Approvals, decision: OperatorDecision): Approvals {
  const hold = findHold(approvals, decision.digest);
  const unverified =
    hold?.causes.filter(({ code }) => code === 'Unverified').flatMap(({ items }) => items) ?? [];
  const accepted = hold?.digestOnceAccepted;
  const approved = [decision, ...(accepted === undefined ? [] : [{ ...decision, digest: accepted }])];
  return {
    ...approvals,
    approvals: [...approvals.approvals, ...approved].slice(-maximumDecisions),
    rejections: approvals.rejections.filter(({ digest }) => digest !== decision.digest),
    acceptedCommits: [...approvals.acceptedCommits, ...unverified].slice(-maximumDecisions),
    acceptances:
      unverified.length === 0
        ? approvals.acceptances
        : [...approvals.acceptances, { ...decision, commits: unverified }].slice(-maximumAcceptances),
  };
}

/** Rejects a hold: it stays held, and what is in force stays. */
export function withRejection(approvals: Approvals, decision: OperatorDecision): Approvals {
  const reject = (hold: Hold): Hold =>
    hold.digest === decision.digest ? { ...hold, ...rejectedBy(decision) } : hold;
  return {
    ...approvals,
    approvals: approvals.approvals.filter(({ digest }) => digest !== decision.digest),
    rejections: [...approvals.rejections, decision].slice(-maximumDecisions),
    holds: approvals.holds.map(reject),
    rollbackHolds: approvals.rollbackHolds.map(reject),
  };
}

/**
 * Takes policies out of force until their releases are taken back. Where one is released again before it came back, what
 * was in force at first counts.
 *
 * @throws AdapterError where too many are released.
 */
export function withReleases(approvals: Approvals, releases: readonly Release[]): Approvals {
  const again = new Set(releases.map(({ policy }) => policy));
  const isOther = ({ policy }: Release): boolean => !again.has(policy);
  const released = approvals.released.filter(isOther);
  if (released.length + releases.length > maximumReleases) {
    throw new AdapterError({
      code: 'TooManyReleases',
      message: `${released.length} policies are released already, of ${maximumReleases}; delete their documents, and take the releases back`,
      retryable: false,
    });
  }
  const before = new Map(
    [...approvals.returning, ...approvals.released].map((release) => [release.policy, release]),
  );
  return {
    ...approvals,
    released: [...released, ...releases.map((release) => recordedRelease(release, before))],
    returning: approvals.returning.filter(isOther),
  };
}

function recordedRelease(release: Release, before: ReadonlyMap<string, Release>): Release {
  const { policy, reason, time, leavesTo } = release;
  const { tenant, since } = before.get(policy) ?? release;
  return {
    policy,
    ...requesterOf(release),
    reason,
    time,
    ...withoutUndefined({ tenant, since, leavesTo }),
  };
}

/** Takes back the release of a policy: its document is judged as one that comes in. */
export function withReturn(
  approvals: Approvals,
  policy: string,
  resumption: Required<Pick<Resumption, 'reason' | 'time'>> & Requester,
): Approvals {
  const release = approvals.released.find((known) => known.policy === policy);
  if (release === undefined) return approvals;
  const { reason, time } = resumption;
  const others = approvals.returning.filter((known) => known.policy !== policy);
  return {
    ...approvals,
    released: approvals.released.filter((known) => known !== release),
    returning: [...others, { ...release, ...requesterOf(resumption), reason, time }].slice(-maximumReleases),
  };
}

/** Ends a rollback, and takes back what of it awaits approval. */
export function withoutPin(approvals: Approvals, resumption: Resumption): Approvals {
  const { followed } = approvals;
  const { reason, time } = resumption;
  const resumedBy = { ...requesterOf(resumption), ...withoutUndefined({ reason, time }) };
  return {
    ...approvals,
    pin: null,
    rollbackHolds: [],
    requestedRollback: null,
    followed: followed === null ? null : { ...followed, resumedBy },
  };
}

/** The requester alone, of what has other fields as well. */
export function requesterOf({ by, email, forgeLogin }: Requester): Requester {
  return {
    by,
    ...(email === undefined ? {} : { email }),
    ...(forgeLogin === undefined ? {} : { forgeLogin }),
  };
}

/** Approvals as they are stored. */
export function approvalsRecord(approvals: Approvals): JsonObject {
  return JSON.parse(JSON.stringify(approvals)) as JsonObject;
}

/** Approvals as they were stored; what an older release did not know is empty. */
export function restoreApprovals(record: JsonObject): Approvals {
  return { ...noApprovals, ...(record as unknown as Partial<Approvals>) };
}

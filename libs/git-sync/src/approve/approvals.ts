import { AdapterError, type JsonObject } from '#kernel';
import type { HoldCause, HoldScope, ProposedHold } from '#repository';

/** Who decided, when and why. */
export interface OperatorDecision {
  /** What is approved or rejected. */
  readonly digest: string;
  readonly by: string;
  readonly reason: string;
  /** RFC 3339. */
  readonly time: string;
}

/** A hold as it is kept. */
export interface Hold {
  readonly scope: HoldScope;
  readonly causes: readonly HoldCause[];
  /** Of the resulting policy set and the causes: an approval is for exactly this. */
  readonly digest: string;
  readonly commit: string;
  /** RFC 3339. */
  readonly since: string;
  /** Somebody said no; it stays held until another commit replaces it. */
  readonly isRejected: boolean;
  /** What its digest is once its unverified commits are accepted; absent where nothing else holds it. */
  readonly digestOnceAccepted?: string;
}

/** A rollback: to which commit, by whom, when and why. */
export type Pin = Omit<OperatorDecision, 'digest'> & { readonly commit: string };

/** A source's approvals: what is held, approved, rejected, accepted, pinned and released. */
export interface Approvals {
  readonly holds: readonly Hold[];
  readonly approvals: readonly OperatorDecision[];
  readonly rejections: readonly OperatorDecision[];
  /** Commits whose missing signature an approver accepted. */
  readonly acceptedCommits: readonly string[];
  /** The revision that the source was rolled back to; it stays there until it is released. */
  readonly pin: Pin | null;
  /** What of a rollback waits for a person; none where it came in force whole. */
  readonly rollbackHolds: readonly Hold[];
  /** Policies that were released by name. */
  readonly released: readonly (Omit<OperatorDecision, 'digest'> & { readonly policy: string })[];
  /** The newest commit that was verified and activated. */
  readonly verified: string | null;
}

/** A source that nobody has ever holds. */
export const noApprovals: Approvals = {
  holds: [],
  approvals: [],
  rejections: [],
  acceptedCommits: [],
  pin: null,
  rollbackHolds: [],
  released: [],
  verified: null,
};

/** Verdicts on revisions long gone are of no use. */
const maximumDecisions = 1_000;

/** A release is a way out for single policies, and stays in the state of its source. */
const maximumReleases = 10_000;

/** What the approvals make of proposed holds. */
export interface ResolvedHolds {
  /** Those that nobody has approved. */
  readonly open: readonly Hold[];
  readonly isSourceHeld: boolean;
  readonly heldTenants: ReadonlySet<string>;
  /** What was proposed, approved or not, and would be the result. */
  readonly proposed: readonly { readonly hold: Hold; readonly result: string }[];
}

/** When and by what holds are proposed. */
export interface HoldMoment {
  readonly commit: string;
  /** RFC 3339. */
  readonly time: string;
  /** A stable name for a text; SHA-256 in hex. */
  readonly digest: (text: string) => string;
}

/** Compares proposed holds with what was decided before. The same digest keeps its hold and its decision. */
export function resolveHolds(
  approvals: Approvals,
  proposed: readonly ProposedHold[],
  moment: HoldMoment,
): ResolvedHolds {
  const holds = proposed.map((hold) => holdOf(approvals, hold, moment));
  const approved = new Set(approvals.approvals.map(({ digest }) => digest));
  const open = holds.filter(({ digest }) => !approved.has(digest));
  return {
    open,
    proposed: holds.map((hold, index) => ({ hold, result: proposed[index]?.result ?? '' })),
    isSourceHeld: open.some(({ scope }) => scope.kind === 'Source'),
    heldTenants: new Set(open.flatMap(({ scope }) => (scope.kind === 'Tenant' ? [scope.tenant] : []))),
  };
}

function holdOf(approvals: Approvals, { scope, causes, result }: ProposedHold, moment: HoldMoment): Hold {
  const digestOf = (some: readonly HoldCause[]): string =>
    moment.digest(JSON.stringify([scope, some.map(causeName).sort(), result]));
  const digest = digestOf(causes);
  const others = causes.filter(({ code }) => code !== 'Unverified');
  const isMixed = others.length > 0 && others.length < causes.length;
  return {
    scope,
    causes,
    digest,
    commit: moment.commit,
    since: findHold(approvals, digest)?.since ?? moment.time,
    isRejected: approvals.rejections.some((rejection) => rejection.digest === digest),
    ...(isMixed ? { digestOnceAccepted: digestOf(others) } : {}),
  };
}

/** What is accepted of an unverified commit is its hash; other causes are the same whichever commit brings them. */
function causeName({ code, items }: HoldCause): string {
  return code === 'Unverified' ? `${code} ${items.join(' ')}` : code;
}

/** Everything that waits for a person. */
export function holdsOf({ holds, rollbackHolds }: Approvals): readonly Hold[] {
  return [...holds, ...rollbackHolds];
}

/** The hold of that digest, if it still waits. */
export function findHold(approvals: Approvals, digest: string): Hold | undefined {
  return holdsOf(approvals).find((hold) => hold.digest === digest);
}

/**
 * Brakes after a commit was judged: its holds replace those before. A decision is for the hold that it was given on: once
 * what was held is in force, or is proposed no more, it says nothing about another day's commit of the same result.
 */
export function afterJudgement(
  approvals: Approvals,
  { open, proposed }: ResolvedHolds,
  resultOfScope: (scope: HoldScope) => string,
): Pick<Approvals, 'holds' | 'approvals' | 'rejections'> {
  const standing = new Set(
    proposed
      .filter(({ hold, result }) => open.includes(hold) || resultOfScope(hold.scope) !== result)
      .map(({ hold }) => hold.digest),
  );
  return {
    holds: open,
    approvals: approvals.approvals.filter(({ digest }) => standing.has(digest)),
    rejections: approvals.rejections.filter(({ digest }) => standing.has(digest)),
  };
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
  };
}

/** Says no: it stays held, and what is in force stays. */
export function withRejection(approvals: Approvals, decision: OperatorDecision): Approvals {
  const reject = (hold: Hold): Hold =>
    hold.digest === decision.digest ? { ...hold, isRejected: true } : hold;
  return {
    ...approvals,
    approvals: approvals.approvals.filter(({ digest }) => digest !== decision.digest),
    rejections: [...approvals.rejections, decision].slice(-maximumDecisions),
    holds: approvals.holds.map(reject),
    rollbackHolds: approvals.rollbackHolds.map(reject),
  };
}

/** Takes a policy out of force until it is taken back. Throws `AdapterError` where too many are. */
export function withRelease(approvals: Approvals, release: Approvals['released'][number]): Approvals {
  const others = approvals.released.filter(({ policy }) => policy !== release.policy);
  if (others.length < maximumReleases) return { ...approvals, released: [...others, release] };
  throw new AdapterError({
    code: 'TooManyReleases',
    message: `${maximumReleases} policies are released already; delete their documents, and take the releases back`,
    retryable: false,
  });
}

/** Takes back the release of a policy; without one the pin of a rollback, and what of it still waits. */
export function resumed(approvals: Approvals, policy: string | undefined): Approvals {
  if (policy === undefined) return { ...approvals, pin: null, rollbackHolds: [] };
  return { ...approvals, released: approvals.released.filter((known) => known.policy !== policy) };
}

/** Brakes as they are stored. */
export function approvalsRecord(approvals: Approvals): JsonObject {
  return JSON.parse(JSON.stringify(approvals)) as JsonObject;
}

/** Brakes as they were stored; what an older release did not know is empty. */
export function restoreApprovals(record: JsonObject): Approvals {
  return { ...noApprovals, ...(record as unknown as Partial<Approvals>) };
}

import { AdapterError, type JsonObject } from '#kernel';
import type { HoldCause, HoldScope, ProposedHold } from '#repository';

/** Who decided, when and why. */
export interface Verdict {
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
export type Pin = Omit<Verdict, 'digest'> & { readonly commit: string };

/** A source's brakes: what is held, approved, rejected, accepted, pinned and released. */
export interface Brakes {
  readonly holds: readonly Hold[];
  readonly approvals: readonly Verdict[];
  readonly rejections: readonly Verdict[];
  /** Commits whose missing signature an approver accepted. */
  readonly acceptedCommits: readonly string[];
  /** The revision that the source was rolled back to; it stays there until it is released. */
  readonly pin: Pin | null;
  /** What of a rollback waits for a person; none where it came in force whole. */
  readonly rollbackHolds: readonly Hold[];
  /** Policies that were released by name. */
  readonly released: readonly (Omit<Verdict, 'digest'> & { readonly policy: string })[];
  /** The newest commit that was verified and activated. */
  readonly verified: string | null;
}

/** A source that nobody has ever braked. */
export const noBrakes: Brakes = {
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
const maximumVerdicts = 1_000;

/** A release is a way out for single policies, and stays in the state of its source. */
const maximumReleases = 10_000;

/** What the brakes make of proposed holds. */
export interface BrakedHolds {
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

/** Compares proposed holds with what was decided before. The same digest keeps its hold and its verdict. */
export function brake(brakes: Brakes, proposed: readonly ProposedHold[], moment: HoldMoment): BrakedHolds {
  const holds = proposed.map((hold) => holdOf(brakes, hold, moment));
  const approved = new Set(brakes.approvals.map(({ digest }) => digest));
  const open = holds.filter(({ digest }) => !approved.has(digest));
  return {
    open,
    proposed: holds.map((hold, index) => ({ hold, result: proposed[index]?.result ?? '' })),
    isSourceHeld: open.some(({ scope }) => scope.kind === 'Source'),
    heldTenants: new Set(open.flatMap(({ scope }) => (scope.kind === 'Tenant' ? [scope.tenant] : []))),
  };
}

function holdOf(brakes: Brakes, { scope, causes, result }: ProposedHold, moment: HoldMoment): Hold {
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
    since: findHold(brakes, digest)?.since ?? moment.time,
    isRejected: brakes.rejections.some((rejection) => rejection.digest === digest),
    ...(isMixed ? { digestOnceAccepted: digestOf(others) } : {}),
  };
}

/** What is accepted of an unverified commit is its hash; other causes are the same whichever commit brings them. */
function causeName({ code, items }: HoldCause): string {
  return code === 'Unverified' ? `${code} ${items.join(' ')}` : code;
}

/** Everything that waits for a person. */
export function holdsOf({ holds, rollbackHolds }: Brakes): readonly Hold[] {
  return [...holds, ...rollbackHolds];
}

/** The hold of that digest, if it still waits. */
export function findHold(brakes: Brakes, digest: string): Hold | undefined {
  return holdsOf(brakes).find((hold) => hold.digest === digest);
}

/**
 * Brakes after a commit was judged: its holds replace those before. A verdict is for the hold that it was given on: once
 * what was held is in force, or is proposed no more, it says nothing about another day's commit of the same result.
 */
export function afterJudgement(
  brakes: Brakes,
  { open, proposed }: BrakedHolds,
  resultOfScope: (scope: HoldScope) => string,
): Pick<Brakes, 'holds' | 'approvals' | 'rejections'> {
  const standing = new Set(
    proposed
      .filter(({ hold, result }) => open.includes(hold) || resultOfScope(hold.scope) !== result)
      .map(({ hold }) => hold.digest),
  );
  return {
    holds: open,
    approvals: brakes.approvals.filter(({ digest }) => standing.has(digest)),
    rejections: brakes.rejections.filter(({ digest }) => standing.has(digest)),
  };
}

/** Approves exactly what a hold names. */
export function withApproval(brakes: Brakes, verdict: Verdict): Brakes {
  const hold = findHold(brakes, verdict.digest);
  const unverified =
    hold?.causes.filter(({ code }) => code === 'Unverified').flatMap(({ items }) => items) ?? [];
  const accepted = hold?.digestOnceAccepted;
  const approved = [verdict, ...(accepted === undefined ? [] : [{ ...verdict, digest: accepted }])];
  return {
    ...brakes,
    approvals: [...brakes.approvals, ...approved].slice(-maximumVerdicts),
    rejections: brakes.rejections.filter(({ digest }) => digest !== verdict.digest),
    acceptedCommits: [...brakes.acceptedCommits, ...unverified].slice(-maximumVerdicts),
  };
}

/** Says no: it stays held, and what is in force stays. */
export function withRejection(brakes: Brakes, verdict: Verdict): Brakes {
  const reject = (hold: Hold): Hold =>
    hold.digest === verdict.digest ? { ...hold, isRejected: true } : hold;
  return {
    ...brakes,
    approvals: brakes.approvals.filter(({ digest }) => digest !== verdict.digest),
    rejections: [...brakes.rejections, verdict].slice(-maximumVerdicts),
    holds: brakes.holds.map(reject),
    rollbackHolds: brakes.rollbackHolds.map(reject),
  };
}

/** Takes a policy out of force until it is taken back. Throws `AdapterError` where too many are. */
export function withRelease(brakes: Brakes, release: Brakes['released'][number]): Brakes {
  const others = brakes.released.filter(({ policy }) => policy !== release.policy);
  if (others.length < maximumReleases) return { ...brakes, released: [...others, release] };
  throw new AdapterError({
    code: 'TooManyReleases',
    message: `${maximumReleases} policies are released already; delete their documents, and take the releases back`,
    retryable: false,
  });
}

/** Takes back the release of a policy; without one the pin of a rollback, and what of it still waits. */
export function resumed(brakes: Brakes, policy: string | undefined): Brakes {
  if (policy === undefined) return { ...brakes, pin: null, rollbackHolds: [] };
  return { ...brakes, released: brakes.released.filter((known) => known.policy !== policy) };
}

/** Brakes as they are stored. */
export function brakesRecord(brakes: Brakes): JsonObject {
  return JSON.parse(JSON.stringify(brakes)) as JsonObject;
}

/** Brakes as they were stored; what an older release did not know is empty. */
export function restoreBrakes(record: JsonObject): Brakes {
  return { ...noBrakes, ...(record as unknown as Partial<Brakes>) };
}

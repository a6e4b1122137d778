import type { JsonObject } from '#kernel';
import type { HoldCause, HoldScope, ProposedHold } from '#policy';

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
}

/** A source's brakes: what is held, approved, rejected, accepted, pinned and released. */
export interface Brakes {
  readonly holds: readonly Hold[];
  readonly approvals: readonly Verdict[];
  readonly rejections: readonly Verdict[];
  /** Commits whose missing signature an approver accepted. */
  readonly acceptedCommits: readonly string[];
  /** The revision that the source was rolled back to; it stays there until it is released. */
  readonly pin: (Omit<Verdict, 'digest'> & { readonly commit: string }) | null;
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
  released: [],
  verified: null,
};

/** Verdicts on revisions long gone are of no use. */
const maximumVerdicts = 1_000;

/** What the brakes make of proposed holds. */
export interface BrakedHolds {
  /** Those that nobody has approved. */
  readonly open: readonly Hold[];
  readonly isSourceHeld: boolean;
  readonly heldTenants: ReadonlySet<string>;
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
  const open = proposed
    .map((hold) => holdOf(brakes, hold, moment))
    .filter(({ digest }) => !brakes.approvals.some((approval) => approval.digest === digest));
  return {
    open,
    isSourceHeld: open.some(({ scope }) => scope.kind === 'Source'),
    heldTenants: new Set(open.flatMap(({ scope }) => (scope.kind === 'Tenant' ? [scope.tenant] : []))),
  };
}

function holdOf(brakes: Brakes, { scope, causes, result }: ProposedHold, moment: HoldMoment): Hold {
  const codes = causes.map(({ code }) => code).sort();
  const digest = moment.digest(JSON.stringify([scope, codes, result]));
  const known = brakes.holds.find((hold) => hold.digest === digest);
  const isRejected = brakes.rejections.some((rejection) => rejection.digest === digest);
  return { scope, causes, digest, commit: moment.commit, since: known?.since ?? moment.time, isRejected };
}

/** Approves exactly what a hold names. */
export function withApproval(brakes: Brakes, verdict: Verdict): Brakes {
  const hold = brakes.holds.find(({ digest }) => digest === verdict.digest);
  const unverified =
    hold?.causes.filter(({ code }) => code === 'Unverified').flatMap(({ items }) => items) ?? [];
  return {
    ...brakes,
    approvals: [...brakes.approvals, verdict].slice(-maximumVerdicts),
    rejections: brakes.rejections.filter(({ digest }) => digest !== verdict.digest),
    acceptedCommits: [...brakes.acceptedCommits, ...unverified].slice(-maximumVerdicts),
  };
}

/** Says no: it stays held, and what is in force stays. */
export function withRejection(brakes: Brakes, verdict: Verdict): Brakes {
  return {
    ...brakes,
    approvals: brakes.approvals.filter(({ digest }) => digest !== verdict.digest),
    rejections: [...brakes.rejections, verdict].slice(-maximumVerdicts),
    holds: brakes.holds.map((hold) =>
      hold.digest === verdict.digest ? { ...hold, isRejected: true } : hold,
    ),
  };
}

/** Brakes as they are stored. */
export function brakesRecord(brakes: Brakes): JsonObject {
  return JSON.parse(JSON.stringify(brakes)) as JsonObject;
}

/** Brakes as they were stored; what an older release did not know is empty. */
export function restoreBrakes(record: JsonObject): Brakes {
  return { ...noBrakes, ...(record as unknown as Partial<Brakes>) };
}

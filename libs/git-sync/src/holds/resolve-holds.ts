import type { HoldCause, HoldScope, ProposedHold } from '#repository';
import { type Approvals, findHold, type Hold, rejectedBy } from './approvals.ts';

/** Proposed holds, compared with what was decided. */
export interface ResolvedHolds {
  /** Those that are not approved. */
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

function holdOf(
  approvals: Approvals,
  { scope, causes, effect, result }: ProposedHold,
  moment: HoldMoment,
): Hold {
  const digestOf = (some: readonly HoldCause[]): string =>
    moment.digest(JSON.stringify([scope, some.map(causeName).sort(), result]));
  const digest = digestOf(causes);
  const others = causes.filter(({ code }) => code !== 'Unverified');
  const isMixed = others.length > 0 && others.length < causes.length;
  const rejection = approvals.rejections.findLast((decision) => decision.digest === digest);
  return {
    scope,
    causes,
    effect,
    digest,
    commit: moment.commit,
    since: findHold(approvals, digest)?.since ?? moment.time,
    ...rejectedBy(rejection),
    ...(isMixed ? { digestOnceAccepted: digestOf(others) } : {}),
  };
}

/** What is accepted of an unverified commit is its hash; other causes are the same whichever commit brings them. */
function causeName({ code, items }: HoldCause): string {
  return code === 'Unverified' ? `${code} ${items.join(' ')}` : code;
}

/**
 * The approvals after a commit was judged: its holds replace those before. A decision is for the hold that it was given
 * on: once what was held is in force, or is no longer proposed, it says nothing about a later commit of the same result.
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

import {
  type Election,
  expiredHolders,
  mayWrite,
  observeLease,
  openElection,
  planAttempt,
  type ScopeEvent,
  type ScopePhase,
  type StoredLease,
} from '#coordination';
import { Holder, Phase } from './model-state.ts';

/** In ticks; as client-go's 15, 10 and 2 s, as near as whole ticks come. */
export const terms = {
  leaseDurationMilliseconds: 3,
  renewDeadlineMilliseconds: 2,
  retryPeriodMilliseconds: 1,
};
export const longestAge = terms.leaseDurationMilliseconds;

/** By who holds the Lease and the age of what was seen of it. */
export const victories = [Holder.None, Holder.A, Holder.B, Holder.Gone, Holder.Absent].map((holder) =>
  Array.from({ length: longestAge + 1 }, (_, age) => {
    const seen = observeLease(openElection('scope', 'own'), leaseOf(holder, 'other'), -age);
    const attempt = planAttempt(seen, { now: 0, time: '', terms, advertisedUrl: null });
    if (attempt === null) return null;
    return expiredHolders(seen, attempt).length === 0 ? 'Win' : 'Override';
  }),
);

/** What a holder's attempt to renew comes to, where it holds the Lease (A), another does (B), or there is none, by age. */
export const renewals = [Holder.None, Holder.A, Holder.B, Holder.Gone, Holder.Absent].map((holder) =>
  Array.from({ length: terms.renewDeadlineMilliseconds + 1 }, (_, age) => {
    const own: Election = { ...openElection('scope', 'own'), held: { renewedAt: -age, victory: 'Free' } };
    const seen = observeLease(own, leaseOf(holder, holder === Holder.A ? 'own' : 'other'), 0);
    if (seen.held === null) return 'Lost';
    return planAttempt(seen, { now: 0, time: '', terms, advertisedUrl: null }) === null ? 'Late' : 'Renewed';
  }),
);

export const rights = [0, 1, 2].map((lease) =>
  [0, 1, 2].map((fence) => mayWrite({ lease: -lease, fence: -fence }, 0, terms)),
);

function leaseOf(holder: number, identity: string): StoredLease | null {
  if (holder === Holder.Absent) return null;
  const record = {
    holder: holder === Holder.None ? null : identity,
    durationMilliseconds: terms.leaseDurationMilliseconds,
    acquireTime: null,
    renewTime: null,
    transitions: 0,
    advertisedUrl: null,
    takesShards: true,
    reachesDatabase: true,
    version: null,
    settings: null,
  };
  return { name: 'scope', uid: 'uid', resourceVersion: '1', record };
}

const scopePhases: readonly ScopePhase[] = [
  'Waiting',
  'Elected',
  'Fenced',
  ...Array.from({ length: Phase.Leaving - Phase.InDoubt }, () => 'Held' as const),
  'Leaving',
  'GivenUp',
];

/** Steps of the model that are steps of a scope: which, and where they lead. */
export const scopeSteps: readonly {
  readonly from: ScopePhase;
  readonly event: ScopeEvent;
  readonly to: ScopePhase | null;
}[] = (
  [
    [Phase.Waiting, 'Elect', Phase.Elected],
    [Phase.Elected, 'Fence', Phase.Fenced],
    [Phase.Elected, 'Leave', Phase.GivenUp],
    [Phase.Fenced, 'Restore', Phase.Watching],
    [Phase.Fenced, 'Leave', Phase.Leaving],
    [Phase.Watching, 'Leave', Phase.Leaving],
    [Phase.Leaving, 'GiveUp', Phase.GivenUp],
    [Phase.GivenUp, 'Release', Phase.Waiting],
    [Phase.Sent, 'Lose', Phase.Waiting],
  ] as const
).map(([from, event, to]) => ({ from: scopePhases[from]!, event, to: scopePhases[to]! }));

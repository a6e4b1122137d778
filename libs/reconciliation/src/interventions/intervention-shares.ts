import { type InterventionScope, scopeName, type StandingIntervention } from '#ledger';
import { isByFleetBrake } from './intervention-scope.ts';

/**
 * Interventions that may stand at a time, so that nobody takes the places of all others: they are looked through in every
 * pass, and read by people. The cluster has the places of its scope alone, and the fleet brake takes none.
 */
export const interventionLimits = {
  /** Of one scope, such as a policy. Who may begin one of it may end those that stand. */
  scope: 10,
  /** Of all policies of one namespace. */
  namespace: 100,
  /** Of one person, whichever token they use: the last ones are kept for wider scopes. */
  person: { Policy: 90, Namespace: 100, Source: 100, MetricSource: 100 },
  /** Of all people: the wider a scope, the more may stand when one of it begins. */
  all: { Policy: 800, Namespace: 850, Source: 900, MetricSource: 900 },
} as const;

/** Whose places are taken, so that an intervention cannot begin. */
export type FullShare = {
  readonly limit: number;
  /** That stand; more than the limit where they began before a build that has it. */
  readonly standing: number;
} & (
  | { readonly of: 'Scope'; readonly scope: InterventionScope }
  | { readonly of: 'Namespace'; readonly namespace: string }
  | { readonly of: 'Person'; readonly person: string; readonly scope: InterventionScope }
  | { readonly of: 'All'; readonly scope: InterventionScope }
);

/** The first share that has no place for an intervention that is to begin; null: it may. Pure. */
export function fullShareOf(
  all: readonly StandingIntervention[],
  begun: StandingIntervention,
): FullShare | null {
  if (isByFleetBrake(begun.intervention)) return null;
  const taken = all.filter(({ intervention }) => !isByFleetBrake(intervention));
  return sharesOf(taken, begun).find(({ standing, limit }) => standing >= limit) ?? null;
}

function sharesOf(taken: readonly StandingIntervention[], begun: StandingIntervention): readonly FullShare[] {
  const { scope } = begun;
  const key = scopeName(scope);
  const ofScope = taken.filter((each) => scopeName(each.scope) === key).length;
  const shares: FullShare[] = [
    { of: 'Scope', scope, limit: interventionLimits.scope, standing: ofScope },
    ...namespaceShare(taken, scope),
  ];
  if (scope.kind === 'Cluster') return shares;
  const narrower = taken.filter((each) => each.scope.kind !== 'Cluster');
  const person = personOf(begun);
  const own = person === null ? 0 : narrower.filter((each) => personOf(each) === person).length;
  return [
    ...shares,
    {
      of: 'Person',
      person: person ?? '',
      scope,
      limit: interventionLimits.person[scope.kind],
      standing: own,
    },
    { of: 'All', scope, limit: interventionLimits.all[scope.kind], standing: narrower.length },
  ];
}

function namespaceShare(
  taken: readonly StandingIntervention[],
  scope: InterventionScope,
): readonly FullShare[] {
  if (scope.kind !== 'Policy') return [];
  const { namespace } = scope;
  const standing = taken.filter(
    (each) => each.scope.kind === 'Policy' && each.scope.namespace === namespace,
  ).length;
  return [{ of: 'Namespace', namespace, limit: interventionLimits.namespace, standing }];
}

/** The person behind an actor: what stands after a `/` is the name of a token of theirs. */
function personOf({ intervention: { actor } }: StandingIntervention): string | null {
  return actor?.split('/')[0] ?? null;
}

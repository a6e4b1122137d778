import type { Intervention } from '#decision';
import type { InterventionScope } from '#ledger';
import type { EffectivePolicy } from '#policy';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { metricSourcesOf } from '../policies/metric-sources.ts';

/** What of a policy says which interventions are for it. */
interface ScopedPolicy {
  readonly policy: Pick<EffectivePolicy, 'namespace' | 'name' | 'metrics' | 'recommender'>;
  readonly origin: Pick<ActivePolicy['origin'], 'source'>;
}

/** Whether an intervention of that scope is for a policy. */
export function isInScope(scope: InterventionScope, { policy, origin }: ScopedPolicy): boolean {
  switch (scope.kind) {
    case 'Policy':
      return scope.namespace === policy.namespace && scope.name === policy.name;
    case 'Namespace':
      return scope.namespace === policy.namespace;
    case 'Source':
      return scope.source === origin.source;
    case 'MetricSource':
      return metricSourcesOf(policy).includes(scope.metricSource);
    case 'Cluster':
      return true;
  }
}

/** The scopes of interventions that are for a policy. */
export function scopesOf({ policy, origin }: ScopedPolicy): readonly InterventionScope[] {
  const { namespace, name } = policy;
  const metricSources = [...new Set(metricSourcesOf(policy))];
  return [
    { kind: 'Policy', namespace, name },
    { kind: 'Namespace', namespace },
    { kind: 'Source', source: origin.source },
    ...metricSources.map((metricSource) => ({ kind: 'MetricSource', metricSource }) as const),
    { kind: 'Cluster' },
  ];
}

/**
 * Whether an intervention of that kind can act on a policy. The native controller goes on scaling whatever Plimsoll writes
 * or not, so a dry run of a policy that is rendered would stop nothing: a suspension does.
 */
export function mayActOn(
  { actuation }: Pick<EffectivePolicy, 'actuation'>,
  kind: Intervention['kind'],
): boolean {
  return kind !== 'DryRun' || actuation !== 'HorizontalPodAutoscaler';
}

/** The actor of suspensions that the fleet brake begins. */
export const fleetBrakeActor = 'fleet-brake';

/** Whether an intervention is the fleet brake's: it never stops what operators override. */
export function isByFleetBrake({ kind, actor }: Intervention): boolean {
  return kind === 'Suspend' && actor === fleetBrakeActor;
}

import type { AccessNeeds } from '#adapter-kubernetes';
import type { Actuation, EffectivePolicy, MetricSpec } from '#policy';
import type { KindName, ResourceNames } from './resource-names.ts';

/** What the controller may be asked for: named on the command line, or by policies. */
export interface NamedNeeds {
  readonly targets: readonly KindName[];
  readonly actuations: readonly Actuation[];
  readonly selectsByOwner: boolean;
  readonly owners: readonly KindName[];
  readonly metricTypes: readonly MetricSpec['type'][];
  readonly lifecycleObjects: readonly KindName[];
}

/** What a policy needs beside the caches. */
export function needsOfPolicy(policy: EffectivePolicy): NamedNeeds {
  const { target, actuation, selectionStrategy, metrics, lifecycle } = policy;
  return {
    targets: [target],
    actuations: [actuation],
    selectsByOwner: selectionStrategy === 'OwnerReference',
    owners: [],
    metricTypes: metrics.map(({ type }) => type),
    lifecycleObjects: lifecycle === undefined ? [] : [lifecycle],
  };
}

/** All of the needs together, every kind by its plural. */
export function accessNeedsOf(
  needs: readonly NamedNeeds[],
  names: ResourceNames,
  rest: Pick<AccessNeeds, 'mode' | 'enforcesOwnerReferences'>,
): AccessNeeds {
  return {
    ...rest,
    targets: needs.flatMap(({ targets }) => targets.map((kind) => names.of(kind))),
    rendersHpas: needs.some(({ actuations }) => actuations.includes('HorizontalPodAutoscaler')),
    selectsByOwner: needs.some(({ selectsByOwner }) => selectsByOwner),
    owners: needs.flatMap(({ owners }) => owners.map((kind) => names.of(kind))),
    metricTypes: new Set(needs.flatMap(({ metricTypes }) => metricTypes)),
    lifecycleObjects: needs.flatMap(({ lifecycleObjects }) => lifecycleObjects.map((kind) => names.of(kind))),
  };
}

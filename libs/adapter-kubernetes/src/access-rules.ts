import type { MetricSpec } from '#policy';
import type { ResourceName } from './kubernetes.ts';

/** What a controller is to do in a namespace, or in all of them. */
export interface AccessNeeds {
  /** `Observe` needs no verb that writes. */
  readonly mode: 'Observe' | 'Act';
  /** Kinds that policies scale. */
  readonly targets: readonly ResourceName[];
  /** Whether a policy is rendered into a HorizontalPodAutoscaler. */
  readonly rendersHpas: boolean;
  /** Whether a policy selects its pods by their owners. */
  readonly selectsByOwner: boolean;
  /** Kinds of owners of pods beside those of Kubernetes itself. */
  readonly owners: readonly ResourceName[];
  readonly metricTypes: ReadonlySet<MetricSpec['type']>;
  /** Kinds that a policy's `lifecycle.blockedBy` names. */
  readonly lifecycleObjects: readonly ResourceName[];
  /** Whether the API server runs the admission plugin `OwnerReferencesPermissionEnforcement`. */
  readonly enforcesOwnerReferences: boolean;
}

/** A rule of a Role or ClusterRole. */
export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Absent: all of them. */
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** What telling one cluster from another needs, in a Role of the namespace `kube-system`. */
export const clusterUidRules: readonly AccessRule[] = [
  { apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'], verbs: ['get'] },
];

/** What recognising callers by tokens of the cluster needs, in a ClusterRole. */
export const reviewRules: readonly AccessRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

/** What electing the holders of shards needs, in a Role where the Leases are. */
export const leaseRules: readonly AccessRule[] = [
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['list', 'create', 'update', 'delete'],
  },
];

interface Grant {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
}

const watched = ['list', 'watch'] as const;

/**
 * The rules that this adapter needs for what a controller is to do, and nothing beyond them: one for all resources of a
 * group that have the same verbs, in the order of their names. Secrets are never among them.
 */
export function accessRules(needs: AccessNeeds): readonly AccessRule[] {
  const grants = [
    ...watchedGrants,
    ...targetGrants(needs),
    ...ownerGrants(needs),
    ...metricGrants(needs),
    ...needs.lifecycleObjects.filter(isNoSecret).map((name) => grant(name, ['get'])),
    ...writeGrants(needs),
  ];
  return rulesOf(grants);
}

/** What the caches hold: each of them is listed at the start, whatever the policies are. */
const watchedGrants: readonly Grant[] = [
  { group: '', resource: 'pods', verbs: watched },
  { group: 'apps', resource: 'deployments', verbs: watched },
  { group: 'apps', resource: 'replicasets', verbs: watched },
  { group: 'apps', resource: 'statefulsets', verbs: watched },
  { group: 'batch', resource: 'jobs', verbs: watched },
  { group: 'autoscaling', resource: 'horizontalpodautoscalers', verbs: watched },
  // Competing autoscalers, watched where the cluster has their kinds.
  { group: 'datadoghq.com', resource: 'watermarkpodautoscalers', verbs: watched },
  { group: 'keda.sh', resource: 'scaledobjects', verbs: watched },
];

/** A scale is read with the object's metadata, which says who wrote its count; kinds that are no cache's are watched. */
function targetGrants({ targets }: AccessNeeds): readonly Grant[] {
  return targets.flatMap((target) => [
    grant(target, ['get', ...watched]),
    grant({ ...target, resource: `${target.resource}/scale` }, ['get']),
  ]);
}

/** Owners of Kubernetes' own kinds that pods of a selector have: one that a cache does not know is read. */
const builtInOwners: readonly ResourceName[] = [
  { group: '', resource: 'replicationcontrollers' },
  { group: 'apps', resource: 'daemonsets' },
  { group: 'apps', resource: 'deployments' },
  { group: 'apps', resource: 'replicasets' },
  { group: 'apps', resource: 'statefulsets' },
  { group: 'batch', resource: 'cronjobs' },
  { group: 'batch', resource: 'jobs' },
];

function ownerGrants({ selectsByOwner, owners }: AccessNeeds): readonly Grant[] {
  return selectsByOwner ? [...builtInOwners, ...owners].map((owner) => grant(owner, ['get'])) : [];
}

const metricsApis: Readonly<Record<MetricSpec['type'], Grant | null>> = {
  Resource: { group: 'metrics.k8s.io', resource: 'pods', verbs: ['list'] },
  ContainerResource: { group: 'metrics.k8s.io', resource: 'pods', verbs: ['list'] },
  // A metric of the custom and external metrics APIs is a resource of their own, named for it.
  Pods: { group: 'custom.metrics.k8s.io', resource: '*', verbs: ['get'] },
  Object: { group: 'custom.metrics.k8s.io', resource: '*', verbs: ['get'] },
  External: { group: 'external.metrics.k8s.io', resource: '*', verbs: ['list'] },
  Prometheus: null,
};

function metricGrants({ metricTypes }: AccessNeeds): readonly Grant[] {
  return [...metricTypes].map((type) => metricsApis[type]).filter((found) => found !== null);
}

function writeGrants(needs: AccessNeeds): readonly Grant[] {
  const { mode, targets, rendersHpas, enforcesOwnerReferences } = needs;
  if (mode === 'Observe') return [];
  const subresources = (name: string, verbs: readonly string[]): readonly Grant[] =>
    targets.map(({ group, resource }) => grant({ group, resource: `${resource}/${name}` }, verbs));
  return [
    ...(targets.length === 0 ? [] : [grant({ group: '', resource: 'events' }, ['create', 'patch'])]),
    // A write that was not answered is resolved by an apply that changes the version, and not the count.
    ...subresources('scale', ['update', 'patch']),
    ...(rendersHpas ? [grant(hpas, ['get', 'create', 'update', 'delete'])] : []),
    ...(rendersHpas && enforcesOwnerReferences ? subresources('finalizers', ['update']) : []),
  ];
}

const hpas: ResourceName = { group: 'autoscaling', resource: 'horizontalpodautoscalers' };

function grant({ group, resource }: ResourceName, verbs: readonly string[]): Grant {
  return { group, resource, verbs };
}

function isNoSecret({ group, resource }: ResourceName): boolean {
  return group !== '' || resource !== 'secrets';
}

/** In the order that people write verbs in. */
const verbOrder = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

function rulesOf(grants: readonly Grant[]): readonly AccessRule[] {
  const byResource = Map.groupBy(grants, ({ group, resource }) => `${group}/${resource}`);
  const merged = [...byResource.values()].map((same): Grant => {
    const verbs = new Set(same.flatMap((one) => one.verbs));
    const { group = '', resource = '' } = same[0] ?? {};
    return { group, resource, verbs: verbOrder.filter((verb) => verbs.has(verb)) };
  });
  const byVerbs = Map.groupBy(merged, ({ group, verbs }) => JSON.stringify([group, verbs]));
  return [...byVerbs.values()]
    .map((same): AccessRule => ({
      apiGroups: [same[0]?.group ?? ''],
      resources: same.map(({ resource }) => resource).toSorted(),
      verbs: same[0]?.verbs ?? [],
    }))
    .toSorted((one, other) => compare(orderOf(one), orderOf(other)));
}

function orderOf({ apiGroups, resources }: AccessRule): string {
  return [...apiGroups, ...resources].join(' ');
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

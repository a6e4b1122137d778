import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson, type Json, type JsonObject } from '#kernel';
import { deepEqual } from '../objects/deep-equal.ts';
import {
  controllerReference,
  type KubeObject,
  listAt,
  numberAt,
  objectAt,
  textAt,
  textMapAt,
  toKubeTime,
  valueAt,
  withValueAt,
} from '../objects/kube-object.ts';
import { type Cluster, controlledBy, type Controller, putSpec, putStatus, withoutZeros } from './cluster.ts';

const setsResource = 'apps/replicasets';
const hashLength = 10;

/** Keeps one ReplicaSet a template, and moves replicas from the old ones to the new within surge and unavailability. */
export const deploymentController: Controller = {
  resource: 'apps/deployments',
  reconcile: (deployment, cluster) => {
    if (deployment.metadata.deletionTimestamp !== undefined) return;
    const hash = templateHash(deployment);
    const owned = controlledBy(deployment, setsResource, cluster);
    const present = owned.find((set) => set.metadata.labels?.['pod-template-hash'] === hash);
    const old = owned.filter((set) => set !== present);
    const current = present ?? createSet(deployment, cluster, hash);
    rollOut(deployment, cluster, { current, old });
    writeStatus(deployment, cluster, current.metadata.name);
  },
};

interface Rollout {
  readonly current: KubeObject;
  readonly old: readonly KubeObject[];
}

function rollOut(deployment: KubeObject, cluster: Cluster, rollout: Rollout): void {
  const isRecreate = textAt(deployment, 'spec', 'strategy', 'type') === 'Recreate';
  if (isRecreate) recreate(deployment, cluster, rollout);
  else replaceInSteps(deployment, cluster, rollout);
}

/** First all old pods go, then the new ones come. */
function recreate(deployment: KubeObject, cluster: Cluster, { current, old }: Rollout): void {
  const left = old.reduce((sum, set) => sum + (numberAt(set, 'status', 'replicas') ?? 0), 0);
  for (const set of old) scaleSet(set, cluster, 0);
  if (left === 0) scaleSet(current, cluster, desiredReplicas(deployment));
}

/** Old pods stay until new ones are ready, less what may be unavailable; new ones come as far as the surge allows. */
function replaceInSteps(deployment: KubeObject, cluster: Cluster, { current, old }: Rollout): void {
  const desired = desiredReplicas(deployment);
  const rolling = objectAt(deployment, 'spec', 'strategy', 'rollingUpdate');
  const surge = share(rolling['maxSurge'], desired, Math.ceil);
  const unavailable = Math.max(share(rolling['maxUnavailable'], desired, Math.floor), surge === 0 ? 1 : 0);
  let keep = Math.max(0, desired - unavailable - (numberAt(current, 'status', 'readyReplicas') ?? 0));
  let left = 0;
  for (const set of old) {
    const replicas = Math.min(numberAt(set, 'spec', 'replicas') ?? 0, keep);
    keep -= replicas;
    left += replicas;
    scaleSet(set, cluster, replicas);
  }
  scaleSet(current, cluster, Math.min(desired, Math.max(0, desired + surge - left)));
}

function desiredReplicas(deployment: KubeObject): number {
  return numberAt(deployment, 'spec', 'replicas') ?? 1;
}

function scaleSet(set: KubeObject, cluster: Cluster, replicas: number): void {
  putSpec(set, cluster, { ...objectAt(set, 'spec'), replicas });
}

/** `25%` of the replicas, or a plain number. */
function share(value: Json | undefined, desired: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? round((Number.parseFloat(value) / 100) * desired) : 0;
}

function createSet(deployment: KubeObject, cluster: Cluster, hash: string): KubeObject {
  const { name, namespace } = deployment.metadata;
  const label = { 'pod-template-hash': hash };
  const template = objectAt(deployment, 'spec', 'template');
  const labels = { ...textMapAt(template, 'metadata', 'labels'), ...label };
  const selector = objectAt(deployment, 'spec', 'selector');
  const matchLabels = { ...objectAt(selector, 'matchLabels'), ...label };
  return cluster.store.put(setsResource, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      uid: randomUUID(),
      resourceVersion: '',
      generation: 1,
      creationTimestamp: toKubeTime(cluster.clock.now()),
      labels,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: 0,
      selector: { ...selector, matchLabels },
      template: withValueAt(template, ['metadata', 'labels'], labels),
    },
    status: { replicas: 0 },
  });
}

function writeStatus(deployment: KubeObject, cluster: Cluster, currentName: string): void {
  const sets = controlledBy(deployment, setsResource, cluster);
  const sum = (field: string, of: readonly KubeObject[]): number =>
    of.reduce((total, set) => total + (numberAt(set, 'status', field) ?? 0), 0);
  const ready = sum('readyReplicas', sets);
  const replicas = sum('replicas', sets);
  const desired = desiredReplicas(deployment);
  const updated = sum(
    'replicas',
    sets.filter((set) => set.metadata.name === currentName),
  );
  const counts = {
    replicas,
    updatedReplicas: updated,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, Math.max(desired, replicas) - ready),
  };
  putStatus(deployment, cluster, {
    observedGeneration: deployment.metadata.generation ?? 1,
    ...withoutZeros(counts),
    conditions: conditions(deployment, toKubeTime(cluster.clock.now()), {
      Available: ready >= Math.min(desired, 1),
      Progressing: true,
    }),
  });
}

/** Conditions keep the time of their last transition. */
function conditions(
  deployment: KubeObject,
  now: string,
  states: Readonly<Record<string, boolean>>,
): JsonObject[] {
  const old = listAt(deployment, 'status', 'conditions');
  return Object.entries(states).map(([type, holds]) => {
    const status = holds ? 'True' : 'False';
    const before = old.find((condition) => textAt(condition, 'type') === type);
    const isSame = deepEqual(valueAt(before, 'status'), status);
    const since = isSame ? valueAt(before, 'lastTransitionTime') : now;
    const reason = reasons[type]?.[status] ?? 'Simulated';
    return { type, status, reason, lastUpdateTime: since ?? now, lastTransitionTime: since ?? now };
  });
}

const reasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Available: { True: 'MinimumReplicasAvailable', False: 'MinimumReplicasUnavailable' },
  Progressing: { True: 'NewReplicaSetAvailable' },
};

/** Every write of a Deployment makes one template object at most, so its hash is computed once. */
const hashes = new WeakMap<JsonObject, string>();

function templateHash(deployment: KubeObject): string {
  const template = objectAt(deployment, 'spec', 'template');
  let hash = hashes.get(template);
  if (hash === undefined) {
    hash = createHash('sha256').update(canonicalJson(template)).digest('hex').slice(0, hashLength);
    hashes.set(template, hash);
  }
  return hash;
}

import { cutText, type JsonObject, labelSelectorText } from '#kernel';
import type { Rollout, ScaleState } from '#reconciliation';
import type { KindName } from '../api/kind-name.ts';
import {
  count,
  type KubeObject,
  object,
  objects,
  type OwnerReference,
  ownerReferencesOf,
  replicaCount,
  text,
} from '../api/kube-object.ts';
import { replicasWriterOf } from '../objects/field-managers.ts';
import { labelSelectorFields } from '../objects/label-selector-fields.ts';

/** An object as an owner of others; `ObservedOwner` of the decision contract with everything filled in. */
export interface OwnerObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly ownerReferences: readonly OwnerReference[];
}

/** A Deployment or StatefulSet as the cache keeps it: an owner of pods and a scale in one. */
export interface Workload {
  readonly owner: OwnerObject;
  readonly scale: ScaleState;
}

/** The owner form of any object, whole or metadata only. */
export function slimOwner(target: KubeObject, { apiVersion, kind }: KindName): OwnerObject {
  const ownerReferences = ownerReferencesOf(target.metadata);
  return { apiVersion, kind, name: target.name, uid: target.uid, ownerReferences };
}

/** Reads a workload's scale from the object itself, as its `/scale` would give it. */
export function slimWorkload(target: KubeObject, kind: KindName): Workload {
  const spec = object(target.body['spec']);
  const writer = replicasWriterOf(target.metadata);
  const scale: ScaleState = {
    uid: target.uid,
    resourceVersion: target.resourceVersion,
    specReplicas: replicaCount(spec['replicas'], 1),
    statusReplicas: replicaCount(object(target.body['status'])['replicas']),
    selector: labelSelectorText(labelSelectorFields(spec['selector'])),
    ...(writer === undefined ? {} : { writer }),
    rollout: rolloutOf(target),
  };
  return { owner: slimOwner(target, kind), scale };
}

/** Kubernetes' default, which a StatefulSet cannot change. */
const defaultProgressDeadlineSeconds = 600;

function rolloutOf({ metadata, body }: KubeObject): Rollout {
  const spec = object(body['spec']);
  const status = object(body['status']);
  return {
    readyReplicas: count(status['readyReplicas']),
    updatedReplicas: isRolledOut(spec) ? count(status['updatedReplicas']) : null,
    isObserved: count(status['observedGeneration']) >= count(metadata['generation']),
    progressDeadlineSeconds: count(spec['progressDeadlineSeconds'], defaultProgressDeadlineSeconds),
    failure: failureOf(status),
  };
}

/** As much as a person reads of what admission says of a pod. */
const maximumFailureLength = 300;

/** What a quota, a limit range or a webhook says to the pods of a Deployment; a StatefulSet's are told of in Events alone. */
function failureOf(status: JsonObject): string | null {
  const failed = objects(status['conditions']).find(
    (condition) => condition['type'] === 'ReplicaFailure' && condition['status'] === 'True',
  );
  if (failed === undefined) return null;
  const said = [text(failed['reason']), text(failed['message'])].filter((part) => part !== '');
  return cutText(said.join(': '), maximumFailureLength);
}

/** Whether pods of the latest template replace all others by themselves. */
function isRolledOut(spec: JsonObject): boolean {
  const strategy = object(spec['updateStrategy']);
  const isPartial = count(object(strategy['rollingUpdate'])['partition']) > 0;
  return spec['paused'] !== true && strategy['type'] !== 'OnDelete' && !isPartial;
}

import type { JsonObject } from '#kernel';
import type { ScaleState } from '#reconciliation';
import { object, parseVersionedObject, replicaCount, text } from '../api/kube-object.ts';
import type { ObjectName } from '../api/rest-mapper.ts';
import type { VersionApply } from '../objects/field-managers.ts';

/**
 * Reads an `autoscaling/v1` Scale, whatever the target.
 *
 * @throws AdapterError `Malformed` for anything else.
 */
export function parseScale(value: unknown): ScaleState {
  const { uid, resourceVersion, body } = parseVersionedObject(value, 'Scale');
  const status = object(body['status']);
  return {
    uid,
    resourceVersion,
    specReplicas: replicaCount(object(body['spec'])['replicas']),
    statusReplicas: replicaCount(status['replicas']),
    selector: text(status['selector']),
  };
}

/** The Scale that asks for `replicas`, on exactly the object and version that were observed. */
export function scaleDocument(
  { namespace, name }: ObjectName,
  observed: ScaleState,
  replicas: number,
): JsonObject {
  const { uid, resourceVersion } = observed;
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { namespace, name, uid, resourceVersion },
    spec: { replicas },
  };
}

/** The Scale to apply on exactly the version that was observed: it names the count there is, or none. */
export function appliedScale(
  { namespace, name }: ObjectName,
  { resourceVersion, specReplicas }: ScaleState,
  count: VersionApply['count'],
): JsonObject {
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { namespace, name, resourceVersion },
    ...(count === 'Owned' && { spec: { replicas: specReplicas } }),
  };
}

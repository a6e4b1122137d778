import type { ObservedPod } from '#decision';
import type { JsonObject } from '#kernel';
import { type KubeObject, object, objects, ownerReferencesOf, text, texts } from '../objects/kube-object.ts';
import type { Interner } from './interner.ts';

/**
 * What the decision contract reads of a pod and nothing else: a few hundred bytes instead of several thousand. What
 * pods of one template have in common is shared through the interner.
 */
export function slimPod(pod: KubeObject, interner: Interner): ObservedPod {
  const spec = object(pod.body['spec']);
  const status = object(pod.body['status']);
  const deletionTimestamp = text(pod.metadata['deletionTimestamp']);
  const startTime = text(status['startTime']);
  const phase = text(status['phase']);
  const ready = readyCondition(status);
  const resources = resourcesOf(spec['resources']);
  return {
    name: pod.name,
    uid: pod.uid,
    labels: interner.intern(texts(pod.metadata['labels'])),
    ownerReferences: interner.intern(ownerReferencesOf(pod.metadata)),
    ...(phase === '' ? {} : { phase }),
    ...(startTime === '' ? {} : { startTime }),
    ...(deletionTimestamp === '' ? {} : { deletionTimestamp }),
    ready: ready === null ? null : interner.intern(ready),
    containers: interner.intern(containersOf(spec['containers'])),
    initContainers: interner.intern(containersOf(spec['initContainers'])),
    ...(resources === undefined ? {} : { resources: interner.intern(resources) }),
  };
}

interface Ready {
  readonly status: string;
  readonly lastTransitionTime?: string;
}

function readyCondition(status: JsonObject): Ready | null {
  const ready = objects(status['conditions']).find((condition) => condition['type'] === 'Ready');
  if (ready === undefined) return null;
  const lastTransitionTime = text(ready['lastTransitionTime']);
  return { status: text(ready['status']), ...(lastTransitionTime === '' ? {} : { lastTransitionTime }) };
}

interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly requests: Readonly<Record<string, string>>;
}

function containersOf(value: JsonObject[string]): readonly Container[] {
  return objects(value).map((container) => {
    const restartPolicy = text(container['restartPolicy']);
    return {
      name: text(container['name']),
      ...(restartPolicy === '' ? {} : { restartPolicy }),
      requests: texts(object(container['resources'])['requests']),
    };
  });
}

function resourcesOf(value: JsonObject[string]): Pick<Container, 'requests'> | undefined {
  const requests = texts(object(value)['requests']);
  return Object.keys(requests).length === 0 ? undefined : { requests };
}

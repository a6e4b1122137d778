import type { ObservedPod } from '#decision';
import { type JsonObject, shareParts } from '#kernel';
import { type KubeObject, object, objects, ownerReferencesOf, text, texts } from '../api/kube-object.ts';
import type { Interner } from './interner.ts';

/**
 * What the decision contract reads of a pod and nothing else: a few hundred bytes instead of several thousand. What
 * pods of one template have in common is shared: with the pod before, which a list nearly always has of the same
 * template, or else through the interner.
 */
export function slimPod(
  pod: KubeObject,
  {
    interner,
    before = nothing,
  }: { readonly interner: Interner; readonly before?: Partial<ObservedPod> | undefined },
): ObservedPod {
  const shared = <T extends object>(known: T | null | undefined, value: T): T =>
    known && shareParts(known, value) === known ? known : interner.intern(value);
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
    labels: shared(before.labels, texts(pod.metadata['labels'])),
    ownerReferences: shared(before.ownerReferences, ownerReferencesOf(pod.metadata)),
    ...(phase === '' ? {} : { phase }),
    ...(startTime === '' ? {} : { startTime }),
    ...(deletionTimestamp === '' ? {} : { deletionTimestamp }),
    // Each pod became ready at a time of its own: to look for an equal one would cost more than it holds.
    ready: ready === null ? null : shareParts(before.ready, ready),
    containers: shared(before.containers, containersOf(spec['containers'])),
    initContainers: shared(before.initContainers, containersOf(spec['initContainers'])),
    ...(resources === undefined ? {} : { resources: shared(before.resources, resources) }),
  };
}

const nothing: Partial<ObservedPod> = {};

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

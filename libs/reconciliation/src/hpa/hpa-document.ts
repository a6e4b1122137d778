import { isJsonObject, type Json, type JsonObject, withoutUndefined } from '#kernel';
import type { EffectivePolicy } from '#policy';
import { completeSpec } from './managed-part.ts';
import { labelsOf, ownAnnotations, ownLabels, type RenderedHpa } from './render-hpa.ts';

/** The version of an HPA on which nothing that was sent is to take effect any more. */
const retiredVersionAnnotation = 'plimsoll.dev/retired-version';

/** What a write takes away where it does not set it anew. */
const leftAnnotations = [...ownAnnotations, retiredVersionAnnotation];

/** The object to create. */
export function newHpaDocument(rendered: RenderedHpa): JsonObject {
  return hpaDocument(rendered, {});
}

/**
 * The object that a full update replaces an HPA with. Labels, annotations, finalizers and owners of others stay; it names
 * the uid and the version that were read, so that it replaces nothing else.
 */
export function replacedHpaDocument(rendered: RenderedHpa, live: JsonObject): JsonObject {
  return hpaDocument(rendered, objectOf(live['metadata']));
}

function hpaDocument({ namespace, name, ...rendered }: RenderedHpa, metadata: JsonObject): JsonObject {
  const { uid, resourceVersion, finalizers } = metadata;
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: {
      name,
      namespace,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(finalizers !== undefined && { finalizers }),
      labels: { ...without(metadata['labels'], ownLabels), ...rendered.labels },
      annotations: { ...without(metadata['annotations'], leftAnnotations), ...rendered.annotations },
      ownerReferences: [
        ...othersOwners(metadata['ownerReferences'], rendered.owner.uid),
        { ...rendered.owner, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: completeSpec(rendered.spec),
  };
}

/**
 * The object that replaces an HPA which Plimsoll leaves: what Plimsoll set of its metadata is gone, what others set stays.
 *
 * @param left `spec`: null where the live one stays
 */
export function plainHpaDocument(
  live: JsonObject,
  { policy, spec }: { readonly policy: EffectivePolicy; readonly spec: JsonObject | null },
): JsonObject {
  const metadata = objectOf(live['metadata']);
  const { name, namespace, uid, resourceVersion, finalizers } = metadata;
  const ours = Object.entries(labelsOf(policy));
  const labels = Object.entries(objectOf(metadata['labels'])).filter(
    ([key, value]) => !ours.some(([own, set]) => own === key && set === value),
  );
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: {
      ...withoutUndefined({ name, namespace, uid, resourceVersion, finalizers }),
      labels: Object.fromEntries(labels),
      annotations: without(metadata['annotations'], leftAnnotations),
      ownerReferences: othersOwners(metadata['ownerReferences'], ''),
    },
    spec: spec ?? objectOf(live['spec']),
  };
}

/**
 * The object that replaces an HPA with itself, in another version: an annotation names the one that is a former one then.
 * The next write of the HPA takes it away.
 */
export function versionedHpaDocument(live: JsonObject): JsonObject {
  const metadata = objectOf(live['metadata']);
  const annotations = {
    ...objectOf(metadata['annotations']),
    [retiredVersionAnnotation]: metadata['resourceVersion'],
  };
  return {
    ...live,
    metadata: withoutUndefined({ ...metadata, managedFields: undefined, annotations }),
  };
}

/** An object has one controller, and names each owner once. */
function othersOwners(references: Json | undefined, ownerUid: string): readonly Json[] {
  const list: readonly Json[] = Array.isArray(references) ? references : [];
  return list.filter((each) => isJsonObject(each) && each['controller'] !== true && each['uid'] !== ownerUid);
}

function without(map: Json | undefined, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(objectOf(map)).filter(([key]) => !keys.includes(key)));
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

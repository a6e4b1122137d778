import { type Json, type JsonObject, withoutUndefined } from '#kernel';
import { type KubeObject, numberAt, objectAt, valueAt, withValueAt } from '../objects/kube-object.ts';
import { selectorText } from '../objects/label-selector.ts';
import { invalidValue } from '../registry/field-problem.ts';
import type { ResourceDefinition, ScalePaths } from '../registry/resource-definition.ts';
import { invalid, unknownResource } from './status-error.ts';

const scaleForm = { group: 'autoscaling', kind: 'Scale' };

/**
 * The paths behind a resource's `/scale`.
 *
 * @throws StatusError 404 where the resource has none
 */
export function scalePathsOf({ scale }: ResourceDefinition): ScalePaths {
  if (scale === undefined) throw unknownResource();
  return scale;
}

/** An object as autoscaling/v1 Scale; as upstream, a count of 0 is left out of the spec. */
export function toScale(object: KubeObject, paths: ScalePaths): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = numberAt(object, ...paths.specReplicas) ?? 0;
  const selector = paths.selector.length === 0 ? '' : selectorText(valueAt(object, ...paths.selector));
  return {
    kind: scaleForm.kind,
    apiVersion: `${scaleForm.group}/v1`,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: numberAt(object, ...paths.statusReplicas) ?? 0,
      ...(selector === '' ? {} : { selector }),
    },
  };
}

/**
 * The object that a written Scale asks for; identity and version of the Scale go along, to be checked.
 *
 * @throws StatusError 422 for a negative count
 */
export function withScale(live: KubeObject, scale: JsonObject, resource: ResourceDefinition): JsonObject {
  const paths = scalePathsOf(resource);
  const replicas = numberAt(scale, 'spec', 'replicas') ?? 0;
  if (replicas < 0) throw negativeReplicas(live, replicas, resource);
  const { name, namespace, uid, resourceVersion } = objectAt(scale, 'metadata');
  const scaled = withValueAt(live, paths.specReplicas, replicas);
  const identity = { name, namespace, uid, resourceVersion };
  const given = Object.entries(identity).filter(([, value]) => value !== undefined);
  return { ...scaled, metadata: { ...live.metadata, resourceVersion: '', ...Object.fromEntries(given) } };
}

/** What a server-side apply of a Scale names of the object: its count, if any, and the version that it is for. */
export function scaleConfiguration(scale: Json, paths: ScalePaths): JsonObject {
  const replicas = numberAt(scale, 'spec', 'replicas');
  const { name, namespace, uid, resourceVersion } = objectAt(scale, 'metadata');
  const metadata = withoutUndefined({ name, namespace, uid, resourceVersion });
  return { ...(replicas !== undefined && withValueAt({}, paths.specReplicas, replicas)), metadata };
}

/** The object as who applies its scale sees it: a Scale leaves a count of zero out, so to apply zero is to set it. */
export function seenByScale(live: KubeObject, configuration: JsonObject, paths: ScalePaths): KubeObject {
  const isZero = [live, configuration].every((object) => numberAt(object, ...paths.specReplicas) === 0);
  return isZero ? (withValueAt(live, paths.specReplicas, undefined) as KubeObject) : live;
}

function negativeReplicas({ metadata }: KubeObject, replicas: number, resource: ResourceDefinition): Error {
  if (resource.custom) {
    const problem = invalidValue('.spec.replicas', replicas, 'should be a non-negative integer');
    return invalid(resource, metadata.name, [problem]);
  }
  const problem = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0');
  return invalid(scaleForm, metadata.name, [problem]);
}

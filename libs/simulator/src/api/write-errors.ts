import type { JsonObject } from '#kernel';
import type { ApplyConflict } from '../fields/server-side-apply.ts';
import { type KubeObject, textAt } from '../objects/kube-object.ts';
import { required } from '../registry/field-problem.ts';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import type { ObjectAddress } from './object-address.ts';
import { badRequest, conflict, invalid, staleVersion, StatusError } from './status-error.ts';

/**
 * Compares the identity in a body with the stored object.
 *
 * @throws StatusError 400 for another name or namespace, 409 for another `uid` or `resourceVersion`
 */
export function checkIdentity({ resource, name }: ObjectAddress, live: KubeObject, body: JsonObject): void {
  checkName(name, body);
  const namespace = textAt(body, 'metadata', 'namespace') ?? live.metadata.namespace;
  if (namespace !== live.metadata.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');

  const uid = textAt(body, 'metadata', 'uid') ?? '';
  if (uid !== '' && uid !== live.metadata.uid) {
    const cause = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
    throw conflict(resource, name, cause);
  }
  const version = textAt(body, 'metadata', 'resourceVersion') ?? '';
  if (version !== '' && version !== live.metadata.resourceVersion) throw staleVersion(resource, name);
}

/**
 * Compares the name in a body with the one on the URL.
 *
 * @throws StatusError 400
 */
export function checkName(name: string, body: JsonObject): void {
  const bodyName = textAt(body, 'metadata', 'name') ?? name;
  if (bodyName === name) return;
  throw badRequest(`the name of the object (${bodyName}) does not match the name on the URL (${name})`);
}

/** 409 on server-side apply, naming every field and its manager. */
export function applyConflicts(conflicts: readonly ApplyConflict[]): StatusError {
  const causes = conflicts.map(({ manager, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${manager}`,
    field,
  }));
  const message = `Apply failed with ${conflicts.length} ${plural('conflict', conflicts)}: ${conflictText(conflicts)}`;
  return new StatusError(409, { message, reason: 'Conflict', details: { causes } });
}

/** 422: an apply must say who applies. */
export function applyWithoutManager(): StatusError {
  const problem = required('fieldManager', 'is required for apply patch');
  return invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [problem]);
}

/** 403 on creating in a namespace that is being deleted. */
export function namespaceTerminating(
  { group, plural: resource }: ResourceDefinition,
  namespace: string,
  name: string,
): StatusError {
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const message = `${qualified} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`;
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  const details = { name, ...(group === '' ? {} : { group }), kind: resource, causes: [cause] };
  return new StatusError(403, { message, reason: 'Forbidden', details });
}

function conflictText(conflicts: readonly ApplyConflict[]): string {
  const byManager = Map.groupBy(conflicts, ({ manager }) => manager);
  const parts = [...byManager].map(([manager, list]) => {
    const head = `${plural('conflict', list)} with ${manager}`;
    if (conflicts.length === 1) return `${head}: ${list.map(({ field }) => field).join('')}`;
    return [`${head}:`, ...list.map(({ field }) => `- ${field}`)].join('\n');
  });
  return parts.join('\n');
}

function plural(word: string, list: readonly unknown[]): string {
  return list.length === 1 ? word : `${word}s`;
}

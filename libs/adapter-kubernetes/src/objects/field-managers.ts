import type { JsonObject } from '#kernel';
import { isVersionManager, type ReplicasWriter, versionManagers } from '#reconciliation';
import { object, objects, text } from '../api/kube-object.ts';

/**
 * The field manager that owns `spec.replicas`, from `metadata.managedFields`: of several (server-side appliers that agree)
 * the one that wrote last; those that only changed the version wrote nothing. A custom resource may keep its count in another field; there, the manager that wrote the scale
 * subresource. Undefined where managedFields do not say.
 */
export function replicasWriterOf(metadata: JsonObject): ReplicasWriter | undefined {
  return lastWriter(
    metadata,
    (entry) =>
      entry['subresource'] === 'scale' || 'f:replicas' in object(object(entry['fieldsV1'])['f:spec']),
  );
}

/** The field manager that wrote the spec last; undefined where managedFields do not say. */
export function specManagerOf(metadata: JsonObject): string | undefined {
  return lastWriter(metadata, (entry) => 'f:spec' in object(entry['fieldsV1']))?.manager;
}

/** What an apply to `/scale` does so that the object's version becomes another one, and nothing else of it. */
export interface VersionApply {
  readonly manager: (typeof versionManagers)[number];
  /** The manager owns the count from then on beside those that do, or gives it up. */
  readonly count: 'Owned' | 'GivenUp';
}

/**
 * The apply that changes the version of an object with these `managedFields`. The same apply twice would change nothing,
 * so there are two managers, and one of them gives its share up where both have one: the field stays, since the other owns
 * it. Whoever changes the count takes it from both.
 */
export function versionApplyOf(metadata: JsonObject): VersionApply {
  const applied = objects(metadata['managedFields'])
    .filter(({ operation, subresource }) => operation === 'Apply' && subresource === 'scale')
    .map(({ manager }) => text(manager));
  const free = versionManagers.find((manager) => !applied.includes(manager));
  return free === undefined
    ? { manager: versionManagers[0], count: 'GivenUp' }
    : { manager: free, count: 'Owned' };
}

function lastWriter(
  metadata: JsonObject,
  isMeant: (entry: JsonObject) => boolean,
): ReplicasWriter | undefined {
  let last: ReplicasWriter | undefined;
  for (const entry of objects(metadata['managedFields'])) {
    const writer = { manager: text(entry['manager']), time: text(entry['time']) };
    if (!isMeant(entry) || isVersionManager(writer.manager)) continue;
    if (last === undefined || writer.time >= last.time) last = writer;
  }
  return last;
}

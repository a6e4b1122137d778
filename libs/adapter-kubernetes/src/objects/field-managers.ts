import type { JsonObject } from '#kernel';
import type { ReplicasWriter } from '#reconciliation';
import { object, objects, text } from './kube-object.ts';

/**
 * The field manager that owns `spec.replicas`, from `metadata.managedFields`: of several (server-side appliers that agree)
 * the one that wrote last. A custom resource may keep its count in another field; there, the manager that wrote the scale
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

function lastWriter(
  metadata: JsonObject,
  isMeant: (entry: JsonObject) => boolean,
): ReplicasWriter | undefined {
  let last: ReplicasWriter | undefined;
  for (const entry of objects(metadata['managedFields'])) {
    if (!isMeant(entry)) continue;
    const writer = { manager: text(entry['manager']), time: text(entry['time']) };
    if (last === undefined || writer.time >= last.time) last = writer;
  }
  return last;
}

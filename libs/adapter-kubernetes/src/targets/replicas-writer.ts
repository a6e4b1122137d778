import type { JsonObject } from '#kernel';
import type { ReplicasWriter } from '#reconciliation';
import { object, objects, text } from '../objects/kube-object.ts';

/**
 * The field manager that owns `spec.replicas`, from `metadata.managedFields`: of several (server-side appliers that agree)
 * the one that wrote last. A custom resource may keep its count elsewhere; there, whoever wrote the scale
 * subresource. Undefined where managedFields do not say.
 */
export function replicasWriterOf(metadata: JsonObject): ReplicasWriter | undefined {
  let last: ReplicasWriter | undefined;
  for (const entry of objects(metadata['managedFields'])) {
    const ownsReplicas = 'f:replicas' in object(object(entry['fieldsV1'])['f:spec']);
    if (!ownsReplicas && entry['subresource'] !== 'scale') continue;
    const writer = { manager: text(entry['manager']), time: text(entry['time']) };
    if (last === undefined || writer.time >= last.time) last = writer;
  }
  return last;
}

import type { JsonObject } from '#kernel';
import { object, objects, text } from '../objects/kube-object.ts';

/** The field manager that wrote the object's `spec` last, from `metadata.managedFields`; undefined where they do not say. */
export function specManagerOf(metadata: JsonObject): string | undefined {
  let last: { readonly manager: string; readonly time: string } | undefined;
  for (const entry of objects(metadata['managedFields'])) {
    if (!('f:spec' in object(entry['fieldsV1']))) continue;
    const writer = { manager: text(entry['manager']), time: text(entry['time']) };
    if (last === undefined || writer.time >= last.time) last = writer;
  }
  return last?.manager;
}

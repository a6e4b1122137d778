import { isJsonObject, type Json, type JsonObject } from '#kernel';

/** Who owns an object; a dependent is collected once none of its owners exists. */
export type OwnerReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
};

/** The fields that one manager owns through one operation. */
export type ManagedFieldsEntry = {
  readonly manager?: string | undefined;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion?: string | undefined;
  readonly time?: string | undefined;
  readonly fieldsType?: 'FieldsV1' | undefined;
  readonly fieldsV1?: JsonObject | undefined;
  readonly subresource?: string | undefined;
};

/** Metadata as Kubernetes keeps it; `resourceVersion` and `uid` are empty before the object is stored. */
export type ObjectMeta = {
  readonly name: string;
  readonly generateName?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number | undefined;
  readonly creationTimestamp?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined;
};

/** Any Kubernetes object. Immutable: a write makes a new one, so history and watches share them freely. */
export type KubeObject = JsonObject & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
};

/** What `create` takes: the server fills in the rest. */
export type NewObject = JsonObject & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<ObjectMeta>;
};

/** The value below a path of object keys, or undefined where the path ends early. */
export function valueAt(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let current = value;
  for (const key of path) {
    if (!isJsonObject(current)) return undefined;
    current = current[key];
  }
  return current;
}

/** The object below a path; empty where there is none. */
export function objectAt(value: Json | undefined, ...path: readonly string[]): JsonObject {
  const found = valueAt(value, ...path);
  return isJsonObject(found) ? found : {};
}

/** The list below a path; empty where there is none. */
export function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = valueAt(value, ...path);
  return isList(found) ? found : [];
}

/** The number below a path, or undefined. */
export function numberAt(value: Json | undefined, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

/** The text below a path, or undefined. */
export function textAt(value: Json | undefined, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** The texts below a path by key, such as labels; values that are no text are left out. */
export function textMapAt(
  value: Json | undefined,
  ...path: readonly string[]
): Readonly<Record<string, string>> {
  const entries = Object.entries(objectAt(value, ...path));
  return Object.fromEntries(
    entries.flatMap(([key, text]) => (typeof text === 'string' ? [[key, text] as const] : [])),
  );
}

/** Whether a JSON value is a list. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** A copy with the value below a path replaced; `undefined` takes it away. */
export function withValueAt(
  object: JsonObject,
  path: readonly string[],
  value: Json | undefined,
): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  const next = rest.length === 0 ? value : withValueAt(objectAt(object, key), rest, value);
  return { ...object, [key]: next };
}

/** The reference to an object's controller, if it has one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** A controller's reference to put into a dependent. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { apiVersion, kind } = owner;
  const { name, uid } = owner.metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Milliseconds since the epoch as Kubernetes writes a `Time`: whole seconds, rounded down. */
export function toKubeTime(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

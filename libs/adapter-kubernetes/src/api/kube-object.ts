import { AdapterError, isJsonObject, type JsonObject } from '#kernel';

/** An owner reference as it stands in an object's metadata. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** An object of the API with the fields that every kind has; a reader of one kind takes the rest from `body`. */
export interface KubeObject {
  readonly name: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly metadata: JsonObject;
  readonly body: JsonObject;
}

/**
 * Reads what every object has.
 *
 * @throws AdapterError `Malformed` for a value that is no object of the API.
 */
export function parseKubeObject(value: unknown): KubeObject {
  const metadata = isJsonObject(value) ? value['metadata'] : undefined;
  if (!isJsonObject(value) || !isJsonObject(metadata)) throw malformed('no metadata');
  const name = text(metadata['name']);
  if (name === '') throw malformed('no metadata.name');
  return {
    name,
    namespace: text(metadata['namespace']),
    uid: text(metadata['uid']),
    resourceVersion: text(metadata['resourceVersion']),
    metadata,
    body: value,
  };
}

/**
 * Reads an object that is to be written again: on its uid and version, without which a write takes effect on whatever is
 * there.
 *
 * @param kind in `kind`; undefined for the item of a list, which does not repeat it
 * @throws AdapterError `Malformed` for a value that is no such object: a gateway's answer, or another kind's.
 */
export function parseVersionedObject(value: unknown, kind?: string): KubeObject {
  const parsed = parseKubeObject(value);
  const found = text(parsed.body['kind']);
  if (kind !== undefined && found !== kind) throw malformed(`the kind ${found}, and ${kind} was asked for`);
  if (parsed.uid === '') throw malformed('no metadata.uid');
  if (parsed.resourceVersion === '') throw malformed('no metadata.resourceVersion');
  return parsed;
}

/** A string field, or the empty text. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An object field, or an empty object. */
export function object(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** A list field's objects, or none. */
export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The string values of a map field. */
export function texts(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(object(value));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** A count: a whole number ≥ 0, or the default. */
export function count(value: unknown, absent = 0): number {
  return isCount(value) ? value : absent;
}

/**
 * A count of replicas, or what a field means that is left out. One that cannot be read is no other count: a workload would
 * be taken for one of none.
 *
 * @throws AdapterError `Malformed`
 */
export function replicaCount(value: unknown, absent = 0): number {
  if (value === undefined || value === null) return absent;
  if (isCount(value)) return value;
  throw malformed(`a count of replicas that is none: ${JSON.stringify(value).slice(0, 100)}`);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** An object has one or two owners; each reference of thousands would be a request. */
const maximumOwnerReferences = 64;

/** The owner references of an object's metadata, not only controllers', up to 64. */
export function ownerReferencesOf(metadata: JsonObject): readonly OwnerReference[] {
  const references = objects(metadata['ownerReferences']).slice(0, maximumOwnerReferences);
  return references.map((reference) => ({
    apiVersion: text(reference['apiVersion']),
    kind: text(reference['kind']),
    name: text(reference['name']),
    uid: text(reference['uid']),
    ...(typeof reference['controller'] === 'boolean' ? { controller: reference['controller'] } : {}),
  }));
}

function malformed(what: string): AdapterError {
  return new AdapterError({
    code: 'Malformed',
    message: `an object of the API has ${what}`,
    retryable: true,
  });
}

import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { showValue, suggest } from '#policy';

/** A field that nothing reads. */
export interface UnknownField {
  /** Keys and list indexes, the field's own last. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * The first field of a value that its schema does not name. The decision contract passes over such fields, which later
 * versions may add; in a test that a person wrote, one is a slip that makes the test say less than it seems to.
 */
export function findUnknownField(value: Json, schema: JsonObject): UnknownField | undefined {
  if (Array.isArray(value)) return findInList(value, branchesOf(schema));
  return isJsonObject(value) ? findInMap(value, branchesOf(schema)) : undefined;
}

/** The alternatives and parts of a schema that say something by themselves. */
function branchesOf(schema: JsonObject): readonly JsonObject[] {
  const parts = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap(listOf).filter(isJsonObject);
  return [schema, ...parts.flatMap(branchesOf)];
}

function findInList(value: readonly Json[], branches: readonly JsonObject[]): UnknownField | undefined {
  const items = { anyOf: branches.map((each) => each['items']).filter(isJsonObject) };
  for (const [index, item] of value.entries()) {
    const found = findUnknownField(item, items);
    if (found !== undefined) return { ...found, path: [index, ...found.path] };
  }
  return undefined;
}

function findInMap(value: JsonObject, branches: readonly JsonObject[]): UnknownField | undefined {
  const properties = branches.map((each) => each['properties']).filter(isJsonObject);
  const others = branches.map((each) => each['additionalProperties']).filter(isJsonObject);
  for (const [key, item] of Object.entries(value)) {
    const named = properties.map((each) => each[key]).filter(isJsonObject);
    if (named.length === 0 && others.length === 0 && properties.length > 0)
      return { path: [key], message: unknownMessage(key, properties) };
    const found = item === undefined ? undefined : findUnknownField(item, { anyOf: [...named, ...others] });
    if (found !== undefined) return { ...found, path: [key, ...found.path] };
  }
  return undefined;
}

function unknownMessage(key: string, properties: readonly JsonObject[]): string {
  const known = [...new Set(properties.flatMap((each) => Object.keys(each)))];
  const meant = suggest(key, known);
  const hint = meant === undefined ? `the fields are ${known.join(', ')}` : `did you mean ${meant}?`;
  return `${showValue(key)} is no field here (${hint})`;
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

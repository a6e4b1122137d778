import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { policySchemas } from '#policy';
import { yamlPlaceAt } from './yaml-place.ts';

/** Something that may stand where the cursor is. */
export interface Completion {
  readonly label: string;
  /** Its type, or the words it is one of. */
  readonly detail: string;
  /** What it means, of the schema. */
  readonly info: string;
  /** What is written. */
  readonly text: string;
}

/** What may stand at the cursor, and how many characters before it are replaced. */
export interface Completions {
  readonly typed: number;
  readonly options: readonly Completion[];
}

/** The schema of each kind of policy, by its kind. */
const schemas = new Map(
  ['autoscaling-policy', 'horizontal-pod-autoscaler', 'watermark-pod-autoscaler'].flatMap((name) => {
    const schema = policySchemas[name];
    return schema === undefined ? [] : [[textOf(schema['title']), schema] as const];
  }),
);

/** What may be typed at the end of a text, by the schema of its kind. Undefined: nothing is known of that place. */
export function completionsAt(before: string, after = ''): Completions | undefined {
  const place = yamlPlaceAt(before);
  if (place === undefined) return undefined;
  const { path, key, typed } = place;
  if (path.length === 0 && key === 'kind') {
    return offer(
      typed,
      [...schemas.keys()].map((kind) => word(kind, '')),
    );
  }
  const schema = schemaOf(`${before}${after}`);
  const at = key === undefined ? path : [...path, key];
  const found =
    at.reduce<JsonObject | undefined>((parent, name) => childOf(schema, parent, name), schema) ?? {};
  return offer(typed, key === undefined ? keysOf(schema, found) : wordsOf(found));
}

/** Of the kind that a text names; before it names one, the native form's. */
function schemaOf(text: string): JsonObject {
  const kind = /^kind:\s*(\w+)/m.exec(text)?.[1] ?? '';
  return schemas.get(kind) ?? schemas.get('AutoscalingPolicy') ?? {};
}

function offer(typed: string, options: readonly Completion[]): Completions | undefined {
  return options.length === 0 ? undefined : { typed: typed.length, options };
}

function childOf(root: JsonObject, parent: JsonObject | undefined, name: string): JsonObject | undefined {
  const child = alternativesOf(root, parent).flatMap(({ properties, items }) => {
    if (name === '[]') return isJsonObject(items) ? [items] : [];
    return isJsonObject(properties) && isJsonObject(properties[name]) ? [properties[name]] : [];
  })[0];
  return child === undefined ? undefined : resolved(root, child);
}

function keysOf(root: JsonObject, of: JsonObject): readonly Completion[] {
  const properties = alternativesOf(root, of).flatMap((each) =>
    isJsonObject(each['properties']) ? Object.entries(each['properties']) : [],
  );
  return properties.flatMap(([name, written]) => {
    if (!isJsonObject(written)) return [];
    const schema = resolved(root, written);
    return [{ label: name, detail: typeOf(schema), info: textOf(schema['description']), text: `${name}: ` }];
  });
}

function wordsOf(schema: JsonObject): readonly Completion[] {
  const info = textOf(schema['description']);
  const { const: only, enum: words, type } = schema;
  if (only !== undefined) return [word(textOf(only), info)];
  if (Array.isArray(words)) return words.map((each: Json) => word(textOf(each), info));
  return type === 'boolean' ? [word('true', info), word('false', info)] : [];
}

function word(label: string, info: string): Completion {
  return { label, detail: '', info, text: label };
}

/** A schema and those that it is one of. */
function alternativesOf(root: JsonObject, schema: JsonObject | undefined): readonly JsonObject[] {
  if (schema === undefined) return [];
  const own = resolved(root, schema);
  const others = [own['anyOf'], own['oneOf']].flatMap((list): readonly Json[] =>
    Array.isArray(list) ? (list as readonly Json[]) : [],
  );
  return [own, ...others.flatMap((each) => (isJsonObject(each) ? alternativesOf(root, each) : []))];
}

/** A reference as what it refers to, with what stands beside it. */
function resolved(root: JsonObject, schema: JsonObject): JsonObject {
  const name = /^#\/\$defs\/(.+)$/.exec(textOf(schema['$ref']))?.[1];
  const definitions = root['$defs'];
  const found = name !== undefined && isJsonObject(definitions) ? definitions[name] : undefined;
  return isJsonObject(found) ? { ...found, ...schema } : schema;
}

function typeOf({ type, enum: words }: JsonObject): string {
  if (Array.isArray(words)) return words.map((each: Json) => textOf(each)).join(' | ');
  const types: readonly Json[] = Array.isArray(type) ? (type as readonly Json[]) : [type ?? ''];
  return types
    .filter((each) => each !== 'null')
    .map(textOf)
    .join(' | ');
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

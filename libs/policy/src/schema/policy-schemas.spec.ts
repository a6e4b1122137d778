import { describe, expect, it } from '@jest/globals';
import { Ajv, type ValidateFunction } from 'ajv';
import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { readPolicyDefaults } from '../defaults/policy-defaults.ts';
import type { Problem } from '../diagnostics/diagnostic.ts';
import { readPolicy } from '../documents/parse-policy.ts';
import { readPolicyGuardrail } from '../guardrails/policy-guardrail.ts';
import { readPolicyTest } from '../kinds/policy-test.ts';
import { policySchemas } from './policy-schemas.ts';

type Path = readonly (string | number)[];
type Read = (document: unknown) => { readonly problems: readonly Problem[] };

const readers: Readonly<Record<string, Read>> = {
  PolicyDefaults: readPolicyDefaults,
  PolicyGuardrail: readPolicyGuardrail,
  PolicyTest: readPolicyTest,
};

const schemas = Object.values(policySchemas).map((schema) => ({
  schema,
  kind: schema['title'] as string,
  read: readers[schema['title'] as string] ?? readPolicy,
  validate: new Ajv({ strict: false, allErrors: true }).compile(schema),
}));

/** Each place of a schema, lists by their first item, with the schema of what stands there. */
function placesOf(
  root: JsonObject,
  schema: JsonObject,
  path: Path = [],
): { path: Path; schema: JsonObject }[] {
  const { $ref } = schema;
  const definitions = root['$defs'] as Readonly<Record<string, JsonObject>>;
  const found = typeof $ref === 'string' ? (definitions[$ref.slice('#/$defs/'.length)] ?? {}) : schema;
  const { properties, items } = found;
  const below = isJsonObject(properties) ? Object.entries(properties) : [];
  return [
    { path, schema: found },
    ...below.flatMap(([name, each]) => placesOf(root, each as JsonObject, [...path, name])),
    ...(isJsonObject(items) ? placesOf(root, items, [...path, 0]) : []),
  ];
}

/** A document of the kind that holds nothing but a value at a path. */
function documentWith(schema: JsonObject, path: Path, value: Json): Json {
  const { apiVersion, kind } = schema['properties'] as Readonly<Record<string, JsonObject>>;
  const whole = path.reduceRight<Json>(
    (inner, key) => (typeof key === 'number' ? [inner] : { ...siblings(key, path), [key]: inner }),
    value,
  );
  return { apiVersion: apiVersion?.['const'], kind: kind?.['const'], ...(whole as JsonObject) };
}

/** What decides how the field is read: the type of a metric's source, and of a target that has an algorithm. */
function siblings(key: string, path: Path): JsonObject {
  const isSource = path[path.indexOf(key) - 2] === 'metrics' && key !== 'type';
  if (isSource) return { type: key.replace(/^./, (letter) => letter.toUpperCase()) };
  return key === 'algorithm' && path.includes('target') ? { type: 'Watermark' } : {};
}

/** The codes of what the reader finds at a path. */
function readerFinds(read: Read, document: Json, at: Path): readonly string[] {
  const { problems } = read(document);
  return problems.filter(({ path }) => path.join('/') === at.join('/')).map(({ code }) => code);
}

/** The keywords of the schema that refuse what is at a path. */
function schemaFinds(validate: ValidateFunction, document: Json, at: Path): readonly string[] {
  validate(document);
  const pointer = at.map((key) => `/${key}`).join('');
  return (validate.errors ?? [])
    .filter(({ instancePath }) => instancePath === pointer)
    .map(({ keyword }) => keyword);
}

const everyPlace = schemas.flatMap(({ schema }) => placesOf(schema, schema));
const everyName = new Set(['other', ...everyPlace.map(({ path }) => String(path.at(-1)))]);
const everyWord = new Set(['other', ...everyPlace.flatMap((place) => wordsOf(place.schema))]);

function wordsOf({ enum: words = [] }: JsonObject): readonly string[] {
  return (words as readonly Json[]).filter((word) => typeof word === 'string');
}

/** Values at a bound and beyond it: whether each is outside. */
function edgesOf(path: Path, schema: JsonObject): readonly { value: Json; isOutside: boolean }[] {
  const { minimum, maximum, maxItems, maxLength } = schema;
  // 0 only where a metric does not vanish with the last pod: left to the reader.
  const isConditional = /^spec[/](replicas|schedules[/]0[/]minReplicas)$/.test(path.join('/'));
  const within = (value: Json): { value: Json; isOutside: boolean } => ({ value, isOutside: false });
  const outside = (value: Json): { value: Json; isOutside: boolean } => ({ value, isOutside: true });
  const text =
    path.at(-1) === 'expression' ? 'true'.padEnd(Number(maxLength)) : 'a'.repeat(Number(maxLength ?? 0));
  return [
    ...(typeof minimum === 'number' ? [outside(minimum - 1), within(isConditional ? 1 : minimum)] : []),
    ...(typeof maximum === 'number' ? [within(maximum), outside(maximum + 1)] : []),
    ...(typeof maxItems === 'number' ? [within(items(maxItems)), outside(items(maxItems + 1))] : []),
    ...(typeof maxLength === 'number' ? [within(text), outside(`${text} `.replace(/a $/, 'aa'))] : []),
  ];
}

function items(count: number): Json {
  return Array.from({ length: count }, () => ({}));
}

const outOfBounds = ['OutOfRange', 'TooMany', 'TooLarge', 'InvalidValue'];

describe.each(schemas)('the schema of $kind and its reader', ({ schema, read, validate }) => {
  const places = placesOf(schema, schema).map((place) => ({
    name: place.path.join('.') || 'the document',
    ...place,
  }));

  it.each(places.filter((place) => place.schema['additionalProperties'] === false))(
    'know the same fields of $name',
    ({ path }) => {
      const differing = [...everyName].filter((name) => {
        const at = [...path, name];
        const document = documentWith(schema, at, {});
        const found = readerFinds(read, document, at);
        // What belongs to each policy is refused in a PolicyDefaults with a reason of its own.
        const isOwn = path.at(-1) === 'values' && found.includes('Forbidden');
        const isKnown = !isOwn && !found.includes('UnknownField');
        return isKnown === schemaFinds(validate, document, path).includes('additionalProperties');
      });
      expect(differing).toEqual([]);
    },
  );

  it.each(places.filter((place) => edgesOf(place.path, place.schema).length > 0))(
    'have the same bounds of $name',
    ({ path, schema: given }) => {
      const keywords = ['minimum', 'maximum', 'maxItems', 'maxLength'];
      const edges = edgesOf(path, given);
      const refused = edges.map(({ value }) => {
        const document = documentWith(schema, path, value);
        return [
          readerFinds(read, document, path).some((code) => outOfBounds.includes(code)),
          schemaFinds(validate, document, path).some((keyword) => keywords.includes(keyword)),
        ];
      });
      expect(refused).toEqual(edges.map(({ isOutside }) => [isOutside, isOutside]));
    },
  );

  // A Watermark target may not stand on a Pods metric, so neither its type nor its algorithm is read there.
  const worded = places.filter((place) => wordsOf(place.schema).length > 0 && !place.path.includes('pods'));
  it('know the same words', () => {
    const differing = worded.filter(({ path, schema: given }) => {
      const known = new Set(wordsOf(given));
      return [...everyWord].some((word) => {
        const isRefused = readerFinds(read, documentWith(schema, path, word), path).includes('NotSupported');
        return isRefused === known.has(word);
      });
    });
    expect(differing.map(({ name }) => name)).toEqual([]);
  });
});

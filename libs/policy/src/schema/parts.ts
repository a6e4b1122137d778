import type { JsonObject } from '#kernel';
import { maximumInt32, maximumListItems, type Range } from '../reading/fields.ts';

/**
 * Pieces of the schemas of all kinds. A field's name, bounds and words stand in its schema only: the reader takes them
 * from there. Editors complete and check with the schemas; the reader has the last word.
 */

/** Which fields metrics and behaviour have: autoscaling/v2's, or ours beside them. */
export type Dialect = 'autoscaling/v2' | 'native';

/** A whole number; its bounds are those of the reader. */
export type WholeSchema = JsonObject & Range;

/** A text that is one of a few. */
export type WordsSchema<T extends string> = JsonObject & { readonly enum: readonly T[] };

/** A map without other fields. */
export type MapSchema<P extends Readonly<Record<string, JsonObject>> = Readonly<Record<string, JsonObject>>> =
  JsonObject & { readonly properties: P };

/** The fields that a map may have: those of `first`, then the others in the order of its schema. */
export function fieldsOf<P extends Readonly<Record<string, JsonObject>>>(
  { properties }: MapSchema<P>,
  first: readonly (string & keyof P)[] = [],
): ReadonlySet<string> {
  return new Set([...first, ...Object.keys(properties)]);
}

export function text<R extends JsonObject>(description: string, rest?: R): JsonObject & R;
export function text(description: string, rest: JsonObject = {}): JsonObject {
  return { type: 'string', description, ...rest };
}

export function whole(description: string, rest: Range & JsonObject): WholeSchema {
  return { type: 'integer', description, maximum: maximumInt32, ...rest };
}

/** The same field where null counts as absent. */
export function nullable<S extends JsonObject>(schema: S): S {
  return { ...schema, type: [schema['type'], 'null'] };
}

export function flag(description: string): JsonObject {
  return { type: 'boolean', description };
}

export function words<const T extends string>(description: string, values: readonly T[]): WordsSchema<T> {
  return { type: 'string', description, enum: values };
}

export function list<R extends JsonObject>(description: string, items: JsonObject, rest?: R): JsonObject & R;
export function list(description: string, items: JsonObject, rest: JsonObject = {}): JsonObject {
  return { type: 'array', description, items, maxItems: maximumListItems, ...rest };
}

export function map<P extends Readonly<Record<string, JsonObject>>>(
  properties: P,
  rest: JsonObject & { readonly required?: readonly (string & keyof P)[] } = {},
): MapSchema<P> {
  return { type: 'object', additionalProperties: false, properties, ...rest };
}

export function reference(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

/** Bounds of a duration, inclusive, and the units that it may be written in. */
export interface DurationRule {
  readonly min: string;
  readonly max: string;
  /** Letters out of `s m h d`. */
  readonly units: string;
}

/** The pattern of a duration's form. */
export function durationPattern({ units }: DurationRule): string {
  return `^\\d+[${units}]$`;
}

/** The least and the most replicas, in every kind. */
export const minReplicas: WholeSchema = whole('By default 1; 0 needs an Object or External metric.', {
  minimum: 0,
});
export const maxReplicas: WholeSchema = whole('At least minReplicas.', { minimum: 1 });

export const dnsSubdomain = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
export const dnsLabel = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
const quantity = '^[+-]?(\\d+\\.?\\d*|\\.\\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\\d{1,2})?$';
const texts = { type: 'object', additionalProperties: { type: ['string', 'null'] } };

export const dnsSubdomainMaximum = 253;
export const dnsLabelMaximum = 63;

/** One condition of a label selector. */
export const requirementSchema = map(
  {
    key: text('A label.'),
    operator: words('The condition.', ['In', 'NotIn', 'Exists', 'DoesNotExist']),
    values: list('For In and NotIn.', { type: 'string' }),
  },
  { required: ['key', 'operator'] },
);

/** A policy document of any kind. */
export const policyDocument = map({
  apiVersion: {},
  kind: {},
  metadata: reference('metadata'),
  spec: {},
  status: { description: 'Not looked at.' },
});

/** A document of ours that is no policy: nothing sets a status in it. */
export const supportDocument = map({ apiVersion: {}, kind: {}, metadata: reference('metadata'), spec: {} });

/** Definitions that more than one kind uses. */
export const definitions = {
  quantity: {
    description: 'A Kubernetes quantity: 250m, 1.5, 2Gi.',
    anyOf: [{ type: 'string', pattern: quantity }, { type: 'number' }],
  },
  metadata: {
    type: 'object',
    required: ['name'],
    properties: {
      name: text('A DNS subdomain.', { pattern: dnsSubdomain, maxLength: dnsSubdomainMaximum }),
      namespace: text('A DNS label; may come from a kustomization, the tenant or the source instead.', {
        pattern: dnsLabel,
        maxLength: dnsLabelMaximum,
      }),
      labels: texts,
      annotations: texts,
    },
  },
  selector: map({
    matchLabels: texts,
    matchExpressions: list('Conditions on labels.', requirementSchema),
  }),
  objectReference: map(
    {
      apiVersion: text('Group and version: apps/v1.'),
      kind: text('Such as Deployment.', { minLength: 1 }),
      name: text('In the same namespace.', { minLength: 1 }),
    },
    { required: ['kind', 'name'] },
  ),
};

/** `scaleTargetRef`: as an object reference, with an apiVersion. */
export const scaleTargetRef = {
  ...definitions.objectReference,
  description: 'What is scaled: any kind with a scale subresource.',
  required: ['apiVersion', 'kind', 'name'],
};

import type { Json, JsonObject } from '#kernel';

/** Pieces that the schemas of all kinds share. Editors complete and check with them; the validator has the last word. */

export function text(description: string, rest: JsonObject = {}): JsonObject {
  return { type: 'string', description, ...rest };
}

export function whole(description: string, rest: JsonObject = {}): JsonObject {
  return { type: 'integer', description, maximum: 2_147_483_647, ...rest };
}

export function flag(description: string): JsonObject {
  return { type: 'boolean', description };
}

export function words(description: string, values: readonly string[]): JsonObject {
  return { type: 'string', description, enum: [...values] };
}

export function list(description: string, items: JsonObject, rest: JsonObject = {}): JsonObject {
  return { type: 'array', description, items, ...rest };
}

export function map(
  properties: Readonly<Record<string, JsonObject>>,
  rest: JsonObject & { readonly required?: readonly Json[] } = {},
): JsonObject {
  return { type: 'object', additionalProperties: false, properties, ...rest };
}

export function reference(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

const dnsSubdomain = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
const dnsLabel = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
const quantity = '^[+-]?(\\d+\\.?\\d*|\\.\\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\\d{1,2})?$';
const texts = { type: 'object', additionalProperties: { type: ['string', 'null'] } };

/** Definitions that more than one kind uses. */
export const definitions: Readonly<Record<string, JsonObject>> = {
  quantity: {
    description: 'A Kubernetes quantity: 250m, 1.5, 2Gi.',
    anyOf: [{ type: 'string', pattern: quantity }, { type: 'number' }],
  },
  metadata: {
    type: 'object',
    required: ['name'],
    properties: {
      name: text('A DNS subdomain.', { pattern: dnsSubdomain, maxLength: 253 }),
      namespace: text('A DNS label; may come from a kustomization, the tenant or the source instead.', {
        pattern: dnsLabel,
        maxLength: 63,
      }),
      labels: texts,
      annotations: texts,
    },
  },
  selector: map({
    matchLabels: texts,
    matchExpressions: list(
      'Conditions on labels.',
      map(
        {
          key: text('A label.'),
          operator: words('The condition.', ['In', 'NotIn', 'Exists', 'DoesNotExist']),
          values: list('For In and NotIn.', { type: 'string' }),
        },
        { required: ['key', 'operator'] },
      ),
    ),
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
export const scaleTargetRef: JsonObject = {
  ...definitions['objectReference'],
  description: 'What is scaled: any kind with a scale subresource.',
  required: ['apiVersion', 'kind', 'name'],
};

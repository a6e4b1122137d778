import { z } from 'zod';
import type { Operation, OperationTag } from './operations/operation.ts';
import { apiPrefix, operations } from './operations/operations.ts';
import { components } from './resources/component.ts';
import { problemSchema } from './resources/problem.ts';

type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
/** A JSON object. */
export type JsonMembers = Readonly<Record<string, JsonValue>>;

/** The content type of a list whose items are lines. */
export const linesType = 'application/x-ndjson';

const problemType = 'application/problem+json';

const refusals: Readonly<Record<number, string>> = {
  400: 'What was asked for is malformed: `code` and `detail` say which part.',
  401: 'There is no valid token.',
  403: 'The caller may not do it.',
  404: 'There is no such thing, or the caller may not see it.',
  405: 'The path does not take this method; `Allow` names those that it takes.',
  406: 'There is no representation that the caller accepts.',
  409: 'The present state does not allow it.',
  412: '`If-Match` or `If-None-Match` does not allow it: nothing was done.',
  413: 'The body is too large.',
  414: 'A part of the path is too long.',
  415: 'The body is no JSON, or has a `Content-Encoding`: then `Accept-Encoding` says `identity`.',
  421: 'The Host header names no host of this server.',
  422: 'It is well-formed, and cannot be done as it is asked for.',
  429: 'Too many requests are under way.',
  431: 'The address and the headers are too large together.',
  500: 'An error of the server: `detail` names an id that its log has, too.',
  503: 'It cannot be answered now; try again after `Retry-After` seconds. `OutcomeUnknown`: an action may have been carried out.',
};

const ofAll = [400, 401, 403, 404, 405, 406, 414, 421, 429, 431, 500, 503] as const;
const ofActions = [...ofAll, 409, 412, 413, 415, 422] as const;

function statusesOf(kind: Operation['kind']): readonly number[] {
  if (kind === 'Action') return ofActions;
  if (kind === 'Document') return [...ofAll, 409];
  // Bounds that contradict each other, of what would be decided.
  return kind === 'Read' ? [...ofAll, 422] : ofAll;
}

/** The OpenAPI 3.1 document of every operation. */
export function buildOpenApi(): JsonMembers {
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const operation of Object.values<Operation>(operations)) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = operationObject(operation);
  }
  return {
    openapi: '3.1.1',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Plimsoll',
      version: '1.0.0',
      summary: 'Autoscaling policies, what was decided under them, and who allowed it.',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: apiPrefix }],
    security: [{ bearer: [] }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: componentSchemas(),
      responses: Object.fromEntries(
        Object.entries(refusals).map(([status, text]) => [`Problem${status}`, problemResponse(text)]),
      ),
      headers,
    },
  };
}

const description = [
  'Lists are pages: `next` is the cursor of the page after, and `Link` has its address. With `Accept: application/x-ndjson` the answer is the whole list, one item per line, as fast as it is read.',
  'Reads carry an `ETag`; with `If-None-Match` what has not changed is answered by 304.',
  'What ends or revokes one thing takes the `ETag` of a read of it as `If-Match`; every other action refuses `If-Match` (412).',
  'Actions take an `Idempotency-Key`: the same key with the same request is answered as it was the first time, for a day; with another request it is refused.',
  'Every refusal is a problem (RFC 9457) with a stable `code`.',
].join('\n\n');

const headers = {
  ETag: { description: 'Changes whenever the answer does.', schema: { type: 'string' } },
  Link: { description: 'The first page, and the next one where there is one.', schema: { type: 'string' } },
  'Content-Disposition': { description: 'The name of a file for it.', schema: { type: 'string' } },
  Location: { description: 'Of what was made.', schema: { type: 'string' } },
  'Idempotency-Replayed': {
    description: 'true: the answer is that of an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
};

const tags: Readonly<Record<OperationTag, string>> = {
  Policies: 'Policies in force, and what happened under each.',
  Decisions: 'Why there were how many replicas.',
  Sources: 'The repositories that policies come from.',
  Holds: 'What waits for a person.',
  Interventions: 'What people do for a while, beside Git.',
  Audit: 'The ledger, whole.',
  Reports: 'What happened in a period, as a document.',
  Tokens: 'What programs call the API with.',
  Replicas: 'The processes of the controller, and who holds what.',
};

function operationObject(operation: Operation): JsonMembers {
  const { id, tag, summary, role, body } = operation;
  const statuses = statusesOf(operation.kind);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `Role ${role}.`,
    parameters: [
      ...parametersOf('path', operation.parameters),
      ...parametersOf('query', operation.query),
      ...headerParameters[operation.kind],
      ...(operation.method === 'DELETE' ? [ifMatch] : []),
    ],
    ...(isNone(body) ? {} : { requestBody: { required: true, content: json(schemaOf(body, 'input')) } }),
    responses: {
      ...answersOf(operation),
      ...Object.fromEntries(
        statuses.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]),
      ),
    },
  };
}

function isNone(body: z.ZodType): boolean {
  return body instanceof z.ZodUndefined;
}

const headerParameters: Readonly<Record<Operation['kind'], readonly JsonMembers[]>> = {
  Read: [header('If-None-Match', 'An ETag: what has not changed is answered by 304.')],
  List: [header('If-None-Match', 'An ETag: what has not changed is answered by 304.')],
  Document: [],
  Action: [
    {
      ...header('Idempotency-Key', 'Makes a repetition of the request harmless.'),
      schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
    },
  ],
};

const ifMatch = header('If-Match', 'The ETag of a read of it: another state is not acted on, which is 412.');

function header(name: string, text: string): JsonMembers {
  return { name, in: 'header', required: false, description: text, schema: { type: 'string' } };
}

function parametersOf(place: 'path' | 'query', schema: z.ZodObject): readonly JsonMembers[] {
  const { required = [] } = writtenSchema(schema, 'input') as { readonly required?: readonly string[] };
  const { properties = {} } = writtenSchema(schema, 'output') as {
    readonly properties?: Readonly<Record<string, JsonMembers>>;
  };
  return Object.entries(properties).map(([name, { description: text, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(text === undefined ? {} : { description: text }),
    schema: rest,
  }));
}

function answersOf({ kind, status, answer, types = [] }: Operation): JsonMembers {
  const schema = schemaOf(answer, 'output');
  if (kind === 'Action') {
    const replayed = { 'Idempotency-Replayed': reference('Idempotency-Replayed') };
    const content = json(schema);
    if (status === 200)
      return { 200: { description: 'It is done, or what a dry run says.', headers: replayed, content } };
    const headers = { Location: reference('Location'), ...replayed };
    return {
      200: { description: 'What a dry run says.', headers: replayed, content },
      201: { description: 'It is done.', headers, content },
    };
  }
  if (kind === 'Document') {
    const headers = { 'Content-Disposition': reference('Content-Disposition') };
    const content = Object.fromEntries(types.map((type) => [type, { schema: textOf(type) }]));
    return { 200: { description: 'Its text.', headers, content } };
  }
  const unchanged = { description: 'It has not changed.', headers: { ETag: reference('ETag') } };
  if (kind === 'Read') {
    const content = json(schema);
    return { 200: { description: 'It.', headers: { ETag: reference('ETag') }, content }, 304: unchanged };
  }
  const page = {
    type: 'object',
    properties: {
      items: { type: 'array', items: schema, description: 'What the page holds, in the order of the list.' },
      next: { type: ['string', 'null'], description: 'The cursor of the next page; null: this is the last.' },
    },
    required: ['items', 'next'],
    additionalProperties: false,
  };
  return {
    200: {
      description: 'A page, or as NDJSON all that is left of the list.',
      headers: { ETag: reference('ETag'), Link: reference('Link') },
      content: { ...json(page), [linesType]: { schema: { type: 'string' } } },
    },
    304: unchanged,
  };
}

/** What is JSON is described by its own documentation. */
function textOf(type: string): JsonMembers {
  return type === 'application/json' ? { type: 'object' } : { type: 'string' };
}

function reference(name: string): JsonMembers {
  return { $ref: `#/components/headers/${name}` };
}

function json(schema: JsonMembers): JsonMembers {
  return { 'application/json': { schema } };
}

function problemResponse(text: string): JsonMembers {
  return { description: text, content: { [problemType]: { schema: schemaOf(problemSchema, 'output') } } };
}

const referenceTo = (id: string): string => `#/components/schemas/${id}`;

function componentSchemas(): JsonMembers {
  const all = [...components].sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(all.map(([id, schema]) => [id, writtenSchema(schema, ioOf(id))]));
}

/** What callers send may leave out what has a default. */
function ioOf(id: string): 'input' | 'output' {
  return id.endsWith('Request') ? 'input' : 'output';
}

/** A schema as it stands in the document: by reference where it is a component. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonMembers {
  const id = schema.meta()?.id;
  return id !== undefined && components.get(id) === schema
    ? { $ref: referenceTo(id) }
    : writtenSchema(schema, io);
}

function writtenSchema(schema: z.ZodType, io: 'input' | 'output'): JsonMembers {
  const { $defs = {}, ...whole } = z.toJSONSchema(schema, { io, override });
  const written = $defs[schema.meta()?.id ?? ''] ?? whole;
  const text = JSON.stringify({ ...written, $schema: undefined, id: undefined }).replaceAll(
    '"#/$defs/',
    `"${referenceTo('')}`,
  );
  return JSON.parse(text) as JsonMembers;
}

/** Bounds of what JavaScript can count say nothing to others. */
function override({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

import { z } from 'zod';

/** Roles, each with what the ones before it may do. */
export type OperationRole = 'viewer' | 'operator' | 'approver' | 'admin';

/** Under which heading an operation stands. */
export type OperationTag =
  | 'Policies'
  | 'Decisions'
  | 'Sources'
  | 'Holds'
  | 'Interventions'
  | 'Audit'
  | 'Reports'
  | 'Tokens'
  | 'Replicas';

/** What an operation is asked for. */
type OperationKind = 'Read' | 'List' | 'Action' | 'Document';

/**
 * One operation of the REST API: what server, command line, console and the OpenAPI document know of it.
 *
 * - `Read` answers with one object, and an ETag.
 * - `List` answers with a page of items, or with all of them as NDJSON; `answer` is one item.
 * - `Action` changes something, and takes an `Idempotency-Key`.
 * - `Document` answers with a text of one of its types.
 */
export interface Operation<
  Parameters extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
  Kind extends OperationKind = OperationKind,
> {
  readonly kind: Kind;
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/api/v1`, parameters in braces. */
  readonly path: string;
  readonly tag: OperationTag;
  readonly role: OperationRole;
  /** A sentence. */
  readonly summary: string;
  /** Of the path. */
  readonly parameters: Parameters;
  readonly query: Query;
  /** `z.undefined()`: it has none. */
  readonly body: Body;
  readonly answer: Answer;
  /** Of an answer that is no refusal. */
  readonly status: 200 | 201;
  /** The answer holds a secret: it is shown once, and not kept. */
  readonly isSecret: boolean;
  /** Of the text of a `Document`. */
  readonly types?: readonly string[];
}

type Given<Answer> = Pick<Operation, 'id' | 'path' | 'tag' | 'summary'> & { readonly answer: Answer };

const none = z.strictObject({});
const noBody = z.undefined();

/** Default and bounds of `first`. */
export const defaultPageSize = 20;
export const largestPage = 100;

const pageSize = z
  .string()
  .regex(/^[0-9]{1,3}$/, `a number, 1 to ${largestPage}`)
  .transform(Number)
  .pipe(z.int().min(1).max(largestPage));

/** What every list takes. */
export const pageQuery = z.strictObject({
  first: pageSize.default(defaultPageSize).describe('How many items a page holds.'),
  after: z
    .string()
    .min(1)
    .max(1_024)
    .optional()
    .describe(
      'The `next` of the page before. It is a place in the order of the list, which no filter changes: with other filters the page begins behind the same place.',
    ),
});

/** What every action takes that says beforehand what it would do. */
export const rehearsalQuery = z.strictObject({
  dryRun: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .pipe(z.boolean())
    .optional()
    .describe('true: only says what the action would do, an ActionPreview. Nothing is done or recorded.'),
  confirm: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'the digest of a dry run, 64 hexadecimal digits')
    .optional()
    .describe('The digest of the effect that was looked at: another effect is refused.'),
});

/** An operation that answers with one object. */
export function read<
  Answer extends z.ZodType,
  Parameters extends z.ZodObject = typeof none,
  Query extends z.ZodObject = typeof none,
>(
  given: Given<Answer> & {
    readonly parameters?: Parameters;
    readonly query?: Query;
  },
): Operation<Parameters, Query, typeof noBody, Answer, 'Read'> {
  const { parameters = none as z.ZodObject as Parameters, query = none as z.ZodObject as Query } = given;
  const fixed = { method: 'GET', role: 'viewer', status: 200, isSecret: false, body: noBody } as const;
  return { ...fixed, ...given, kind: 'Read', parameters, query };
}

/** An operation that answers with pages; `query` holds what narrows the list. */
export function list<
  Answer extends z.ZodType,
  Parameters extends z.ZodObject = typeof none,
  Query extends z.ZodObject = typeof pageQuery,
>(
  given: Given<Answer> & {
    readonly parameters?: Parameters;
    readonly query?: Query;
  },
): Operation<Parameters, Query, typeof noBody, Answer, 'List'> {
  const { parameters = none as z.ZodObject as Parameters, query = pageQuery as z.ZodObject as Query } = given;
  const fixed = { method: 'GET', role: 'viewer', status: 200, isSecret: false, body: noBody } as const;
  return { ...fixed, ...given, kind: 'List', parameters, query };
}

/** An operation that changes something. */
export function action<
  Answer extends z.ZodType,
  Parameters extends z.ZodObject = typeof none,
  Query extends z.ZodObject = typeof none,
  Body extends z.ZodType = typeof noBody,
>(
  given: Given<Answer> & {
    readonly role: OperationRole;
    readonly method?: 'POST' | 'DELETE';
    readonly status?: 200 | 201;
    readonly isSecret?: boolean;
    readonly parameters?: Parameters;
    readonly query?: Query;
    readonly body?: Body;
  },
): Operation<Parameters, Query, Body, Answer, 'Action'> {
  const {
    parameters = none as z.ZodObject as Parameters,
    query = none as z.ZodObject as Query,
    body = noBody as z.ZodType as Body,
  } = given;
  return { method: 'POST', status: 200, isSecret: false, ...given, kind: 'Action', parameters, query, body };
}

/** An operation that answers with a text. */
export function document<Parameters extends z.ZodObject>(
  given: Omit<Given<z.ZodType>, 'answer'> & {
    readonly parameters: Parameters;
    readonly types: readonly string[];
  },
): Operation<Parameters, typeof none, typeof noBody, z.ZodString, 'Document'> {
  const fixed = { method: 'GET', role: 'viewer', status: 200, isSecret: false, body: noBody } as const;
  return { ...fixed, ...given, kind: 'Document', query: none, answer: z.string() };
}

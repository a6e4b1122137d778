import type { FastifyRequest } from 'fastify';
import {
  type DocumentNode,
  getOperationAST,
  Kind,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { apiPrefix } from '#contracts';
import { graphqlPath, maximumTokens } from '../admin-graphql/server/graphql-options.ts';

/** What decides where a request is answered. */
export type RoutedRequest = Pick<FastifyRequest, 'method' | 'routeOptions' | 'body' | 'query'>;

/** The text of a query that is known by its SHA-256, in hexadecimal digits; undefined: it is not. */
export type KnownText = (sha256: string) => string | undefined;

const changesNothing: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Reports are made and kept by the leader. */
const reportsPath = `${apiPrefix}/reports`;
const reportFields: ReadonlySet<string> = new Set(['report', 'reports', 'reportSchedules']);

/** A text without any of these words asks for nothing of the leader's, and need not be parsed. */
const mayBeLeaders = /mutation|report/;

/**
 * Whether only the leader can answer a request: whatever changes something, a delivery of a forge, and reports. Signing in
 * changes nothing but the browser's cookies, and every process does it.
 */
export function isForLeader(request: RoutedRequest, known: KnownText): boolean {
  const { url = '' } = request.routeOptions;
  if (url === graphqlPath) return isQueryForLeader(request, known);
  const isChange = !changesNothing.has(request.method);
  if (url.startsWith(`${apiPrefix}/`))
    return isChange || url === reportsPath || url.startsWith(`${reportsPath}/`);
  return isChange && url.startsWith('/webhooks/');
}

function isQueryForLeader({ method, body, query }: RoutedRequest, known: KnownText): boolean {
  const { text, operationName } = askedIn(method === 'POST' ? body : query, known);
  if (text === undefined || !mayBeLeaders.test(text)) return false;
  try {
    const document = parse(text, { maxTokens: maximumTokens, noLocation: true });
    const operation = getOperationAST(document, operationName);
    if (operation?.operation === OperationTypeNode.MUTATION) return true;
    return operation ? namesReports(operation.selectionSet, document) : false;
  } catch {
    // It is refused here as it would be there.
    return false;
  }
}

/** Whether reports are among the fields of a query, by themselves or in a fragment, each of which is looked at once. */
function namesReports(asked: SelectionSetNode, { definitions }: DocumentNode): boolean {
  const fragments = new Map(
    definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each.selectionSet] as const] : [],
    ),
  );
  const wanted = new Set([asked]);
  for (const { selections } of wanted) {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (reportFields.has(selection.name.value)) return true;
        continue;
      }
      const set =
        selection.kind === Kind.INLINE_FRAGMENT
          ? selection.selectionSet
          : fragments.get(selection.name.value);
      if (set !== undefined) wanted.add(set);
    }
  }
  return false;
}

interface Asked {
  readonly text: string | undefined;
  readonly operationName: string | undefined;
}

/** A mutation that is sent by its hash alone is one that is known from the start; another one is asked for whole. */
function askedIn(asked: unknown, known: KnownText): Asked {
  const { query, operationName, extensions } = objectOf(asked);
  const { sha256Hash } = objectOf(objectOf(extensions)['persistedQuery']);
  const hash = typeof sha256Hash === 'string' ? sha256Hash : '';
  const text = typeof query === 'string' && query !== '' ? query : known(hash);
  return { text, operationName: typeof operationName === 'string' ? operationName : undefined };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

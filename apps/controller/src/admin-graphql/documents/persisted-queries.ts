import { createHash } from 'node:crypto';
import type { PersistedQueryProvider } from 'mercurius';

/** A console has some dozens of queries. */
const maximumQueries = 500;

/** Longer ones are sent whole each time: all that are kept are 8 MB at most. */
const maximumCharacters = 16_384;

interface GraphqlRequest {
  readonly query?: unknown;
  readonly extensions?: unknown;
}

/**
 * Keeps queries that were answered, by their SHA-256, so that clients send the hash in their place; the query that was
 * asked for longest ago goes first. Those that are known from the start stay. The protocol is that of automatic persisted queries.
 *
 * @see https://www.apollographql.com/docs/apollo-server/performance/apq
 */
export function createPersistedQueries(known: readonly string[] = []): PersistedQueryProvider {
  const queries = new Map<string, string>();
  /** Of the same queries: clients send the text beside its hash, too. */
  const hashes = new Map<string, string>();
  const lasting = new Map(known.map((query) => [hashOfQuery(query), query]));
  return {
    isPersistedQuery: (request: GraphqlRequest): boolean => isEmpty(request.query) && hasHash(request),
    isPersistedQueryRetry: (request: GraphqlRequest): boolean => !isEmpty(request.query) && hasHash(request),
    // Empty: hashes of that form are not supported.
    getHash: (request: GraphqlRequest): string => hashOf(request) ?? '',
    getHashForQuery: (query: string) => hashes.get(query) ?? hashOfQuery(query),
    getQueryFromHash: (hash: string): Promise<string> => {
      const query = lasting.get(hash) ?? queries.get(hash);
      if (query !== undefined && !lasting.has(hash)) {
        queries.delete(hash);
        queries.set(hash, query);
      }
      // Without a text the hash is answered as unknown.
      return Promise.resolve(query ?? '');
    },
    saveQuery: (hash: string, query: string): Promise<void> => {
      if (query.length <= maximumCharacters) {
        queries.set(hash, query);
        hashes.set(query, hash);
      }
      const [oldest] = queries;
      if (queries.size > maximumQueries && oldest !== undefined) {
        queries.delete(oldest[0]);
        hashes.delete(oldest[1]);
      }
      return Promise.resolve();
    },
    notFoundError: 'PersistedQueryNotFound',
    notSupportedError: 'PersistedQueryNotSupported',
    mismatchError: 'the hash is not that of the query',
  };
}

function hashOfQuery(query: string): string {
  return createHash('sha256').update(query, 'utf8').digest('hex');
}

function isEmpty(query: unknown): boolean {
  return query === undefined || query === null || query === '';
}

function hasHash(request: GraphqlRequest): boolean {
  return propertyOf(request.extensions, 'persistedQuery') !== undefined;
}

function hashOf(request: GraphqlRequest): string | undefined {
  const persisted = propertyOf(request.extensions, 'persistedQuery');
  const hash = propertyOf(persisted, 'sha256Hash');
  const isKnown = propertyOf(persisted, 'version') === 1 && typeof hash === 'string';
  return isKnown && /^[0-9a-f]{64}$/.test(hash) ? hash : undefined;
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (Reflect.get(value, name) as unknown)
    : undefined;
}

import { readFileSync } from 'node:fs';
import { AdapterError, fileFault } from '#kernel';
import { QueryError } from '../../admin/requests/query-error.ts';
import { consoleDocuments } from '../../console/built-console.ts';

/** Which queries are answered. */
export interface KnownQueriesSettings {
  readonly queries: 'Any' | 'Known';
  readonly knownQueriesFile?: string | undefined;
}

/** The queries that are known from the start: the console's, and those of a file. */
export class KnownQueries {
  readonly #texts: ReadonlySet<string>;
  readonly #isAnyAdmitted: boolean;

  /** @throws AdapterError where the file is no list of texts */
  constructor({ queries, knownQueriesFile }: KnownQueriesSettings) {
    const listed = knownQueriesFile === undefined ? [] : readTexts(knownQueriesFile);
    this.#texts = new Set([...consoleDocuments(), ...listed]);
    this.#isAnyAdmitted = queries === 'Any';
  }

  get texts(): readonly string[] {
    return [...this.#texts];
  }

  /** @throws QueryError `UnknownQuery` */
  require(text: string): void {
    if (this.#isAnyAdmitted || this.#texts.has(text)) return;
    throw new QueryError('UnknownQuery', 'this controller answers known queries only (graphql.queries)');
  }
}

function readTexts(file: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value;
  } catch (error) {
    throw unusable(file, `cannot be read: ${fileFault(error, file)}`);
  }
  throw unusable(file, 'is no list of GraphQL texts in JSON');
}

function unusable(file: string, why: string): AdapterError {
  const message = `graphql.knownQueriesFile ${file} ${why}`;
  return new AdapterError({ code: 'KnownQueriesUnusable', message, retryable: false });
}

import type {
  LedgerDatabase,
  ScopeConnections,
  SqlDatabase,
  SqlOutcome,
  SqlQuery,
  SqlRefusal,
  SqlRow,
  SqlStatement,
} from '#adapter-sql';
import { AdapterError, type Result } from '#kernel';

/**
 * A database that stores are built on before it is open. Nest constructs the stores in an order of its own; the
 * start-up opens the database in the order of the start.
 */
export class DeferredLedgerDatabase implements SqlDatabase {
  readonly #load: () => Promise<LedgerDatabase>;
  #database: LedgerDatabase | undefined;
  /** See {@link LedgerDatabase.scopes}. */
  readonly scopes: ScopeConnections = {
    takes: deferred(() => this.#opened().scopes.takes),
    renewals: deferred(() => this.#opened().scopes.renewals),
  };

  /** `load` opens and migrates the database. */
  constructor(load: () => Promise<LedgerDatabase>) {
    this.#load = load;
  }

  get dialect(): SqlDatabase['dialect'] {
    return this.#opened().sql.dialect;
  }

  get watchChanges(): LedgerDatabase['watchChanges'] {
    return this.#opened().watchChanges;
  }

  /** @throws AdapterError naming what could not be opened or migrated. */
  async open(): Promise<void> {
    this.#database = await this.#load();
  }

  async close(): Promise<void> {
    await this.#database?.close();
    this.#database = undefined;
  }

  async query(query: SqlQuery): Promise<readonly SqlRow[]> {
    return this.#opened().sql.query(query);
  }

  async transaction(statements: readonly SqlStatement[]): Promise<Result<readonly SqlOutcome[], SqlRefusal>> {
    return this.#opened().sql.transaction(statements);
  }

  #opened(): LedgerDatabase {
    if (this.#database !== undefined) return this.#database;
    throw new AdapterError({ code: 'NotOpen', message: 'the database is not open', retryable: true });
  }
}

/** A database that is asked for when it is used. */
function deferred(opened: () => SqlDatabase): SqlDatabase {
  return {
    get dialect() {
      return opened().dialect;
    },
    query: async (query) => opened().query(query),
    transaction: async (statements) => opened().transaction(statements),
  };
}

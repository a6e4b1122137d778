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
import { AdapterError, messageOf, type Result } from '#kernel';
import { type DatabaseOutage, DatabaseReach } from './database-away.ts';

/**
 * A database that stores are built on before it is open. Nest constructs the stores in an order of its own; the
 * start-up opens the database in the order of the start.
 */
export class DeferredLedgerDatabase implements SqlDatabase {
  readonly #load: () => Promise<LedgerDatabase>;
  #database: LedgerDatabase | undefined;
  readonly #reach = new DatabaseReach();
  /** See {@link LedgerDatabase.scopes}. */
  readonly scopes: ScopeConnections = {
    takes: deferred(
      () => this.#opened().scopes.takes,
      (request) => this.#reach.during(request),
    ),
    // Every few seconds, by a connection of their own.
    renewals: deferred(
      () => this.#opened().scopes.renewals,
      (request) => this.#reach.probe(request),
    ),
  };
  #awaited: { readonly since: string; readonly reason: string } | null = null;

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

  /** Why it is not open, in a sentence; null: it is. */
  get missing(): string | null {
    if (this.#database !== undefined) return null;
    return this.#awaited?.reason ?? 'it is not open yet';
  }

  /** Since when it could not be opened, RFC 3339; null: it is open, or was not tried. */
  get awaitedSince(): string | null {
    return this.#awaited?.since ?? null;
  }

  /** That it is open and not reached now; null: it is, as far as anything was asked of it. */
  get outage(): DatabaseOutage | null {
    return this.#reach.outage;
  }

  /**
   * Opens it; to be called again where it may pass.
   *
   * @throws AdapterError naming what could not be opened or migrated.
   */
  async open(): Promise<void> {
    try {
      this.#database = await this.#load();
      this.#awaited = null;
    } catch (error) {
      const since = this.#awaited?.since ?? new Date().toISOString();
      this.#awaited = { since, reason: messageOf(error) };
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#database?.close();
    this.#database = undefined;
  }

  async query(query: SqlQuery): Promise<readonly SqlRow[]> {
    return this.#reach.ask(() => this.#opened().sql.query(query));
  }

  async transaction(statements: readonly SqlStatement[]): Promise<Result<readonly SqlOutcome[], SqlRefusal>> {
    return this.#reach.during(() => this.#opened().sql.transaction(statements));
  }

  #opened(): LedgerDatabase {
    if (this.#database !== undefined) return this.#database;
    throw new AdapterError({
      code: 'NotOpen',
      message: 'the database is not open',
      retryable: true,
      system: 'Database',
    });
  }
}

/** A database that is asked for when it is used. */
function deferred(
  opened: () => SqlDatabase,
  during: <T>(request: () => Promise<T>) => Promise<T>,
): SqlDatabase {
  return {
    get dialect() {
      return opened().dialect;
    },
    query: (query) => during(async () => opened().query(query)),
    transaction: (statements) => during(async () => opened().transaction(statements)),
  };
}

import {
  type LedgerDatabase,
  openLedgerDatabase,
  type SqlDatabase,
  type SqlOutcome,
  type SqlQuery,
  type SqlRefusal,
  type SqlRow,
  type SqlStatement,
} from '#adapter-sql';
import type { Result } from '#kernel';
import type { DatabaseAddress } from '../database/database-address.ts';

/**
 * The database under the role of retention, where it has one of its own: connected while something is deleted, so that no
 * connection with that right stands in between. Otherwise it is the controller's.
 */
export class RetentionDatabase implements SqlDatabase {
  readonly #controllers: SqlDatabase;
  readonly #ownAddress: () => Promise<DatabaseAddress | null>;
  #own: LedgerDatabase | null = null;

  constructor(options: {
    readonly controllers: SqlDatabase;
    /** `null`: retention has no role of its own. */
    readonly ownAddress: () => Promise<DatabaseAddress | null>;
  }) {
    this.#controllers = options.controllers;
    this.#ownAddress = options.ownAddress;
  }

  get dialect(): SqlDatabase['dialect'] {
    return this.#controllers.dialect;
  }

  async query(query: SqlQuery): Promise<readonly SqlRow[]> {
    return (await this.#connected()).query(query);
  }

  async transaction(statements: readonly SqlStatement[]): Promise<Result<readonly SqlOutcome[], SqlRefusal>> {
    return (await this.#connected()).transaction(statements);
  }

  /** Ends the connection; the next request makes another. */
  async release(): Promise<void> {
    const own = this.#own;
    this.#own = null;
    await own?.close();
  }

  async #connected(): Promise<SqlDatabase> {
    if (this.#own !== null) return this.#own.sql;
    const address = await this.#ownAddress();
    if (address === null) return this.#controllers;
    this.#own = await openLedgerDatabase(address);
    return this.#own.sql;
  }
}

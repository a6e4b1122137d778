import type { SqlDatabase } from '../connection/sql-database.ts';

/** The monthly partitions of the ledger's entries. SQLite has none. */
export class SqlPartitions {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /**
   * Makes those of this month and of the next three, where they are missing.
   *
   * @throws AdapterError where a reader of the default partition lets no other in for half a second
   */
  async makeAhead(): Promise<void> {
    if (this.#database.dialect === 'sqlite') return;
    await this.#database.transaction([{ sql: 'SELECT make_ledger_partitions()' }]);
  }
}

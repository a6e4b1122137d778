import type { SqlDatabase, SqlRow } from '../connection/sql-database.ts';
import { isRenewed } from '../statements/fence-statements.ts';
import { bigintOf, textOf } from '../statements/rows.ts';

/** Who holds a scope, as the database has it. */
export interface ScopeHolder {
  readonly scope: string;
  /** Of the last take-over. */
  readonly epoch: bigint;
  /** Null: it was given up, or not renewed in time. */
  readonly holder: string | null;
  /** When it was taken, RFC 3339, by the database's clock; null: it is free, or was taken by a release that did not say. */
  readonly since: string | null;
}

/** Who holds the scopes, for people. */
export class SqlScopeHolders {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** All scopes that were ever taken. @throws AdapterError */
  async list(): Promise<readonly ScopeHolder[]> {
    const rows = await this.#database.query({
      sql: `SELECT scope, epoch, CASE WHEN ${isRenewed(this.#database.dialect)} THEN holder END AS holder, taken_at
        FROM ledger_epoch ORDER BY scope`,
    });
    return rows.map(holderOf);
  }
}

function holderOf(row: SqlRow): ScopeHolder {
  const { holder, taken_at: takenAt } = row;
  return {
    scope: textOf(row, 'scope'),
    epoch: bigintOf(row, 'epoch'),
    holder: typeof holder === 'string' ? holder : null,
    since:
      typeof holder === 'string' && typeof takenAt === 'bigint'
        ? new Date(Number(takenAt)).toISOString()
        : null,
  };
}

import { err, ok, type Result } from '#kernel';
import type { Fence, FenceLost, FencePort, ScopeHeld } from '#ledger';
import { databaseError } from '../database-error.ts';
import type { SqlDatabase } from '../sql-database.ts';
import { giveUpStatements, renewStatements, takeStatements } from './fence-statements.ts';
import { bigintOf, textOf } from './rows.ts';

/** Fences in a SQL database. */
export class SqlFences implements FencePort {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async take(scopes: readonly string[], holder: string): Promise<Result<readonly Fence[], ScopeHeld>> {
    const ordered = [...new Set(scopes)].sort();
    const taken = await this.#database.transaction(takeStatements(this.#database.dialect, ordered, holder));
    if (!taken.ok) return err({ code: 'ScopeHeld' });
    const epochs = taken.value.flatMap(({ rows }) => rows).filter((row) => 'epoch' in row);
    return ok(epochs.map((row) => ({ scope: textOf(row, 'scope'), epoch: bigintOf(row, 'epoch'), holder })));
  }

  async renew(fences: readonly Fence[]): Promise<Result<undefined, FenceLost>> {
    if (fences.length === 0) return ok(undefined);
    const renewed = await this.#database.transaction(renewStatements(this.#database.dialect, fences));
    return renewed.ok ? ok(undefined) : err({ code: 'Fenced' });
  }

  async giveUp(fences: readonly Fence[]): Promise<void> {
    if (fences.length === 0) return;
    const given = await this.#database.transaction(giveUpStatements(this.#database.dialect, fences));
    if (!given.ok) throw databaseError('QueryFailed', `scopes not given up: ${given.error.code}`);
  }

  async epochOf(scope: string): Promise<bigint> {
    const [row] = await this.#database.query({
      sql: 'SELECT epoch FROM ledger_epoch WHERE scope = ?',
      parameters: [scope],
    });
    return row === undefined ? 0n : bigintOf(row, 'epoch');
  }
}

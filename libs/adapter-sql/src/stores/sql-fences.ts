import { err, ok, type Result } from '#kernel';
import type { ElectedHolder, Fence, FenceLost, FencePort, ScopeHeld, SeenScope } from '#ledger';
import { databaseError } from '../connection/database-error.ts';
import type { SqlDatabase, SqlStatement } from '../connection/sql-database.ts';
import {
  databaseNow,
  giveUpStatements,
  renewStatements,
  takeElectedStatements,
  takeStatements,
} from '../statements/fence-statements.ts';
import { bigintOf, textOf } from '../statements/rows.ts';

/**
 * What scopes are held by. A take waits for the transactions of the scope's last holder, for ten seconds where that one
 * stands still: no renewal may wait behind it.
 */
export interface ScopeConnections {
  readonly takes: SqlDatabase;
  readonly renewals: SqlDatabase;
}

const nobody = { holder: null, silentMilliseconds: null, url: null };

/** Fences in a SQL database. */
export class SqlFences implements FencePort {
  readonly #database: SqlDatabase;
  readonly #renewals: SqlDatabase;

  constructor({ takes, renewals }: ScopeConnections) {
    this.#database = takes;
    this.#renewals = renewals;
  }

  async take(scopes: readonly string[], holder: string): Promise<Result<readonly Fence[], ScopeHeld>> {
    const ordered = [...new Set(scopes)].sort();
    return this.#take(takeStatements(this.#database.dialect, ordered, holder), holder);
  }

  async look(scopes: readonly string[]): Promise<readonly SeenScope[]> {
    if (scopes.length === 0) return [];
    const silent = `${databaseNow[this.#database.dialect]} - renewed_at`;
    const rows = await this.#database.query({
      sql: `SELECT scope, epoch, holder, advertised_url, ${silent} AS silent
        FROM ledger_epoch WHERE scope IN (${scopes.map(() => '?').join(', ')})`,
      parameters: [...scopes],
    });
    const known = new Map(rows.map((row) => [textOf(row, 'scope'), row]));
    return scopes.map((scope) => {
      const row = known.get(scope);
      if (row === undefined) return { scope, epoch: 0n, ...nobody };
      return {
        scope,
        epoch: bigintOf(row, 'epoch'),
        holder: row['holder'] === null ? null : textOf(row, 'holder'),
        silentMilliseconds: row['silent'] === null ? null : Number(bigintOf(row, 'silent')),
        url: row['advertised_url'] === null ? null : textOf(row, 'advertised_url'),
      };
    });
  }

  async takeElected(
    seen: readonly SeenScope[],
    elected: ElectedHolder,
  ): Promise<Result<readonly Fence[], ScopeHeld>> {
    const ordered = seen.toSorted((a, b) => (a.scope < b.scope ? -1 : 1));
    return this.#take(takeElectedStatements(this.#database.dialect, ordered, elected), elected.holder);
  }

  async renew(fences: readonly Fence[]): Promise<Result<undefined, FenceLost>> {
    const renewed = await this.#renewals.transaction(renewStatements(this.#renewals.dialect, fences));
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

  async #take(
    statements: readonly SqlStatement[],
    holder: string,
  ): Promise<Result<readonly Fence[], ScopeHeld>> {
    const taken = await this.#database.transaction(statements);
    if (!taken.ok) return err({ code: 'ScopeHeld' });
    const epochs = taken.value.flatMap(({ rows }) => rows).filter((row) => 'epoch' in row);
    return ok(epochs.map((row) => ({ scope: textOf(row, 'scope'), epoch: bigintOf(row, 'epoch'), holder })));
  }
}

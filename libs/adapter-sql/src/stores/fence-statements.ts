import { type AppendBatch, type Fence, fenceExpirySeconds } from '#ledger';
import type { SqlDialect, SqlStatement } from '../sql-database.ts';

/** The database's clock in milliseconds since 1970, read anew for each row. */
const nowOf: Readonly<Record<SqlDialect, string>> = {
  sqlite: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  postgres: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)',
};

/**
 * Checks that the fences are in force, as the first statements of a transaction.
 *
 * PostgreSQL's lock makes a take-over wait for the transaction, so that the new holder reads all of it. A renewal does
 * not wait for it.
 */
export function fenceChecks(dialect: SqlDialect, fences: readonly Fence[]): readonly SqlStatement[] {
  const lock = dialect === 'postgres' ? ' FOR KEY SHARE' : '';
  return inOrderOfScopes(fences).map(({ scope, epoch, holder }) => ({
    sql: `SELECT scope FROM ledger_epoch WHERE scope = ? AND epoch = ? AND holder = ?${lock}`,
    parameters: [scope, epoch, holder],
    expect: { count: 1, otherwise: 'Fenced' },
  }));
}

/** Checks fences, and notes the batch that is stored under them. A batch that they stored last is refused, too. */
export function fenceUses({ id, fences }: AppendBatch): readonly SqlStatement[] {
  return inOrderOfScopes(fences).map(({ scope, epoch, holder }) => ({
    sql: `UPDATE ledger_epoch SET last_append = ?
      WHERE scope = ? AND epoch = ? AND holder = ? AND (last_append IS NULL OR last_append <> ?)`,
    parameters: [id, scope, epoch, holder, id],
    expect: { count: 1, otherwise: 'Fenced' },
  }));
}

/** Takes scopes in the order given; each returns its epoch. */
export function takeStatements(
  dialect: SqlDialect,
  scopes: readonly string[],
  holder: string,
): readonly SqlStatement[] {
  const now = nowOf[dialect];
  const oldest = `${now} - ${fenceExpirySeconds * 1_000}`;
  return scopes.flatMap((scope) => [
    // The upsert's own lock would let transactions go on that have checked the fence.
    ...(dialect === 'postgres'
      ? [{ sql: 'SELECT scope FROM ledger_epoch WHERE scope = ? FOR UPDATE', parameters: [scope] }]
      : []),
    {
      sql: `INSERT INTO ledger_epoch (scope, epoch, holder, renewed_at) VALUES (?, 1, ?, ${now})
        ON CONFLICT (scope) DO UPDATE
        SET epoch = ledger_epoch.epoch + 1, holder = excluded.holder, renewed_at = excluded.renewed_at,
          last_append = NULL
        WHERE ledger_epoch.renewed_at IS NULL OR ledger_epoch.renewed_at <= ${oldest}
          OR ledger_epoch.holder = excluded.holder
        RETURNING scope, epoch`,
      parameters: [scope, holder],
      expect: { count: 1, otherwise: 'ScopeHeld' },
    },
  ]);
}

/** Renews fences, or is refused with `Fenced`. */
export function renewStatements(dialect: SqlDialect, fences: readonly Fence[]): readonly SqlStatement[] {
  return inOrderOfScopes(fences).map(({ scope, epoch, holder }) => ({
    sql: `UPDATE ledger_epoch SET renewed_at = ${nowOf[dialect]} WHERE scope = ? AND epoch = ? AND holder = ?`,
    parameters: [scope, epoch, holder],
    expect: { count: 1, otherwise: 'Fenced' },
  }));
}

/** Frees the scopes of fences that are still in force. */
export function giveUpStatements(fences: readonly Fence[]): readonly SqlStatement[] {
  return inOrderOfScopes(fences).map(({ scope, epoch, holder }) => ({
    sql: `UPDATE ledger_epoch SET holder = NULL, renewed_at = NULL WHERE scope = ? AND epoch = ? AND holder = ?`,
    parameters: [scope, epoch, holder],
  }));
}

/** The same order in every transaction, so that no two of them wait for each other. */
function inOrderOfScopes(fences: readonly Fence[]): readonly Fence[] {
  return fences.toSorted((a, b) => (a.scope < b.scope ? -1 : 1));
}

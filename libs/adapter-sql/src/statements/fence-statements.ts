import {
  type AppendBatch,
  type ElectedHolder,
  type Fence,
  fenceExpirySeconds,
  type SeenScope,
} from '#ledger';
import type { SqlDialect, SqlQuery, SqlStatement, SqlValue } from '../connection/sql-database.ts';

/** The database's clock in milliseconds since 1970, read anew for each row. */
export const databaseNow: Readonly<Record<SqlDialect, string>> = {
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
  return [lockOf(fences, dialect === 'postgres' ? ' FOR KEY SHARE' : '')];
}

/**
 * Notes the batch that is stored under fences that were checked, as the last statements of its transaction: from here on it
 * waits for nothing, so that no renewal of its own process waits for a lock that another session keeps. A batch that they
 * stored last is refused.
 */
export function fenceUses(
  dialect: SqlDialect,
  { id, fences }: Pick<AppendBatch, 'id' | 'fences'>,
): readonly SqlStatement[] {
  return [
    ...updateLocks(dialect, fences),
    {
      sql: `UPDATE ledger_epoch SET last_append = ?
        WHERE (${anyOf(fences)}) AND (last_append IS NULL OR last_append <> ?)`,
      parameters: [id, ...fieldsOf(fences), id],
      expect: { count: fences.length, otherwise: 'Fenced' },
    },
  ];
}

/** Finds out whether one of the fences has stored the batch: then all of them have. */
export function fencesThatStored({ id, fences }: Pick<AppendBatch, 'id' | 'fences'>): SqlQuery {
  return {
    sql: `SELECT scope FROM ledger_epoch WHERE (${anyOf(fences)}) AND last_append = ?`,
    parameters: [...fieldsOf(fences), id],
  };
}

/** Takes scopes that are free, in the order given; each returns its epoch. */
export function takeStatements(
  dialect: SqlDialect,
  scopes: readonly string[],
  holder: string,
): readonly SqlStatement[] {
  const where = { sql: isFree(dialect), parameters: [] };
  return scopes.flatMap((scope) => takeOf(dialect, { scope, holder, url: null }, where));
}

/** Takes scopes as they were seen, in the order given; each returns its epoch. */
export function takeElectedStatements(
  dialect: SqlDialect,
  seen: readonly SeenScope[],
  { holder, url, expired }: ElectedHolder,
): readonly SqlStatement[] {
  const isSame = `ledger_epoch.epoch = ? AND COALESCE(ledger_epoch.holder, '') = ?`;
  return seen.flatMap(({ scope, epoch, holder: before }) => {
    const mayOverride = before !== null && expired.includes(before);
    const sql = mayOverride ? isSame : `${isSame} AND (${isFree(dialect)})`;
    return takeOf(dialect, { scope, holder, url }, { sql, parameters: [epoch, before ?? ''] });
  });
}

/** Whether the holder of a row has renewed it in time. */
export function isRenewed(dialect: SqlDialect): string {
  return `ledger_epoch.renewed_at > ${databaseNow[dialect]} - ${fenceExpirySeconds * 1_000}`;
}

function isFree(dialect: SqlDialect): string {
  return `ledger_epoch.renewed_at IS NULL
    OR ledger_epoch.renewed_at <= ${databaseNow[dialect]} - ${fenceExpirySeconds * 1_000}
    OR ledger_epoch.holder = excluded.holder`;
}

function takeOf(
  dialect: SqlDialect,
  { scope, holder, url }: Pick<Fence, 'scope' | 'holder'> & Pick<SeenScope, 'url'>,
  where: Pick<SqlStatement, 'sql'> & { readonly parameters: readonly SqlValue[] },
): readonly SqlStatement[] {
  const now = databaseNow[dialect];
  return [
    // The upsert's own lock would let transactions go on that have checked the fence.
    ...(dialect === 'postgres'
      ? [{ sql: 'SELECT scope FROM ledger_epoch WHERE scope = ? FOR UPDATE', parameters: [scope] }]
      : []),
    {
      sql: `INSERT INTO ledger_epoch (scope, epoch, holder, advertised_url, renewed_at, taken_at)
        VALUES (?, 1, ?, ?, ${now}, ${now})
        ON CONFLICT (scope) DO UPDATE
        SET epoch = ledger_epoch.epoch + 1, holder = excluded.holder, advertised_url = excluded.advertised_url,
          renewed_at = excluded.renewed_at, taken_at = excluded.taken_at, last_append = NULL
        WHERE ${where.sql}
        RETURNING scope, epoch`,
      parameters: [scope, holder, url, ...where.parameters],
      expect: { count: 1, otherwise: 'ScopeHeld' },
    },
  ];
}

/** Renews fences, or is refused with `Fenced`. Without fences it changes nothing, where the database takes writes. */
export function renewStatements(dialect: SqlDialect, fences: readonly Fence[]): readonly SqlStatement[] {
  return [
    ...updateLocks(dialect, fences),
    {
      sql: `UPDATE ledger_epoch SET renewed_at = ${databaseNow[dialect]} WHERE ${anyOf(fences)}`,
      parameters: fieldsOf(fences),
      expect: { count: fences.length, otherwise: 'Fenced' },
    },
  ];
}

/** Raises the epochs that are lower, and returns their scopes. Holders keep the time of their renewal, by which they expire. */
export function raiseStatements(dialect: SqlDialect, floor: bigint): readonly SqlStatement[] {
  const inOrder = { sql: 'SELECT scope FROM ledger_epoch ORDER BY scope FOR NO KEY UPDATE' };
  return [
    ...(dialect === 'postgres' ? [inOrder] : []),
    { sql: 'UPDATE ledger_epoch SET epoch = ? WHERE epoch < ? RETURNING scope', parameters: [floor, floor] },
  ];
}

/** Frees the scopes of fences that are still in force. */
export function giveUpStatements(dialect: SqlDialect, fences: readonly Fence[]): readonly SqlStatement[] {
  const locks = updateLocks(dialect, fences).map(({ sql, parameters = [] }) => ({ sql, parameters }));
  return [
    ...locks,
    {
      sql: `UPDATE ledger_epoch SET holder = NULL, renewed_at = NULL, advertised_url = NULL WHERE ${anyOf(fences)}`,
      parameters: fieldsOf(fences),
    },
  ];
}

/** An update of several rows locks them in an order of its own; transactions that did so would wait for each other. */
function updateLocks(dialect: SqlDialect, fences: readonly Fence[]): readonly SqlStatement[] {
  return dialect === 'postgres' && fences.length > 1 ? [lockOf(fences, ' FOR NO KEY UPDATE')] : [];
}

/** The same order in every transaction, so that no two of them wait for each other. */
function lockOf(fences: readonly Fence[], lock: string): SqlStatement {
  return {
    sql: `SELECT scope FROM ledger_epoch WHERE ${anyOf(fences)} ORDER BY scope${lock}`,
    parameters: fieldsOf(fences),
    expect: { count: fences.length, otherwise: 'Fenced' },
  };
}

function anyOf(fences: readonly Fence[]): string {
  if (fences.length === 0) return 'FALSE';
  return fences.map(() => '(scope = ? AND epoch = ? AND holder = ?)').join(' OR ');
}

function fieldsOf(fences: readonly Fence[]): readonly SqlValue[] {
  return fences.flatMap(({ scope, epoch, holder }) => [scope, epoch, holder]);
}

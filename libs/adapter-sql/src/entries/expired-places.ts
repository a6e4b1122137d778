import { actions } from '#decision';
import type { EntryCursor, ExpiryRule } from '#ledger';
import type { SqlDialect, SqlQuery, SqlValue } from '../connection/sql-database.ts';
import { isDecision, isNoDecision } from './entry-statement.ts';

/** Selects the places of entries whose content has expired by a rule, oldest first. */
export function expiredPlaces(
  dialect: SqlDialect,
  rule: ExpiryRule,
  { after, limit }: { readonly after: EntryCursor | null; readonly limit: number },
): SqlQuery {
  const order = `ORDER BY time_nanoseconds, position LIMIT ${limit}`;
  // On SQLite these are the terms of the index of those that have an observation.
  const hasContent = `payload_hash IS NULL ${rule.content === 'Observation' ? 'AND observation_hash IS NULL' : ''}`;
  const select = (ofKind: string): string => `SELECT time_nanoseconds, position FROM ledger_entry
    WHERE ${ofKind} AND ${hasContent} AND time_nanoseconds < ? AND (time_nanoseconds, position) > (?, ?) AND format > 1
    ${order}`;
  const period = [rule.beforeNanoseconds, after?.timeNanoseconds ?? 0n, after?.position ?? 0n];
  const selected = (sql: string, ...kinds: readonly SqlValue[]): SqlQuery => ({
    sql,
    parameters: [...kinds, ...period],
  });
  if (rule.kind !== 'Decision')
    return selected(select(dialect === 'sqlite' ? 'kind = ?' : `kind = ? AND ${isNoDecision}`), rule.kind);
  if (dialect === 'sqlite') return selected(select(isDecision));
  return selected(
    `SELECT expired.* FROM (VALUES ${actions.map(() => '(CAST(? AS TEXT))').join(', ')}) AS wanted (action)
      CROSS JOIN LATERAL (${select('action = wanted.action')}) AS expired ${order}`,
    ...actions,
  );
}

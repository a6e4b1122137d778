import type { SqlDialect, SqlStatement } from '../connection/sql-database.ts';

/** What is stored anew: what other processes on the same database have in memory and read again. */
export type ChangedPart = 'Sources' | 'Interventions' | 'Tokens' | 'Entries' | 'Losses' | 'Requests';

/** The channel of `LISTEN` and `NOTIFY`. */
export const noticeChannel = 'plimsoll_changes';

/**
 * Tells other processes, once the transaction is committed, that parts of the database have changed. SQLite has one
 * process, and nothing to tell.
 */
export function noticeStatements(
  dialect: SqlDialect,
  parts: readonly ChangedPart[],
): readonly SqlStatement[] {
  if (dialect === 'sqlite') return [];
  return parts.map((part) => ({ sql: `SELECT pg_notify('${noticeChannel}', ?)`, parameters: [part] }));
}

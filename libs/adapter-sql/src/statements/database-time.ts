import type { SqlDatabase } from '../connection/sql-database.ts';
import { bigintOf } from './rows.ts';

/**
 * The time of day at the database's server, in milliseconds since 1970; null: the database is in this process, and has no
 * clock of its own.
 *
 * @throws AdapterError
 */
export async function databaseTime(database: SqlDatabase): Promise<number | null> {
  if (database.dialect === 'sqlite') return null;
  const sql = 'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint) AS milliseconds';
  const [row] = await database.query({ sql });
  return row === undefined ? null : Number(bigintOf(row, 'milliseconds'));
}

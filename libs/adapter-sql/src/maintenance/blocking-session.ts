import type { DataSource } from 'typeorm';

/** The oldest of those that keep a lock on a table of this schema which a restore cannot share; what reads alone comes last. */
const sql = `SELECT held.pid, relation.relname AS "table", session.application_name AS application, session.state,
    to_char(session.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
  FROM pg_locks AS held
  JOIN pg_class AS relation ON relation.oid = held.relation AND relation.relkind IN ('r', 'p')
  JOIN pg_namespace AS space ON space.oid = relation.relnamespace AND space.nspname = current_schema()
  JOIN pg_stat_activity AS session ON session.pid = held.pid
  WHERE held.granted AND held.pid <> pg_backend_pid()
    AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  ORDER BY held.mode IN ('AccessShareLock', 'RowShareLock'), session.xact_start, relation.relname
  LIMIT 1`;

interface BlockingRow {
  readonly pid: number;
  readonly table: string;
  readonly application: string;
  readonly state: string | null;
  readonly since: string | null;
}

/**
 * Which session of PostgreSQL keeps a lock on which table, in words; null: none does any more. What other roles do is seen
 * by members of `pg_read_all_stats` alone: of theirs the server says the pid.
 */
export async function blockingSession(source: Pick<DataSource, 'query'>): Promise<string | null> {
  const [row] = await source.query<readonly BlockingRow[]>(sql);
  if (row === undefined) return null;
  const { pid, table, application, state, since } = row;
  const of = application === '' ? '' : ` (${application})`;
  const what = state === null ? '' : `, which is ${state}`;
  const time = since === null ? '' : ` since ${since}`;
  return `the table ${table} is locked by the session ${pid} of PostgreSQL${of}${what}, in a transaction${time}: end it (SELECT pg_terminate_backend(${pid}))`;
}

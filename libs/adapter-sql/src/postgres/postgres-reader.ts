import pg from 'pg';
import { databaseError } from '../connection/database-error.ts';
import type { PostgresLocation } from '../connection/database-url.ts';
import type { ReadConnection } from '../connection/read-connection.ts';
import { maximumQueryRows, type SqlQuery, type SqlRow } from '../connection/sql-database.ts';
import { connectionSettings } from './connection-settings.ts';
import { endConnection } from './end-connection.ts';
import { numberParameters } from './numbered-parameters.ts';
import { postgresError } from './postgres-error.ts';

/** A portion of payloads comes over a slow line, too. */
const timeoutMilliseconds = 120_000;

/**
 * Opens a connection that cannot write, without migrating.
 *
 * @throws AdapterError without the password.
 */
export async function openPostgresReader(location: PostgresLocation): Promise<ReadConnection> {
  const guarded = async <T>(use: () => Promise<T>): Promise<T> => {
    try {
      return await use();
    } catch (error) {
      throw postgresError(error, location);
    }
  };
  const client = new pg.Client(connectionSettings(location, timeoutMilliseconds));
  // Without a listener, a connection that breaks while it is idle would end the process. The next query fails instead.
  client.on('error', () => undefined);
  await guarded(() => client.connect());
  const run = async (sql: string): Promise<void> => {
    await guarded(() => client.query(sql));
  };
  await run('SET default_transaction_read_only = on');
  // An export reads thousands of streams with the same few statements. Planning each anew for every partition of the
  // entries would take longer than reading them.
  await run('SET plan_cache_mode = force_generic_plan');
  const names = new Map<string, string>();
  const nameOf = (sql: string): string => {
    const name = names.get(sql) ?? `read_${names.size}`;
    names.set(sql, name);
    return name;
  };
  return {
    dialect: 'postgres',
    query: ({ sql, parameters = [] }: SqlQuery) =>
      guarded(async () => {
        const text = numberParameters(sql);
        const { rows } = await client.query<SqlRow>({ name: nameOf(sql), text, values: [...parameters] });
        if (rows.length > maximumQueryRows)
          throw databaseError('TooManyRows', `more than ${maximumQueryRows} rows: ${sql}`);
        return rows;
      }),
    beginSnapshot: () => run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
    endSnapshot: () => run('COMMIT'),
    close: () => guarded(() => endConnection(client)),
  };
}

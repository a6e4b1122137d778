import type { DatabaseLocation } from '../connection/database-url.ts';
import type { ReadConnection } from '../connection/read-connection.ts';
import type { ReadingRole } from '../sqlite/sqlite-connection.ts';

/**
 * Opens a connection that cannot write, and takes no lock.
 *
 * @throws AdapterError
 */
export async function openReadConnection(
  location: DatabaseLocation,
  role: ReadingRole = 'reader',
): Promise<ReadConnection> {
  if (location.dialect === 'sqlite') {
    const { openSqliteReader } = await import('../sqlite/sqlite-reader.ts');
    return openSqliteReader(location.file, role);
  }
  const { openPostgresReader } = await import('../postgres/postgres-reader.ts');
  return openPostgresReader(location.postgres);
}

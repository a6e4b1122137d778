import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { databaseError } from '../connection/database-error.ts';
import { parseDatabaseUrl } from '../connection/database-url.ts';
import type { ReadConnection } from '../connection/read-connection.ts';
import type { SqlDialect, SqlRow, SqlValue } from '../connection/sql-database.ts';
import { openReadConnection } from '../reading/open-read-connection.ts';
import { bigintOf, textOf } from '../statements/rows.ts';
import { type BackupColumn, type BackupHeader, type ColumnType, encodeRow } from './backup-format.ts';
import { appliedMigrations } from './migrate-database.ts';
import { PartialFile } from './partial-file.ts';

/** A row may hold a payload of 32 MB; most are of a few kB. */
const rowsPerPage = 100;

export interface BackUp {
  readonly url: string;
  /** It must not exist. */
  readonly file: string;
  /** RFC 3339. */
  readonly madeAt: string;
  readonly onRows: (count: number) => void;
}

/**
 * Writes everything that a database holds, as of one moment, into a file (zstd over lines of JSON), while a controller may
 * go on working with it.
 *
 * @returns the number of rows
 * @throws AdapterError, or Error of the file system; then there is no file
 */
export async function backUpDatabase({ url, file, madeAt, onRows }: BackUp): Promise<bigint> {
  const location = parseDatabaseUrl(url);
  const connection = await openReadConnection(location);
  try {
    const applied = await appliedMigrations(connection, location.dialect);
    if (applied.length === 0) throw databaseError('NotMigrated', 'the database holds no ledger');
    const header: BackupHeader = {
      backupFormat: 1,
      madeAt,
      dialect: location.dialect,
      migrations: applied,
    };
    const target = await PartialFile.open(file);
    try {
      await connection.beginSnapshot();
      const rows = await writeAll({ connection, header, target, onRows });
      await connection.endSnapshot();
      await target.complete();
      return rows;
    } catch (error) {
      await target.remove();
      throw error;
    }
  } finally {
    await connection.close();
  }
}

interface Writing {
  readonly connection: ReadConnection;
  readonly header: BackupHeader;
  readonly target: PartialFile;
  readonly onRows: (count: number) => void;
}

async function writeAll({ connection, header, target, onRows }: Writing): Promise<bigint> {
  const compress = createZstdCompress();
  const written = pipeline(compress, target.handle.createWriteStream({ flush: true }));
  // What breaks the pipeline ends the loop by the write that waits for it.
  written.catch((error: unknown) => compress.destroy(error instanceof Error ? error : undefined));
  const hash = createHash('sha256');
  const write = async (line: string): Promise<void> => {
    hash.update(`${line}\n`);
    if (!compress.write(`${line}\n`)) await once(compress, 'drain');
  };
  await write(JSON.stringify(header));
  let count = 0n;
  for (const table of await tablesOf(connection, header.dialect)) {
    const { name, columns } = table;
    await write(JSON.stringify({ table: name, columns }));
    for await (const rows of pagesOf(connection, table)) {
      for (const row of rows) await write(encodeRow(columns, row));
      count += BigInt(rows.length);
      onRows(rows.length);
    }
  }
  compress.end(`${JSON.stringify({ rows: String(count), sha256: hash.digest('hex') })}\n`);
  await written;
  return count;
}

interface Table {
  readonly name: string;
  readonly columns: readonly BackupColumn[];
  /** Names of columns, in the order of the key. */
  readonly key: readonly string[];
}

/** Every table but that of the migrations, which are in the header. */
async function tablesOf(connection: ReadConnection, dialect: SqlDialect): Promise<readonly Table[]> {
  const names = await connection.query({ sql: tableNames[dialect] });
  const tables: Table[] = [];
  for (const row of names) {
    const name = textOf(row, 'name');
    const columns = await connection.query({ sql: columnsOf[dialect], parameters: [name] });
    const key = columns.filter((column) => bigintOf(column, 'key_place') > 0n).sort(byKeyPlace);
    if (key.length === 0) throw databaseError('QueryFailed', `table ${name} has no primary key`);
    tables.push({
      name,
      columns: columns.map((column) => ({ name: textOf(column, 'name'), type: typeOf(name, column) })),
      key: key.map((column) => textOf(column, 'name')),
    });
  }
  return tables;
}

function byKeyPlace(a: SqlRow, b: SqlRow): number {
  return Number(bigintOf(a, 'key_place') - bigintOf(b, 'key_place'));
}

const tableNames: Readonly<Record<SqlDialect, string>> = {
  sqlite: `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    AND name <> 'migration' ORDER BY name`,
  postgres: `SELECT relname::text AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
    AND relnamespace = current_schema()::regnamespace AND relname <> 'migration' ORDER BY relname`,
};

const columnsOf: Readonly<Record<SqlDialect, string>> = {
  sqlite: 'SELECT name, lower(type) AS type, pk AS key_place FROM pragma_table_info(?) ORDER BY cid',
  postgres: `SELECT attname::text AS name, format_type(atttypid, NULL) AS type,
      COALESCE(array_position(indkey::smallint[], attnum), -1) + 1 AS key_place
    FROM pg_attribute LEFT JOIN pg_index ON indrelid = attrelid AND indisprimary
    WHERE attrelid = to_regclass(quote_ident(?)) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
};

const types: Readonly<Record<string, ColumnType>> = {
  text: 'text',
  integer: 'integer',
  smallint: 'integer',
  bigint: 'integer',
  real: 'real',
  'double precision': 'real',
  blob: 'bytes',
  bytea: 'bytes',
};

function typeOf(table: string, column: SqlRow): ColumnType {
  const type = types[textOf(column, 'type')];
  if (type !== undefined) return type;
  throw databaseError('QueryFailed', `a backup holds no column of ${textOf(column, 'type')} (${table})`);
}

async function* pagesOf(
  connection: ReadConnection,
  { name, columns, key }: Table,
): AsyncGenerator<readonly SqlRow[]> {
  const list = columns.map((column) => quoted(column.name)).join(', ');
  const keys = key.map(quoted).join(', ');
  let after: readonly SqlValue[] = [];
  for (;;) {
    const beyond = after.length === 0 ? '' : `WHERE (${keys}) > (${after.map(() => '?').join(', ')})`;
    const rows = await connection.query({
      sql: `SELECT ${list} FROM ${quoted(name)} ${beyond} ORDER BY ${keys} LIMIT ${rowsPerPage}`,
      parameters: after,
    });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerPage) return;
    after = key.map((column) => last[column] ?? null);
  }
}

/** Names come from the database itself. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

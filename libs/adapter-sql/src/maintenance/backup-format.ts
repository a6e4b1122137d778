import { databaseError } from '../connection/database-error.ts';
import type { SqlDialect, SqlRow, SqlValue } from '../connection/sql-database.ts';

/** The first line of a backup. */
export interface BackupHeader {
  readonly backupFormat: 1;
  /** RFC 3339. */
  readonly madeAt: string;
  readonly dialect: SqlDialect;
  /** The schema: the names of its migrations, oldest first. */
  readonly migrations: readonly string[];
}

/** How a value is written: an integer as its digits, bytes in base64. */
export type ColumnType = 'text' | 'integer' | 'real' | 'bytes';

export interface BackupColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** The line before the rows of a table, each of which is an array in the order of the columns. */
export interface BackupTable {
  readonly table: string;
  readonly columns: readonly BackupColumn[];
}

/** The last line. */
export interface BackupEnd {
  readonly rows: string;
  /** Of all lines before it, line feeds included. */
  readonly sha256: string;
}

/** A row as a line of a backup. */
export function encodeRow(columns: readonly BackupColumn[], row: SqlRow): string {
  return JSON.stringify(columns.map(({ name, type }) => encode(row[name] ?? null, type)));
}

function encode(value: SqlValue, type: ColumnType): string | number | null {
  if (value === null) return null;
  if (type === 'bytes' && value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (type === 'integer' && typeof value === 'bigint') return String(value);
  if (type === 'real' && typeof value === 'number') return value;
  if (type === 'text' && typeof value === 'string') return value;
  throw databaseError('DatabaseCorrupt', `a column of ${type} holds ${typeof value}`);
}

/** The values of a row. @throws AdapterError `BackupUnusable` */
export function decodeRow(columns: readonly BackupColumn[], values: readonly unknown[]): readonly SqlValue[] {
  if (values.length !== columns.length) throw unusable('a row has another number of columns than its table');
  return columns.map(({ type }, index) => decode(values[index], type));
}

function decode(value: unknown, type: ColumnType): SqlValue {
  if (value === null) return null;
  if (type === 'real' && typeof value === 'number') return value;
  if (typeof value !== 'string') throw unusable(`a column of ${type} holds ${typeof value}`);
  if (type === 'bytes') return Buffer.from(value, 'base64');
  if (type === 'text') return value;
  if (!/^-?\d{1,19}$/.test(value)) throw unusable('a column of integers holds something else');
  return BigInt(value);
}

/** Makes the error of a file that is no backup of use. */
export function unusable(problem: string, cause?: unknown): Error {
  return databaseError('BackupUnusable', problem, cause);
}

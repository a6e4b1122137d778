import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createZstdDecompress } from 'node:zlib';
import { messageOf } from '#kernel';
import type { SqlValue } from '../connection/sql-database.ts';
import { type BackupEnd, type BackupHeader, type BackupTable, decodeRow, unusable } from './backup-format.ts';

/** What a backup says, part by part; the header comes first. */
export type BackupPart =
  | { readonly kind: 'Header'; readonly header: BackupHeader }
  | { readonly kind: 'Table'; readonly table: BackupTable }
  | { readonly kind: 'Row'; readonly table: BackupTable; readonly values: readonly SqlValue[] };

const lineFeed = 10;

/** The longest line that is read: a payload of the greatest length, escaped, fits. */
const maximumLineBytes = 256 * 1024 * 1024;

/**
 * Reads a backup.
 *
 * @throws AdapterError `BackupUnusable`, at the end where something is missing or changed
 */
export async function* readBackup(
  file: string,
  longestLine: number = maximumLineBytes,
): AsyncGenerator<BackupPart> {
  const hash = createHash('sha256');
  let rows = 0n;
  let last: BackupPart | null = null;
  let end: BackupEnd | null = null;
  for await (const line of linesOf(file, longestLine)) {
    if (end !== null) throw unusable('something follows the end of the backup');
    const content = parsed(line);
    if (last !== null && isEnd(content)) {
      end = content;
      continue;
    }
    hash.update(`${line}\n`);
    last = partOf(content, last);
    if (last.kind === 'Row') rows += 1n;
    yield last;
  }
  if (end === null) throw unusable('the backup is truncated: its end is missing');
  if (end.rows !== String(rows) || end.sha256 !== hash.digest('hex'))
    throw unusable('the backup was changed since it was made');
}

/** @param before the part before it; null: there is none. */
function partOf(content: unknown, before: BackupPart | null): BackupPart {
  if (before === null) return { kind: 'Header', header: headerOf(content) };
  if (isTable(content)) return { kind: 'Table', table: content };
  if (!Array.isArray(content)) throw unusable('a line is neither a table nor a row');
  if (before.kind === 'Header') throw unusable('a row comes before its table');
  return { kind: 'Row', table: before.table, values: decodeRow(before.table.columns, content) };
}

/** Lines end in a line feed, and in nothing else that some readers take for the end of one. */
async function* linesOf(file: string, longestLine: number): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let length = 0;
  for await (const chunk of contentOf(file)) {
    let from = 0;
    for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, to)]).toString();
      begun = [];
      length = 0;
      from = to + 1;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > longestLine) throw unusable(`a line of the backup has more than ${longestLine} bytes`);
    begun.push(rest);
  }
  if (begun.some(({ length }) => length > 0))
    throw unusable('the backup is truncated: its last line is torn');
}

async function* contentOf(file: string): AsyncGenerator<Buffer> {
  const input = createReadStream(file);
  const decompress = createZstdDecompress();
  input.on('error', (error) => decompress.destroy(error));
  input.pipe(decompress);
  try {
    for await (const chunk of decompress) yield chunk as Buffer;
  } catch (error) {
    if (isFileSystem(error)) throw error;
    throw unusable(`the backup is truncated, or none: ${messageOf(error)}`, error);
  } finally {
    input.destroy();
  }
}

function isFileSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw unusable('a line of the backup is no JSON', error);
  }
}

function headerOf(content: unknown): BackupHeader {
  if (typeof content !== 'object' || content === null || !('backupFormat' in content))
    throw unusable('this is no backup of Plimsoll');
  if (content.backupFormat !== 1)
    throw unusable(`the backup is of format ${String(content.backupFormat)}, this release knows 1`);
  const isHeader =
    isTextIn(content, 'madeAt') &&
    isTextIn(content, 'dialect') &&
    'migrations' in content &&
    Array.isArray(content.migrations) &&
    content.migrations.every((name) => typeof name === 'string');
  if (!isHeader) throw unusable('the first line of the backup is no header');
  return content as unknown as BackupHeader;
}

function isTable(content: unknown): content is BackupTable {
  return (
    isTextIn(content, 'table') &&
    'columns' in content &&
    Array.isArray(content.columns) &&
    content.columns.every((column) => isTextIn(column, 'name') && isTextIn(column, 'type'))
  );
}

function isEnd(content: unknown): content is BackupEnd {
  return isTextIn(content, 'rows') && isTextIn(content, 'sha256');
}

function isTextIn(content: unknown, name: string): content is object {
  return typeof content === 'object' && content !== null && typeof Reflect.get(content, name) === 'string';
}

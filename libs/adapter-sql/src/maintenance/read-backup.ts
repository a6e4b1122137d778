import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createZstdDecompress } from 'node:zlib';
import { messageOf } from '#kernel';
import type { SqlValue } from '../sql-database.ts';
import { type BackupEnd, type BackupHeader, type BackupTable, decodeRow, unusable } from './backup-format.ts';

/** What a backup says, part by part; the header comes first. */
export type BackupPart =
  | { readonly kind: 'Header'; readonly header: BackupHeader }
  | { readonly kind: 'Table'; readonly table: BackupTable }
  | { readonly kind: 'Row'; readonly table: BackupTable; readonly values: readonly SqlValue[] };

const lineFeed = 10;

/**
 * Reads a backup.
 *
 * @throws AdapterError `BackupUnusable`, at the end where something is missing or changed
 */
export async function* readBackup(file: string): AsyncGenerator<BackupPart> {
  const hash = createHash('sha256');
  let rows = 0n;
  let last: BackupPart | null = null;
  let end: BackupEnd | null = null;
  for await (const line of linesOf(file)) {
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
async function* linesOf(file: string): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for await (const chunk of contentOf(file)) {
    let from = 0;
    for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, to)]).toString();
      begun = [];
      from = to + 1;
    }
    begun.push(chunk.subarray(from));
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
  return content as BackupHeader;
}

function isTable(content: unknown): content is BackupTable {
  return typeof content === 'object' && content !== null && 'table' in content && 'columns' in content;
}

function isEnd(content: unknown): content is BackupEnd {
  return typeof content === 'object' && content !== null && 'rows' in content && 'sha256' in content;
}

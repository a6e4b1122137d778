import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LedgerReader } from '#adapter-sql';
import { messageOf } from '#kernel';
import {
  exportedEntry,
  exportedHead,
  exportedSegment,
  merkleLeaf,
  MerkleRoot,
  parseCheckpointNote,
  parseExportedHead,
  type StreamHead,
} from '#ledger';
import { usable, withPassword } from '../database/database-access.ts';
import { readLines } from '../decision/read-lines.ts';
import type { Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import { EntryProgress } from './entry-progress.ts';
import { EntryFiles, ExportFile } from './export-files.ts';
import {
  entrySelector,
  type ExportFilter,
  type FilterOptions,
  parseFilter,
  selectsStream,
} from './export-filter.ts';
import {
  beginning,
  type ExportProgress,
  headsName,
  type Manifest,
  manifestName,
  manifestOf,
  openExportFile,
  progressName,
  readManifest,
  readProgress,
  writeDocument,
} from './export-folder.ts';
import { hexOf, noteName, rotationsName, sealedLines, sealedName } from './sealed-heads.ts';
import { rotationLine } from './verify-checkpoint.ts';

export interface ExportArguments extends FilterOptions {
  readonly database: string;
  readonly passwordFile?: string;
  readonly output: string;
  readonly resume?: boolean;
}

/** A checkpoint takes milliseconds to be made; one whose process was killed meanwhile is made by the next. */
const checkpointAttempts = 10;
const checkpointDelayMilliseconds = 500;

/** Small enough to be done again after an interruption, and large enough that ten million entries are a hundred files. */
const usualBytesPerFile = 64 * 1024 * 1024;

/**
 * Writes a ledger into a folder. The heads are of one moment, and every entry up to them is written, so that the export
 * is the same whether or not the controller goes on meanwhile, and an interrupted one can be resumed.
 *
 * @throws UnusableError
 */
export async function exportLedger(
  options: ExportArguments,
  terminal: Terminal,
  bytesPerFile = usualBytesPerFile,
): Promise<0> {
  const filter = parseFilter(options);
  const folder = options.output;
  const begun = await prepareFolder(options, filter);
  if (begun === 'Complete') {
    terminal.messages.write(`plimsoll: ${folder} is complete\n`);
    return 0;
  }
  const reader = await openReader(options);
  try {
    const start =
      begun ?? (await exportHeads({ reader, folder, filter, database: withoutPassword(options.database) }));
    const progress = new EntryProgress('exported', terminal);
    const files = new EntryFiles({ folder, start, bytesPerFile });
    const last = await exportEntries({ reader, folder, start, files, progress }).finally(() =>
      progress.end(),
    );
    const manifest = { ...manifestOf(last), ...(await retentionOf(reader)) };
    await writeDocument(folder, manifestName, manifest);
    await rm(join(folder, progressName));
    terminal.messages.write(
      `plimsoll: ${manifest.streams} streams, ${manifest.entries} entries in ${folder}\n`,
    );
    return 0;
  } catch (error) {
    throw usable(error);
  } finally {
    await reader.close();
  }
}

/** What there may be before there is any progress. */
const beforeProgress: ReadonlySet<string> = new Set(
  [headsName, sealedName, rotationsName, noteName, progressName].flatMap((name) => [name, `.${name}.new`]),
);

async function prepareFolder(
  { output, resume = false, database }: ExportArguments,
  filter: ExportFilter,
): Promise<ExportProgress | 'Complete' | null> {
  const names = await filesOf(output);
  if (names.length === 0) return null;
  if (!resume)
    throw new UnusableError(`${output} is not empty; --resume goes on with an export that was interrupted`);
  if (names.includes(manifestName) && !names.includes(progressName)) {
    requireSameFilter(output, (await readManifest(output)).filter, filter);
    return 'Complete';
  }
  const progress = await readProgress(output);
  if (progress === null) {
    // An export that was interrupted before it had the heads has nothing to go on with.
    if (names.every((name) => beforeProgress.has(name))) return null;
    throw new UnusableError(`${output} is not empty, and no export`);
  }
  requireSameFilter(output, progress.filter, filter);
  if (progress.database !== withoutPassword(database))
    throw new UnusableError(`${output} was begun from ${progress.database}`);
  return progress;
}

function requireSameFilter(output: string, begun: ExportFilter, wanted: ExportFilter): void {
  if (JSON.stringify(begun) !== JSON.stringify(wanted))
    throw new UnusableError(`${output} was begun with another filter: ${JSON.stringify(begun)}`);
}

async function filesOf(folder: string): Promise<readonly string[]> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await readdir(folder);
  } catch (error) {
    throw new UnusableError(`cannot write to ${folder}: ${messageOf(error)}`);
  }
}

async function openReader({ database, passwordFile }: ExportArguments): Promise<LedgerReader> {
  try {
    return await LedgerReader.open(await withPassword(database, passwordFile));
  } catch (error) {
    throw usable(error);
  }
}

function withoutPassword(url: string): string {
  if (url.startsWith('sqlite:') || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.href;
}

async function exportHeads({
  reader,
  folder,
  filter,
  database,
}: {
  readonly reader: LedgerReader;
  readonly folder: string;
  readonly filter: ExportFilter;
  readonly database: string;
}): Promise<ExportProgress> {
  for (let attempt = 1; ; attempt += 1) {
    // Before the snapshot: every checkpoint that was signed until then is in it.
    const madeAt = new Date().toISOString();
    const streams = await reader.inSnapshot(() => exportSnapshot({ reader, folder, filter }));
    if (streams === null && attempt < checkpointAttempts) {
      await delay(checkpointDelayMilliseconds);
      continue;
    }
    if (streams === null)
      throw new UnusableError('the last checkpoint does not fit the heads that it covers');
    const progress = { ...beginning({ database, madeAt, filter }), streams };
    await writeDocument(folder, progressName, progress);
    return progress;
  }
}

/** Writes heads and checkpoint. `null`: a checkpoint is just being made. */
async function exportSnapshot({ reader, folder, filter }: Snapshot): Promise<number | null> {
  const heads = await writeLines(folder, headsName, selectedLines(reader, filter));
  const note = await reader.lastNote();
  if (note === null) return heads;
  const sealed: StreamHead[] = [];
  const tree = new MerkleRoot();
  for await (const page of reader.sealedHeads()) {
    for (const head of page) {
      tree.add(merkleLeaf(exportedHead(head)));
      sealed.push(head);
    }
  }
  if (parseCheckpointNote(note)?.body.root !== hexOf(tree.root)) return null;
  await writeLines(folder, sealedName, sealedLines(sealed, filter));
  const rotations = await reader.keyRotations();
  if (rotations.length > 0) await writeLines(folder, rotationsName, rotations.map(rotationLine));
  await writeLines(folder, noteName, [note.slice(0, -1)]);
  return heads;
}

interface Snapshot {
  readonly reader: LedgerReader;
  readonly folder: string;
  readonly filter: ExportFilter;
}

async function* selectedLines(reader: LedgerReader, filter: ExportFilter): AsyncGenerator<string> {
  for await (const heads of reader.heads())
    for (const head of heads) if (selectsStream(filter, head.stream)) yield exportedHead(head);
}

/** Writes a file as a whole. @returns the number of its lines */
async function writeLines(
  folder: string,
  name: string,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<number> {
  const temporary = join(folder, `.${name}.new`);
  const file = new ExportFile(temporary);
  for await (const line of lines) await file.line(line);
  await file.end();
  await rename(temporary, join(folder, name));
  return file.lines;
}

async function exportEntries({
  reader,
  folder,
  start,
  files,
  progress,
}: {
  readonly reader: LedgerReader;
  readonly folder: string;
  readonly start: ExportProgress;
  readonly files: EntryFiles;
  readonly progress: EntryProgress;
}): Promise<ExportProgress> {
  const selects = entrySelector(start.filter);
  progress.add(manifestOf(start).entries);
  for await (const head of headsOf(folder)) {
    const begun = start.last === null ? 0n : startAfter(start.last, head.stream);
    if (begun === 'Done') continue;
    const after = begun === 0n ? await exportSegment(head, reader, files) : begun;
    for await (const entries of reader.entries({ head, after })) {
      for (const entry of entries)
        await files.entry(entry, exportedEntry(entry, selects(entry) ? 'Payload' : 'Header'));
      progress.add(entries.length);
    }
  }
  return files.end();
}

/** Writes what stands for the entries that a stream has no more. @returns the number of the last of them */
async function exportSegment(
  { stream }: StreamHead,
  reader: LedgerReader,
  files: EntryFiles,
): Promise<bigint> {
  const segment = await reader.segment(stream);
  if (segment === null) return 0n;
  await files.entry(segment, exportedSegment(segment));
  return segment.seq;
}

/** The rules at the end, when everything has been read: what is missing was deleted by one of them. */
async function retentionOf(reader: LedgerReader): Promise<Pick<Manifest, 'retention'>> {
  const rules = await reader.expiryRules();
  const retention = rules.map(({ kind, content, beforeNanoseconds }) => ({
    kind,
    content,
    before: new Date(Number(beforeNanoseconds / 1_000_000n)).toISOString(),
  }));
  return retention.length === 0 ? {} : { retention };
}

/** Where a stream goes on after an interruption. */
function startAfter(
  { stream, seq }: { readonly stream: string; readonly seq: string },
  next: string,
): bigint | 'Done' {
  if (next === stream) return BigInt(seq);
  return Buffer.compare(Buffer.from(next), Buffer.from(stream)) < 0 ? 'Done' : 0n;
}

async function* headsOf(folder: string): AsyncGenerator<StreamHead> {
  const input = await openExportFile(folder, headsName);
  if (input === null) throw new UnusableError(`${join(folder, headsName)} is missing`);
  for await (const lines of readLines(input)) {
    for (const line of lines) {
      const head = 'text' in line ? parseExportedHead(line.text) : null;
      if (head === null)
        throw new UnusableError(`${join(folder, headsName)}: line ${line.number} is no head`);
      yield head;
    }
  }
}

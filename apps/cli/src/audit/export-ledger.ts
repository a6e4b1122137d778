import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { LedgerReader } from '#adapter-sql';
import { AdapterError, messageOf } from '#kernel';
import { exportedEntry, exportedHead, parseExportedHead, type StreamHead } from '#ledger';
import { BatchedOutput } from '../decision/batched-output.ts';
import { readLines } from '../decision/read-lines.ts';
import type { Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import { EntryProgress } from './entry-progress.ts';
import {
  entrySelector,
  type ExportFilter,
  type FilterOptions,
  parseFilter,
  selectsStream,
} from './export-filter.ts';
import {
  beginning,
  entriesName,
  type ExportProgress,
  headsName,
  manifestName,
  manifestOf,
  openExportFile,
  progressName,
  readProgress,
  writeDocument,
} from './export-folder.ts';

export interface ExportArguments extends FilterOptions {
  readonly database: string;
  readonly passwordFile?: string;
  readonly output: string;
  readonly resume?: boolean;
}

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
    const last = await exportEntries({ reader, folder, start, files, progress });
    progress.end();
    const manifest = manifestOf(last);
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

async function prepareFolder(
  { output, resume = false, database }: ExportArguments,
  filter: ExportFilter,
): Promise<ExportProgress | 'Complete' | null> {
  const names = await filesOf(output);
  if (names.length === 0) return null;
  if (!resume)
    throw new UnusableError(`${output} is not empty; --resume goes on with an export that was interrupted`);
  if (names.includes(manifestName) && !names.includes(progressName)) return 'Complete';
  const progress = await readProgress(output);
  if (progress === null) {
    // An export that was interrupted before it had the heads has nothing to go on with.
    if (names.every((name) => [`.${headsName}.new`, headsName, `.${progressName}.new`].includes(name)))
      return null;
    throw new UnusableError(`${output} is not empty, and no export`);
  }
  if (JSON.stringify(progress.filter) !== JSON.stringify(filter))
    throw new UnusableError(`${output} was begun with another filter: ${JSON.stringify(progress.filter)}`);
  if (progress.database !== withoutPassword(database))
    throw new UnusableError(`${output} was begun from ${progress.database}`);
  return progress;
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

async function withPassword(url: string, file: string | undefined): Promise<string> {
  if (file === undefined) return url;
  if (!URL.canParse(url)) throw new UnusableError('--password-file is for a postgres:// URL');
  const parsed = new URL(url);
  try {
    parsed.password = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new UnusableError(`cannot read ${file}: ${messageOf(error)}`);
  }
  return parsed.href;
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
  const madeAt = new Date().toISOString();
  const temporary = join(folder, `.${headsName}.new`);
  const file = new ExportFile(temporary);
  for await (const heads of reader.heads())
    for (const head of heads) if (selectsStream(filter, head.stream)) await file.line(exportedHead(head));
  await file.end();
  await rename(temporary, join(folder, headsName));
  const progress = { ...beginning({ database, madeAt, filter }), streams: file.lines };
  await writeDocument(folder, progressName, progress);
  return progress;
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
    const after = start.last === null ? null : startAfter(start.last, head.stream);
    if (after === 'Done') continue;
    for await (const entries of reader.entries({ head, after: after ?? 0n })) {
      for (const entry of entries)
        await files.entry(entry, exportedEntry(entry, selects(entry) ? 'Payload' : 'Header'));
      progress.add(entries.length);
    }
  }
  return files.end();
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

/** The files of entries: each is complete and named by the progress, or begun anew. */
class EntryFiles {
  readonly #folder: string;
  readonly #bytesPerFile: number;
  #progress: ExportProgress;
  #current: ExportFile | null = null;
  #last: ExportProgress['last'];

  constructor(options: {
    readonly folder: string;
    readonly start: ExportProgress;
    readonly bytesPerFile: number;
  }) {
    this.#folder = options.folder;
    this.#bytesPerFile = options.bytesPerFile;
    this.#progress = options.start;
    this.#last = options.start.last;
  }

  async entry(
    { stream, seq }: { readonly stream: string; readonly seq: bigint },
    text: string,
  ): Promise<void> {
    this.#current ??= new ExportFile(join(this.#folder, this.#name()));
    await this.#current.line(text);
    this.#last = { stream, seq: String(seq) };
    if (this.#current.bytes >= this.#bytesPerFile) await this.#finish(this.#current);
  }

  async end(): Promise<ExportProgress> {
    if (this.#current !== null) await this.#finish(this.#current);
    return this.#progress;
  }

  #name(): string {
    return entriesName(this.#progress.files.length + 1);
  }

  async #finish(file: ExportFile): Promise<void> {
    await file.end();
    const files = [...this.#progress.files, { path: this.#name(), entries: file.lines }];
    this.#progress = { ...this.#progress, files, last: this.#last };
    await writeDocument(this.#folder, progressName, this.#progress);
    this.#current = null;
  }
}

/** A file that is written line by line. */
class ExportFile {
  readonly #stream: Writable;
  readonly #output: BatchedOutput;
  readonly #done: Promise<void>;
  lines = 0;
  /** UTF-16 units, which is near enough. */
  bytes = 0;

  constructor(path: string) {
    this.#stream = createWriteStream(path, { mode: 0o600, flush: true });
    this.#output = new BatchedOutput(this.#stream);
    this.#done = finished(this.#stream);
    // A failure is thrown by the next line, or by the end.
    this.#done.catch(() => undefined);
  }

  async line(text: string): Promise<void> {
    this.lines += 1;
    this.bytes += text.length + 1;
    this.#output.line(text);
    // A stream that has failed never drains.
    if (this.#stream.errored !== null) throw this.#stream.errored;
    await this.#output.flushFull();
  }

  async end(): Promise<void> {
    if (this.#stream.errored !== null) throw this.#stream.errored;
    await this.#output.flush();
    this.#stream.end();
    await this.#done;
  }
}

/** What a database or a disk that fails is for a command. */
function usable(error: unknown): unknown {
  if (error instanceof AdapterError) return new UnusableError(error.message);
  const isOfSystem = error instanceof Error && 'syscall' in error;
  return isOfSystem ? new UnusableError(error.message) : error;
}

import { existsSync } from 'node:fs';
import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '#files';
import { counted, fileFault } from '#kernel';
import {
  adminStream,
  exportedHead,
  type ExportFilter,
  isOfSome,
  parseExportedHead,
  type StreamHead,
} from '#ledger';
import { usable } from '../database/database-access.ts';
import { readLines } from '../decision/read-lines.ts';
import { EntryProgress } from '../entry-progress.ts';
import type { Terminal } from '../run-command.ts';
import { durationOf } from '../server/time-after.ts';
import { UnusableError } from '../unusable-error.ts';
import { EntryFiles, ExportFile } from './export-files.ts';
import { type FilterOptions, parseFilter } from './export-filter.ts';
import {
  beginning,
  type ExportProgress,
  headsName,
  manifestName,
  manifestOf,
  noteName,
  openExportFile,
  progressName,
  readManifest,
  readProgress,
  rotationsName,
  sealedName,
  writeDocument,
} from './export-folder.ts';
import { type ExportSource, openDatabaseSource } from './export-source.ts';
import { requireSealedSegments } from './require-sealed-segments.ts';
import { readSealed, rotationLine } from './verify-checkpoint.ts';

export interface ExportArguments extends FilterOptions {
  /** This or {@link server}. */
  readonly database?: string;
  readonly passwordFile?: string;
  readonly server?: string;
  readonly tokenFile?: string;
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
  const origin = originOf(options);
  const isNew = !existsSync(folder);
  const begun = await prepareFolder(options, { filter, origin });
  if (begun === 'Complete') {
    terminal.messages.write(`plimsoll: ${folder} is complete\n`);
    return 0;
  }
  const source = await openSource(options, { filter, begun, terminal }).catch(async (error: unknown) => {
    if (isNew) await rmdir(folder).catch(() => undefined);
    throw error;
  });
  try {
    const start = begun ?? (await exportHeads({ source, folder, filter, origin }));
    const progress = new EntryProgress('exported', terminal);
    const files = new EntryFiles({ folder, start, bytesPerFile });
    const last = await exportEntries({ source, folder, start, files, progress }).finally(() =>
      progress.end(),
    );
    const retention = await source.retention();
    const manifest = {
      ...manifestOf(last),
      ...(retention.length === 0 ? {} : { retention: [...retention] }),
    };
    await writeDocument(folder, manifestName, manifest);
    await rm(join(folder, progressName));
    terminal.messages.write(
      `plimsoll: ${counted(manifest.streams, 'stream')}, ${counted(manifest.entries, 'entry', 'entries')} in ${folder}\n`,
    );
    return 0;
  } catch (error) {
    throw usable(error);
  } finally {
    await source.close();
  }
}

/** The database or the server, as the progress names it, without a password. */
function originOf({ database, server, passwordFile, tokenFile }: ExportArguments): string {
  if (database !== undefined && server === undefined && tokenFile === undefined)
    return withoutPassword(database);
  if (server !== undefined && database === undefined && passwordFile === undefined) return server;
  throw new UnusableError('name --database (with --password-file) or --server (with --token-file)');
}

/** What there may be before there is any progress. */
const beforeProgress: ReadonlySet<string> = new Set(
  [headsName, sealedName, rotationsName, noteName, progressName].flatMap((name) => [name, `.${name}.new`]),
);

async function prepareFolder(
  options: ExportArguments,
  { filter, origin }: { readonly filter: ExportFilter; readonly origin: string },
): Promise<ExportProgress | 'Complete' | null> {
  const { output, resume = false } = options;
  const names = await filesOf(output);
  if (names.length === 0) return null;
  if (!resume)
    throw new UnusableError(`${output} is not empty; --resume goes on with an export that was interrupted`);
  if (names.includes(manifestName) && !names.includes(progressName)) {
    requireSameFilter(options, (await readManifest(output)).filter, filter);
    return 'Complete';
  }
  const progress = await readProgress(output);
  if (progress === null) {
    // An export that was interrupted before it had the heads has nothing to go on with.
    if (names.every((name) => beforeProgress.has(name))) return null;
    throw new UnusableError(`${output} is not empty, and no export`);
  }
  requireSameFilter(options, progress.filter, filter);
  if (progress.database !== origin) throw new UnusableError(`${output} was begun from ${progress.database}`);
  return progress;
}

function requireSameFilter(options: ExportArguments, begun: ExportFilter, wanted: ExportFilter): void {
  if (JSON.stringify(begun) === JSON.stringify(wanted)) return;
  const { output } = options;
  // How long ago is another time with every attempt: what it was is named, so that it can be given.
  for (const name of ['from', 'until'] as const) {
    const [given, time] = [options[name], begun[name]];
    if (given !== undefined && time !== null && durationOf(given) !== undefined) {
      throw new UnusableError(
        `--${name} ${given} is another time by now: ${output} was begun with --${name} ${time}, which goes on with it`,
      );
    }
  }
  throw new UnusableError(`${output} was begun with another filter: ${JSON.stringify(begun)}`);
}

async function filesOf(folder: string): Promise<readonly string[]> {
  try {
    await makeFolder(folder, 0o700);
    return await readdir(folder);
  } catch (error) {
    throw new UnusableError(`cannot write to ${folder}: ${fileFault(error, folder)}`);
  }
}

async function openSource(
  { database, passwordFile, server, tokenFile, output: folder }: ExportArguments,
  {
    filter,
    begun,
    terminal,
  }: { readonly filter: ExportFilter; readonly begun: ExportProgress | null; readonly terminal: Terminal },
): Promise<ExportSource> {
  try {
    if (server === undefined) {
      const password = passwordFile === undefined ? {} : { passwordFile };
      return await openDatabaseSource({ database: database ?? '', ...password }, filter);
    }
    const { openServerSource } = await import('./server-source.ts');
    const token = tokenFile === undefined ? {} : { tokenFile };
    const { environment } = terminal;
    const last = begun?.last ?? null;
    const of = last === null ? null : { ...last, ...(await adminOf(folder)) };
    return await openServerSource({ server, ...token }, { filter, last: of, environment });
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
  source,
  folder,
  filter,
  origin,
}: {
  readonly source: ExportSource;
  readonly folder: string;
  readonly filter: ExportFilter;
  readonly origin: string;
}): Promise<ExportProgress> {
  const { madeAt, heads, checkpoint } = await source.snapshot();
  const streams = await writeLines(folder, headsName, heads.map(exportedHead));
  if (checkpoint !== null) {
    const { sealed, rotations, note } = checkpoint;
    await writeLines(folder, sealedName, sealed);
    if (rotations.length > 0) await writeLines(folder, rotationsName, rotations.map(rotationLine));
    await writeLines(folder, noteName, [note.slice(0, -1)]);
  }
  const progress = { ...beginning({ database: origin, madeAt, filter }), streams };
  await writeDocument(folder, progressName, progress);
  return progress;
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
  source,
  folder,
  start,
  files,
  progress,
}: {
  readonly source: ExportSource;
  readonly folder: string;
  readonly start: ExportProgress;
  readonly files: EntryFiles;
  readonly progress: EntryProgress;
}): Promise<ExportProgress> {
  progress.add(manifestOf(start).entries);
  const sealed = readSealed(folder, isOfSome(start.filter));
  for await (const lines of requireSealedSegments(source.lines(headsOf(folder), start.last), sealed)) {
    await files.entries(lines);
    progress.add(lines.length);
  }
  return files.end();
}

/** Up to where an export takes the stream of administration, which comes before those of policies. */
async function adminOf(folder: string): Promise<{ readonly admin?: string }> {
  for await (const { stream, seq } of headsOf(folder))
    if (stream === adminStream) return { admin: String(seq) };
  return {};
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

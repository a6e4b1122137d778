import { constants } from 'node:fs';
import { lstat, open, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { canonicalJson, codeOf, fileFault, type JsonObject } from '#kernel';
import { entryKinds, timeNanoseconds } from '#ledger';
import { UnusableError } from '../unusable-error.ts';

/** The form of the folder and its files. */
const exportFormat = 1;

/** Of the manifest, which names a file per 64 MB of entries. */
const maximumManifestBytes = 16 * 1024 * 1024;

const chunkBytes = 1024 * 1024;

export const manifestName = 'manifest.json';
/** What an export that is not complete has in place of the manifest. */
export const progressName = 'progress.json';
export const headsName = 'heads.ndjson';
/** The file of the heads that the checkpoint of an export covers. */
export const sealedName = 'sealed.ndjson';
/** The file of the rotations of the key, where there were any. */
export const rotationsName = 'rotations.ndjson';
/** The file of the checkpoint. */
export const noteName = 'checkpoint.note';

/** The name of a file of entries; they are numbered from 1. */
export function entriesName(number: number): string {
  return `entries-${String(number).padStart(6, '0')}.ndjson`;
}

const time = z.string().refine((text) => timeNanoseconds(text) !== null, 'this is no RFC 3339 time');

const filterForm = z.strictObject({
  from: time.nullable(),
  until: time.nullable(),
  namespaces: z.array(z.string()).readonly().nullable(),
  policies: z.array(z.string()).readonly().nullable(),
  kinds: z.array(z.enum(entryKinds)).readonly().nullable(),
});

const filesForm = z.array(
  z.strictObject({
    // Names of its own only, so that no manifest leads out of its folder.
    path: z.string().regex(/^entries-\d{6,12}\.ndjson$/, 'this is no name of a file of entries'),
    entries: z.int().min(0),
  }),
);

/** What retention has deleted. */
export const retentionForm = z.array(
  z.strictObject({
    kind: z.enum(entryKinds),
    content: z.enum(['Payload', 'Observation']),
    before: z.string(),
  }),
);

const manifestForm = z.strictObject({
  exportFormat: z.literal(exportFormat),
  madeAt: time,
  filter: filterForm,
  files: filesForm,
  streams: z.int().min(0),
  entries: z.int().min(0),
  /** Absent where retention has deleted nothing. */
  retention: retentionForm.optional(),
});

const progressForm = z.strictObject({
  exportFormat: z.literal(exportFormat),
  /** The database's URL without its password. */
  database: z.string(),
  madeAt: z.string(),
  filter: filterForm,
  files: filesForm,
  streams: z.int().min(0),
  /** The last entry in the files; `null`: none. */
  last: z.strictObject({ stream: z.string(), seq: z.string().regex(/^\d{1,19}$/) }).nullable(),
});

/** What an export holds, as it says itself. */
export type Manifest = z.infer<typeof manifestForm>;
/** What retention has deleted, as the manifest says. */
export type ManifestRule = z.infer<typeof retentionForm>[number];
/** How far an export has got. */
export type ExportProgress = z.infer<typeof progressForm>;

/** @throws UnusableError where there is none, or where it is not understood. */
export async function readManifest(folder: string): Promise<Manifest> {
  await mustBeFolder(folder);
  if (await exists(join(folder, progressName))) {
    throw new UnusableError(
      `${folder}: the export is not complete; "plimsoll audit export --resume" goes on with it`,
    );
  }
  return parseDocument(folder, manifestName, manifestForm);
}

/** `null` where no export has begun. @throws UnusableError */
export async function readProgress(folder: string): Promise<ExportProgress | null> {
  return (await exists(join(folder, progressName)))
    ? parseDocument(folder, progressName, progressForm)
    : null;
}

/** Makes the complete manifest of what has been written. */
export function manifestOf(progress: ExportProgress): Manifest {
  const { madeAt, filter, files, streams } = progress;
  const entries = files.reduce((sum, file) => sum + file.entries, 0);
  return { exportFormat, madeAt, filter, files, streams, entries };
}

/** Where an export begins. */
export function beginning(given: Pick<ExportProgress, 'database' | 'madeAt' | 'filter'>): ExportProgress {
  return { exportFormat, ...given, files: [], streams: 0, last: null };
}

/** Writes a document as a whole: after a crash there is the one before or this one. */
export async function writeDocument(folder: string, name: string, document: JsonObject): Promise<void> {
  const temporary = join(folder, `.${name}.new`);
  await writeFile(temporary, `${canonicalJson(document)}\n`, { mode: 0o600, flush: true });
  await rename(temporary, join(folder, name));
}

/**
 * Opens a file of the export itself: no link, device or folder of that name. `null` where there is none. Of a file with
 * more than `maximumBytes` one byte more than these is read.
 *
 * @throws UnusableError
 */
export async function openExportFile(
  folder: string,
  name: string,
  maximumBytes = Infinity,
): Promise<Readable | null> {
  const file = join(folder, name);
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await handle.stat()).isFile())
      return handle.createReadStream({ highWaterMark: chunkBytes, end: maximumBytes });

    await handle.close();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (codeOf(error) !== 'ELOOP') throw new UnusableError(`cannot read ${file}: ${fileFault(error, file)}`);
  }
  throw new UnusableError(`${file} is no regular file`);
}

/**
 * The entries of an export as one stream of lines.
 *
 * @throws UnusableError
 */
export async function openExport(folder: string): Promise<Readable> {
  const { files } = await readManifest(folder);
  return Readable.from(chunksOf(folder, files), { objectMode: false, highWaterMark: chunkBytes });
}

async function* chunksOf(folder: string, files: Manifest['files']): AsyncGenerator {
  for (const { path } of files) {
    const input = await openExportFile(folder, path);
    if (input === null) throw new UnusableError(`${join(folder, path)} is missing`);
    yield* input;
  }
}

async function parseDocument<T>(folder: string, name: string, form: z.ZodType<T>): Promise<T> {
  const file = join(folder, name);
  const value = await readJson(folder, name);
  const format: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'exportFormat') : undefined;
  if (typeof format === 'number' && format !== exportFormat) {
    throw new UnusableError(
      `${file}: export format ${format} is not known; this program knows ${exportFormat}`,
    );
  }
  const parsed = form.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UnusableError(`${file}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not understood'}`);
}

async function readJson(folder: string, name: string): Promise<unknown> {
  const file = join(folder, name);
  const input = await openExportFile(folder, name, maximumManifestBytes);
  if (input === null) throw new UnusableError(`${file} is missing: this is no complete export`);
  try {
    const bytes = await buffer(input);
    if (bytes.length > maximumManifestBytes)
      throw new Error(`it has more than ${maximumManifestBytes} bytes`);
    return JSON.parse(bytes.toString()) as unknown;
  } catch (error) {
    throw new UnusableError(`cannot read ${file}: ${fileFault(error, file)}`);
  }
}

async function mustBeFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found === null) throw new UnusableError(`${folder}: there is no such export`);
  if (!found.isDirectory()) throw new UnusableError(`${folder} is no folder, as an export is`);
}

async function exists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw new UnusableError(`cannot read ${file}: ${fileFault(error, file)}`);
  }
}

import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { LedgerReader } from '#adapter-sql';
import { AdapterError, messageOf } from '#kernel';
import {
  parseCheckpointNote,
  parseExportedEntry,
  parseExportedHead,
  settledSnapshot,
  type StreamHead,
  unfitCheckpoint,
  type UnverifiedEntry,
} from '#ledger';
import { databaseSource, localText, type Period, type ReportFilter, type ReportSource } from '#report';
import {
  headsName,
  type Manifest,
  noteName,
  openExport,
  openExportFile,
  readManifest,
} from '../audit/export-folder.ts';
import { verifyExport } from '../audit/verify-export.ts';
import { withPassword } from '../database/database-access.ts';
import { readLines } from '../decision/read-lines.ts';
import { BrokenLedgerError, UnusableError } from '../unusable-error.ts';

/** A report's source that is to be closed. */
export interface OpenReport extends ReportSource {
  /** @throws UnusableError where it lacks what the period needs */
  requireContent(period: Period): void;
  close(): Promise<void>;
}

const everything = { from: null, until: null, namespaces: null, policies: null, kinds: null } as const;

/** @throws UnusableError for a database of no use */
export async function openDatabaseReport(
  { database, passwordFile }: { readonly database: string; readonly passwordFile?: string },
  filter: ReportFilter,
): Promise<OpenReport> {
  const reader = await openReader(await withPassword(database, passwordFile));
  try {
    const madeAt = new Date().toISOString();
    const snapshot = await settledSnapshot(reader, everything, delay);
    if (snapshot === null) throw new BrokenLedgerError(unfitCheckpoint);
    const source = databaseSource(reader, snapshot, { filter, madeAt });
    return { ...source, requireContent: () => undefined, close: () => reader.close() };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

async function openReader(url: string): Promise<LedgerReader> {
  try {
    return await LedgerReader.open(url, 'command');
  } catch (error) {
    if (error instanceof AdapterError) throw new UnusableError(messageOf(error));
    throw error;
  }
}

/** The folder of an export as the source of a report. @throws UnusableError */
export async function openExportReport(folder: string): Promise<OpenReport> {
  const manifest = await readManifest(folder);
  const heads = await headsOf(folder);
  return {
    about: {
      madeAt: manifest.madeAt,
      readFrom: describeExport(manifest),
      heads,
      checkpoint: await checkpointOf(folder),
    },
    streams: heads.map(({ stream }) => stream),
    entries: entriesOf(folder),
    verification: () => verificationOf(folder),
    requireContent: (period) => {
      requireContent(manifest, period);
    },
    close: () => Promise.resolve(),
  };
}

/** What an export leaves out is missing in its report, too, which says so. */
function describeExport({ filter: { namespaces, policies, from, until } }: Manifest): string {
  const parts = [
    ...(namespaces === null ? [] : [`namespaces ${namespaces.join(', ')}`]),
    ...(policies === null ? [] : [`policies ${policies.join(', ')}`]),
  ];
  const times = [
    ...(from === null ? [] : [` from ${from}`]),
    ...(until === null ? [] : [` until ${until}`]),
  ].join('');
  return parts.length === 0
    ? `an export of everything${times}`
    : `an export of ${parts.join(' and ')} only${times}`;
}

/** What an export left out would be missing in silence. */
function requireContent({ filter }: Manifest, period: Period): void {
  const { kinds, from, until } = filter;
  if (kinds !== null) throw new UnusableError('the export was made with --kind: a report needs all kinds');
  if (from !== null && Date.parse(from) > period.from)
    throw lacking(`begins at ${from}, after the period: ${localText(period.from, period.timeZone)}`);
  if (until !== null && Date.parse(until) < period.until)
    throw lacking(`ends at ${until}, before the period: ${localText(period.until, period.timeZone)}`);
}

function lacking(what: string): UnusableError {
  return new UnusableError(`the export ${what}; export all of the period, or give a shorter one`);
}

async function headsOf(folder: string): Promise<readonly StreamHead[]> {
  const input = await openExportFile(folder, headsName);
  if (input === null) return [];
  const heads: StreamHead[] = [];
  for await (const lines of readLines(input)) {
    for (const line of lines) {
      const head = 'text' in line ? parseExportedHead(line.text) : null;
      if (head !== null) heads.push(head);
    }
  }
  return heads;
}

async function checkpointOf(folder: string): Promise<ReportSource['about']['checkpoint']> {
  const input = await openExportFile(folder, noteName, 64 * 1024);
  const note = input === null ? null : parseCheckpointNote(await text(input));
  if (note === null) return null;
  const { number, time, origin } = note.body;
  return { number, time, origin };
}

async function* entriesOf(folder: string): AsyncGenerator<readonly UnverifiedEntry[]> {
  for await (const lines of readLines(await openExport(folder)))
    yield lines.flatMap((line) => ('text' in line && parseExportedEntry(line.text)) || []);
}

/** What `plimsoll audit verify` says of the folder. */
async function verificationOf(folder: string): Promise<Awaited<ReturnType<ReportSource['verification']>>> {
  const output = new PassThrough();
  const nothing = new PassThrough().resume();
  const terminal = {
    input: nothing,
    output,
    messages: nothing,
    environment: {},
    isColoured: false,
    isFollowed: false,
  };
  await verifyExport(folder, { format: 'json' }, terminal);
  const { status, fault } = JSON.parse(String(output.read())) as {
    readonly status: 'Proven' | 'Consistent' | 'Broken';
    readonly fault: { readonly message: string } | null;
  };
  return { status, fault: fault?.message ?? null };
}

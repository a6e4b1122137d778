import { join } from 'node:path';
import { canonicalJson } from '#kernel';
import { parseExportedHead, type StreamHead } from '#ledger';
import { readLines } from '../decision/read-lines.ts';
import type { Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import { EntryProgress } from './entry-progress.ts';
import type { ExportFilter } from './export-filter.ts';
import { headsName, type Manifest, openExportFile, readManifest } from './export-folder.ts';
import { type EntryCounts, type ExportFault, type PlacedLine, verifyEntries } from './verify-entries.ts';

export interface VerifyArguments {
  readonly format: 'text' | 'json';
}

/**
 * Verifies an export, without server or database, in one pass and in bounded memory.
 *
 * @returns the exit status: 1 broken, 3 consistent, its origin not proven
 * @throws UnusableError
 */
export async function verifyExport(
  folder: string,
  { format }: VerifyArguments,
  terminal: Terminal,
): Promise<1 | 3> {
  const manifest = await readManifest(folder);
  const progress = new EntryProgress('verified', terminal);
  const result = await verifyEntries({
    heads: headsOf(folder),
    entries: entriesOf(folder, manifest),
    filter: manifest.filter,
    nowNanoseconds: BigInt(Date.now()) * 1_000_000n,
    onEntry: () => {
      progress.add(1);
    },
  });
  progress.end();
  const outcome = 'code' in result ? result : (countFault(manifest, result) ?? result);
  const report = format === 'json' ? jsonReport : textReport;
  terminal.output.write(`${report(outcome, manifest)}\n`);
  return 'code' in outcome ? 1 : 3;
}

async function* headsOf(folder: string): AsyncGenerator<StreamHead | ExportFault, void> {
  const input = await openExportFile(folder, headsName);
  if (input === null) throw new UnusableError(`${join(folder, headsName)} is missing`);
  let before = Buffer.alloc(0);
  for await (const lines of readLines(input)) {
    for (const line of lines) {
      const head = 'text' in line ? parseExportedHead(line.text) : null;
      if (head === null) {
        yield headFault(line.number, 'the line is no head');
      } else {
        const name = Buffer.from(head.stream);
        if (Buffer.compare(name, before) <= 0) yield headFault(line.number, `${head.stream} is out of order`);
        before = name;
        yield head;
      }
    }
  }
}

function headFault(line: number, message: string): ExportFault {
  return { code: 'UnreadableHead', stream: null, seq: null, message, file: headsName, line };
}

/** A missing file is as empty: what is missing first is then named. */
async function* entriesOf(folder: string, { files }: Manifest): AsyncGenerator<PlacedLine> {
  for (const { path: file } of files) {
    const input = await openExportFile(folder, file);
    if (input === null) continue;
    for await (const lines of readLines(input)) for (const line of lines) yield { file, line };
  }
}

function countFault(manifest: Manifest, { entries, streams }: EntryCounts): ExportFault | null {
  if (manifest.entries === entries && manifest.streams === streams) return null;
  return {
    code: 'WrongCount',
    stream: null,
    seq: null,
    message: `the manifest counts ${manifest.entries} entries of ${manifest.streams} streams, there are ${entries} of ${streams}`,
    file: 'manifest.json',
    line: null,
  };
}

function textReport(outcome: EntryCounts | ExportFault, { filter, madeAt }: Manifest): string {
  if ('code' in outcome) {
    const { code, message, file, line } = outcome;
    return `broken: ${message}\n  ${code}, ${file}${line === null ? ' at its end' : `:${line}`}`;
  }
  const { streams, entries, headers } = outcome;
  const lines = [
    `${streams} streams, ${entries} entries, exported at ${madeAt}`,
    `  filter: ${describeFilter(filter)}`,
    ...(headers === 0
      ? []
      : [`  ${headers} entries are without their payloads, which the filter leaves out`]),
    '  every entry follows from the one before it, up to the heads of the export',
    'consistent, origin not proven: the export has no checkpoint, so none of it is sealed',
  ];
  return lines.join('\n');
}

function describeFilter({ from, until, namespaces, policies, kinds }: ExportFilter): string {
  const parts = [
    ...(from === null ? [] : [`from ${from}`]),
    ...(until === null ? [] : [`until ${until}`]),
    ...(namespaces === null ? [] : [`namespaces ${namespaces.join(', ')}`]),
    ...(policies === null ? [] : [`policies ${policies.join(', ')}`]),
    ...(kinds === null ? [] : [`kinds ${kinds.join(', ')}`]),
  ];
  return parts.length === 0 ? 'none, everything is exported' : parts.join('; ');
}

function jsonReport(outcome: EntryCounts | ExportFault, { filter, madeAt }: Manifest): string {
  const common = { madeAt, filter: { ...filter } };
  if (!('code' in outcome))
    return canonicalJson({ ...common, ...outcome, status: 'Consistent', fault: null });
  const { code, message, stream, seq, file, line } = outcome;
  const fault = { code, message, stream, seq: seq === null ? null : String(seq), file, line };
  return canonicalJson({ ...common, status: 'Broken', fault });
}

import { join } from 'node:path';
import { canonicalJson, counted } from '#kernel';
import {
  type CheckpointBody,
  type ExportFilter,
  isOfSome,
  parseExportedHead,
  SelectedRanges,
  type StreamHead,
} from '#ledger';
import { readLines } from '../decision/read-lines.ts';
import { EntryProgress } from '../entry-progress.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import type { ExportFault } from './export-fault.ts';
import { headsName, type Manifest, manifestName, openExportFile, readManifest } from './export-folder.ts';
import { judgeOrigin, type RecordedGap, RecordedNotes } from './judge-origin.ts';
import { readCheckpoint, sealedHeadsOf } from './verify-checkpoint.ts';
import { type EntryCounts, type PlacedLines, verifyEntries } from './verify-entries.ts';
import { readWitness, type Witness, type Witnesses } from './witness.ts';

export interface VerifyArguments extends Witnesses {
  readonly format: 'text' | 'json';
}

/**
 * Verifies an export, without server or database, in one pass and in bounded memory.
 *
 * @returns the exit status: 0 proven, 1 broken, 3 consistent, its origin not proven
 * @throws UnusableError
 */
export async function verifyExport(
  folder: string,
  options: VerifyArguments,
  terminal: Terminal,
): Promise<0 | 1 | 3> {
  const manifest = await readManifest(folder);
  const witness = await readWitness(options);
  const outcome = await verified(folder, { manifest, witness, terminal });
  const report = options.format === 'json' ? jsonReport : textReport;
  terminal.output.write(`${report(outcome, manifest)}\n`);
  if ('code' in outcome) return 1;
  return outcome.status === 'Proven' ? 0 : 3;
}

/** An export without a fault. */
interface Sound extends EntryCounts {
  readonly status: 'Proven' | 'Consistent';
  readonly checkpoint: CheckpointBody | null;
  readonly gaps: readonly RecordedGap[];
}

async function verified(
  folder: string,
  {
    manifest,
    witness,
    terminal,
  }: { readonly manifest: Manifest; readonly witness: Witness; readonly terminal: Terminal },
): Promise<Sound | ExportFault> {
  const own = await readCheckpoint(folder);
  if (own !== null && 'code' in own) return own;
  const recorded = new RecordedNotes(witness);
  const progress = new EntryProgress('verified', terminal);
  const counts = await verifyEntries({
    heads: headsOf(folder, manifest),
    entries: entriesOf(folder, manifest),
    sealed: own === null ? noHeads() : sealedHeadsOf(folder, own, manifest),
    filter: manifest.filter,
    retention: manifest.retention ?? [],
    nowNanoseconds: BigInt(Date.now()) * 1_000_000n,
    onEntry: (entry) => {
      progress.add(1);
      recorded.look(entry);
    },
  }).finally(() => progress.end());
  if ('code' in counts) return counts;
  const fault = countFault(manifest, counts);
  if (fault !== null) return fault;
  const status = await judgeOrigin({ own, witness, recorded, madeAt: manifest.madeAt });
  return typeof status === 'string'
    ? { ...counts, status, checkpoint: own?.note.body ?? null, gaps: recorded.gaps }
    : status;
}

// eslint-disable-next-line @typescript-eslint/require-await -- without a checkpoint nothing is covered
async function* noHeads(): AsyncGenerator<StreamHead | ExportFault, void> {
  return;
}

/** The heads, which are of streams of the filter: nothing seals another one here, whatever the checkpoint covers. */
async function* headsOf(
  folder: string,
  { filter }: Manifest,
): AsyncGenerator<StreamHead | ExportFault, void> {
  const input = await openExportFile(folder, headsName);
  if (input === null) throw new UnusableError(`${join(folder, headsName)} is missing`);
  const ranges = isOfSome(filter) ? new SelectedRanges(filter) : null;
  let before = Buffer.alloc(0);
  for await (const lines of readLines(input)) {
    for (const line of lines) {
      const head = 'text' in line ? parseExportedHead(line.text) : null;
      if (head === null) {
        yield headFault(line.number, 'the line is no head');
      } else {
        const name = Buffer.from(head.stream);
        if (Buffer.compare(name, before) <= 0) yield headFault(line.number, `${head.stream} is out of order`);
        if (ranges?.selects(head.stream) === false)
          yield headFault(line.number, `the filter does not select ${head.stream}`);
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
async function* entriesOf(folder: string, { files }: Manifest): AsyncGenerator<PlacedLines> {
  for (const { path: file } of files) {
    const input = await openExportFile(folder, file);
    if (input === null) continue;
    for await (const lines of readLines(input)) yield { file, lines };
  }
}

function countFault(manifest: Manifest, { entries, streams }: EntryCounts): ExportFault | null {
  if (manifest.entries === entries && manifest.streams === streams) return null;
  return {
    code: 'WrongCount',
    stream: null,
    seq: null,
    message: `the manifest counts ${manifest.entries} entries of ${manifest.streams} streams, there are ${entries} of ${streams}`,
    file: manifestName,
    line: null,
  };
}

function textReport(outcome: Sound | ExportFault, { filter, madeAt }: Manifest): string {
  if ('code' in outcome) {
    const { code, message, file, line } = outcome;
    const place = line === null ? `${file} at its end` : `${file}:${line}`;
    return `broken: ${message}\n  ${code}, ${file === '' ? 'no file of entries was found' : place}`;
  }
  const { streams, entries, headers, expired } = outcome;
  const lines = [
    `${counted(streams, 'stream')}, ${counted(entries, 'entry', 'entries')}, exported at ${madeAt}`,
    `  filter: ${printable(describeFilter(filter))}`,
    ...(headers === 0
      ? []
      : [
          `  ${counted(headers, 'entry is', 'entries are')} without the whole payload, which filter or retention leave out`,
        ]),
    ...(expired === 0
      ? []
      : [
          `  ${counted(expired, 'entry before them has', 'entries before them have')} expired, known to have been`,
        ]),
    '  every entry follows from the one before it, up to the heads of the export',
    `  ${describeCheckpoint(outcome)}`,
    ...outcome.gaps.map((gap) => `  ${describeGap(gap)}`),
    describeStatus(outcome),
  ];
  return lines.join('\n');
}

function describeStatus({ status, checkpoint }: Sound): string {
  if (status === 'Proven') return 'proven: the checkpoint is genuine';
  const cure =
    checkpoint === null
      ? 'only a checkpoint proves it; a controller that has its key makes one within a minute: export again'
      : 'give the public key (--key) or a checkpoint (--checkpoint) obtained elsewhere';
  return `consistent, origin not proven: ${cure}`;
}

/** Of an export that may be forged. */
function describeGap({ restored, number, backup }: RecordedGap): string {
  const [after, last, madeAt] = [restored, number, backup].map((text) => printable(JSON.stringify(text)));
  return `the ledger says that a backup of ${madeAt} was restored: after checkpoint ${after}, those up to ${last} are lost`;
}

function describeCheckpoint({ checkpoint, unsealed }: Sound): string {
  if (checkpoint === null) return 'there is no checkpoint: none of it is sealed';
  const { number, time, origin } = checkpoint;
  const tail = unsealed === 0 ? '' : `, but for the last ${counted(unsealed, 'entry', 'entries')}`;
  return `sealed by checkpoint ${number} of ${time} (${origin})${tail}`;
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

function jsonReport(outcome: Sound | ExportFault, { filter, madeAt }: Manifest): string {
  const common = { madeAt, filter: { ...filter } };
  if (!('code' in outcome)) {
    const { checkpoint, gaps, ...rest } = outcome;
    const sealing =
      checkpoint === null
        ? null
        : { number: String(checkpoint.number), time: checkpoint.time, origin: checkpoint.origin };
    return canonicalJson({
      ...common,
      ...rest,
      checkpoint: sealing,
      gaps: gaps.map((gap) => ({ ...gap })),
      fault: null,
    });
  }
  const { code, message, stream, seq, file, line } = outcome;
  const fault = { code, message, stream, seq: seq === null ? null : String(seq), file, line };
  return canonicalJson({ ...common, status: 'Broken', fault });
}

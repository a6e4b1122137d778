import type { StreamHead } from '../entries/entry.ts';
import { sha256Hex } from '../entries/hash.ts';
import { sha256Bytes } from '../entries/hash.ts';
import { parseCheckpointNote } from '../notes/checkpoint-note.ts';
import type { ExpiryRule } from '../ports/retention.port.ts';
import { entrySelector, type ExportFilter, selectsStream } from './export-filter.ts';
import { exportedEntry, exportedHead, exportedSegment, type StoredEntry } from './exported-entry.ts';
import { merkleLeaf, MerkleRoot } from './merkle.ts';
import { hexOf, sealedLines } from './sealed-heads.ts';

/** What an export is made from. */
export interface ExportReader {
  /** Reads everything as of one moment. */
  inSnapshot<T>(read: () => Promise<T>): Promise<T>;
  /** The heads of all streams, by name. */
  heads(): AsyncIterable<readonly StreamHead[]>;
  /** The heads that the last checkpoint covers, by name. */
  sealedHeads(): AsyncIterable<readonly StreamHead[]>;
  /** The last checkpoint; `null`: none. */
  lastNote(): Promise<string | null>;
  /** The notes that say how keys of the checkpoints follow each other, in their order. */
  keyRotations(): Promise<readonly string[]>;
  /** The last of the entries that retention has deleted at the beginning of a stream; `null`: none. */
  segment(stream: string): Promise<StreamHead | null>;
  /** @throws AdapterError where a segment was announced after this entry of the stream `admin`, so an export up to it has no record of it */
  requireAnnounced(segment: StreamHead, upTo: bigint): Promise<void>;
  /** What retention has deleted until now, or may be deleting. */
  expiryRules(): Promise<readonly ExpiryRule[]>;
  /** The entries of a stream by number, after `after` and up to the head's, in portions. */
  entries(range: {
    readonly head: StreamHead;
    readonly after: bigint;
  }): AsyncIterable<readonly StoredEntry[]>;
}

/** What an export has beside its entries, as of one moment. */
export interface ExportSnapshot {
  readonly heads: readonly StreamHead[];
  /** Null: there is no checkpoint. */
  readonly checkpoint: {
    readonly note: string;
    /** The lines of the heads that it covers. */
    readonly sealed: readonly string[];
    /** Notes. */
    readonly rotations: readonly string[];
  } | null;
}

/** What is said where {@link settledSnapshot} gives `null`. */
export const unfitCheckpoint =
  'the last checkpoint does not fit the heads that it covers, also some seconds later: the database was changed by another than Plimsoll, so that its ledger cannot be verified';

/** Reads what an export has beside its entries. `null`: an earlier release, which writes the heads first, is just making a checkpoint. */
export function readSnapshot(reader: ExportReader, filter: ExportFilter): Promise<ExportSnapshot | null> {
  return reader.inSnapshot(async () => {
    const heads = (await allOf(reader.heads())).filter(({ stream }) => selectsStream(filter, stream));
    const note = await reader.lastNote();
    if (note === null) return { heads, checkpoint: null };
    const sealed = await allOf(reader.sealedHeads());
    const tree = new MerkleRoot(sha256Bytes);
    for (const head of sealed) tree.add(merkleLeaf(exportedHead(head), sha256Bytes));
    if (parseCheckpointNote(note)?.body.root !== hexOf(tree.root)) return null;
    const rotations = await reader.keyRotations();
    return { heads, checkpoint: { note, sealed: sealedLines(sealed, filter), rotations } };
  });
}

/** A checkpoint takes milliseconds to be made; one whose process was killed meanwhile is made by the next. */
const snapshotAttempts = 10;
const snapshotDelayMilliseconds = 500;

/**
 * Reads such a snapshot, again and again until its checkpoint fits.
 *
 * @param delay resolves after so many milliseconds
 * @returns `null`: it does not within some seconds, see {@link unfitCheckpoint}
 */
export async function settledSnapshot(
  reader: ExportReader,
  filter: ExportFilter,
  delay: (milliseconds: number) => Promise<unknown>,
): Promise<ExportSnapshot | null> {
  for (let attempt = 0; attempt < snapshotAttempts; attempt += 1) {
    const snapshot = await readSnapshot(reader, filter);
    if (snapshot !== null) return snapshot;
    await delay(snapshotDelayMilliseconds);
  }
  return null;
}

async function allOf(pages: AsyncIterable<readonly StreamHead[]>): Promise<readonly StreamHead[]> {
  const heads: StreamHead[] = [];
  for await (const page of pages) for (const head of page) heads.push(head);
  return heads;
}

/** A line of an export's entries. */
export interface ExportedLine {
  readonly stream: string;
  readonly seq: bigint;
  readonly line: string;
}

/** The lines of a stream after a number, in portions; at 0 with what stands for entries that it has no more. */
export async function* readExportedLines(
  reader: ExportReader,
  filter: ExportFilter,
  {
    head,
    after,
    admin,
  }: {
    readonly head: StreamHead;
    readonly after: bigint;
    /** The exported head of the stream `admin`, which says what has been deleted; absent: it is not exported. */
    readonly admin?: StreamHead | undefined;
  },
): AsyncGenerator<readonly ExportedLine[]> {
  const { stream } = head;
  const selects = entrySelector(filter);
  const segment = after === 0n ? await reader.segment(stream) : null;
  if (segment !== null && admin !== undefined) await reader.requireAnnounced(segment, admin.seq);
  if (segment !== null) yield [{ stream, seq: segment.seq, line: exportedSegment(segment) }];
  for await (const entries of reader.entries({ head, after: segment?.seq ?? after })) {
    yield entries.map((entry) => ({
      stream,
      seq: entry.seq,
      line: exportedEntry(entry, selects(entry) ? 'Payload' : 'Header', sha256Hex),
    }));
  }
}

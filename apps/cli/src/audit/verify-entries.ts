import {
  type ChainEnd,
  emptyEnd,
  entrySelector,
  type ExportFilter,
  parseExportedEntry,
  parseExportedSegment,
  RecordedSegments,
  type SegmentFault,
  sha256Hex,
  type StreamHead,
  timeNanoseconds,
  type UnverifiedEntry,
  verifyEnd,
  verifyNext,
} from '#ledger';
import type { Line } from '../decision/read-lines.ts';
import { type ExportFault, faultAt, FaultFound, type FaultPlace } from './export-fault.ts';
import type { ManifestRule } from './export-folder.ts';

/** How far ahead of this machine's clock an entry may be: clocks differ, and no entry is made in advance. */
const maximumAheadNanoseconds = 600n * 1_000_000_000n;

/** Lines that follow each other, and the file that they are in. */
export interface PlacedLines {
  readonly file: string;
  readonly lines: readonly Line[];
}

/** What was counted on the way. */
export interface EntryCounts {
  readonly streams: number;
  readonly entries: number;
  /** Of them without their payloads. */
  readonly headers: number;
  /** Of them after those that the checkpoint covers. */
  readonly unsealed: number;
  /** Entries that retention has deleted, without headers. */
  readonly expired: number;
}

export interface VerifyEntriesOptions {
  /** In the order of the export, which is that of the entries. */
  readonly heads: AsyncGenerator<StreamHead | ExportFault, void>;
  readonly entries: AsyncIterable<PlacedLines>;
  /** The heads that the checkpoint covers, in the same order; nothing without a checkpoint. */
  readonly sealed: AsyncGenerator<StreamHead | ExportFault, void>;
  readonly filter: ExportFilter;
  readonly retention: readonly ManifestRule[];
  readonly nowNanoseconds: bigint;
  readonly onEntry: (entry: UnverifiedEntry) => void;
}

/** Checks the entries of an export against its heads, in one pass over both. */
export async function verifyEntries(options: VerifyEntriesOptions): Promise<EntryCounts | ExportFault> {
  const verification = new Verification(options);
  try {
    return await verification.run(options.entries);
  } catch (error) {
    if (error instanceof FaultFound) return error.fault;
    throw error;
  } finally {
    // A fault leaves the file of the heads open.
    await options.heads.return();
    await options.sealed.return();
  }
}

class Verification {
  readonly #heads: VerifyEntriesOptions['heads'];
  readonly #selects: ReturnType<typeof entrySelector>;
  readonly #rules: readonly Readonly<Omit<ManifestRule, 'before'> & { before: bigint }>[];
  readonly #latest: bigint;
  readonly #onEntry: VerifyEntriesOptions['onEntry'];
  readonly #sealed: VerifyEntriesOptions['sealed'];
  readonly #recorded: RecordedSegments;
  /** The next that the checkpoint covers; `null`: none is left. */
  #nextSealed: StreamHead | null = null;
  #hasSealed = false;
  /** Of the current stream; `null`: the checkpoint does not cover it. */
  #seal: StreamHead | null = null;
  #head: StreamHead | null = null;
  #end: ChainEnd = emptyEnd('');
  #counts = { streams: 0, entries: 0, headers: 0, unsealed: 0, expired: 0 };

  constructor({ heads, sealed, filter, retention, nowNanoseconds, onEntry }: VerifyEntriesOptions) {
    this.#heads = heads;
    this.#sealed = sealed;
    this.#selects = entrySelector(filter);
    this.#rules = retention.map((rule) => ({ ...rule, before: timeNanoseconds(rule.before) ?? 0n }));
    this.#latest = nowNanoseconds + maximumAheadNanoseconds;
    this.#recorded = new RecordedSegments(filter);
    this.#onEntry = onEntry;
  }

  async run(entries: AsyncIterable<PlacedLines>): Promise<EntryCounts> {
    let file = '';
    for await (const placed of entries) {
      ({ file } = placed);
      for (const line of placed.lines) {
        const place: FaultPlace = { file, line: line.number };
        const entry = 'text' in line ? parseExportedEntry(line.text) : null;
        if (this.#head === null || this.#end.seq >= this.#head.seq) await this.#turnTo(entry, place);
        if (entry === null) this.#takeSegment(line, place);
        else this.#takeEntry(entry, place);
      }
    }
    const end: FaultPlace = { file, line: null };
    for (;;) {
      if (this.#head !== null) this.#finish(this.#head, end);
      if (await this.#begin(end)) continue;
      await this.#finishSealed(end);
      return this.#counts;
    }
  }

  #takeEntry(entry: UnverifiedEntry, place: FaultPlace): void {
    const next = verifyNext(this.#end, entry, sha256Hex);
    if (!next.ok) throw new FaultFound({ ...next.error, ...place });
    this.#end = next.value;
    this.#checkSeal(place);
    this.#checkContent(entry, place);
    this.#counts.entries += 1;
    this.#recorded.look(entry);
    this.#onEntry(entry);
  }

  /** A line that is no entry may stand for those that have been deleted: as the first of its stream, and never all of it. */
  #takeSegment(line: Line, place: FaultPlace): void {
    const segment = 'text' in line ? parseExportedSegment(line.text) : null;
    if (segment === null || !this.#isBeginning(segment)) {
      const problem = 'problem' in line ? line.problem : 'the line is no entry of an export';
      throw this.#fault('UnreadableEntry', problem, place);
    }
    if (this.#seal === null || segment.seq >= this.#seal.seq) {
      const message = `entries up to number ${segment.seq} are deleted, which no checkpoint covers`;
      throw this.#fault('SegmentUnsealed', message, place);
    }
    this.#requireRecorded(this.#recorded.begin(segment), place);
    this.#end = { ...segment, format: 1 };
    this.#counts.entries += 1;
    this.#counts.expired += Number(segment.seq);
  }

  #isBeginning({ stream, seq }: StreamHead): boolean {
    return this.#head?.stream === stream && this.#end.seq === 0n && seq < this.#head.seq;
  }

  /** Ends the stream, and begins the next. */
  async #turnTo(entry: UnverifiedEntry | null, place: FaultPlace): Promise<void> {
    if (this.#head !== null) {
      this.#finish(this.#head, place);
      if (entry?.stream === this.#head.stream)
        throw this.#fault('NotTheHead', `an entry after the head, which is number ${this.#head.seq}`, place);
    }
    if (await this.#begin(place)) return;
    const name =
      entry === null ? 'the line is no entry of an export' : `${entry.stream}#${entry.seq} has no head`;
    throw new FaultFound({
      code: 'NotTheHead',
      stream: entry?.stream ?? null,
      seq: entry?.seq ?? null,
      message: `after the last entry of the last stream: ${name}`,
      ...place,
    });
  }

  async #begin(place: FaultPlace): Promise<boolean> {
    const next = await this.#heads.next();
    if (next.done === true) return false;
    if ('code' in next.value) throw new FaultFound(next.value);
    this.#head = next.value;
    this.#end = emptyEnd(next.value.stream);
    this.#counts.streams += 1;
    this.#seal = await this.#sealOf(next.value, place);
    return true;
  }

  async #sealOf({ stream, seq }: StreamHead, place: FaultPlace): Promise<StreamHead | null> {
    const sealed = await this.#peekSealed();
    const order = sealed === null ? 1 : Buffer.compare(Buffer.from(sealed.stream), Buffer.from(stream));
    if (sealed === null || order > 0) return null;
    if (order < 0) throw missingStream(sealed, place);
    this.#hasSealed = false;
    if (sealed.seq <= seq) return sealed;
    const message = `the checkpoint covers ${sealed.seq} entries, the head is number ${seq}`;
    throw faultAt({ stream, seq: seq + 1n }, { code: 'Truncated', message, ...place });
  }

  async #peekSealed(): Promise<StreamHead | null> {
    if (this.#hasSealed) return this.#nextSealed;
    const { value } = await this.#sealed.next();
    if (value !== undefined && 'code' in value) throw new FaultFound(value);
    this.#nextSealed = value ?? null;
    this.#hasSealed = true;
    return this.#nextSealed;
  }

  async #finishSealed(place: FaultPlace): Promise<void> {
    const sealed = await this.#peekSealed();
    if (sealed !== null) throw missingStream(sealed, place);
  }

  #checkSeal(place: FaultPlace): void {
    const { stream, seq, hash } = this.#end;
    if (this.#seal === null || seq > this.#seal.seq) {
      this.#counts.unsealed += 1;
    } else if (seq === this.#seal.seq && hash !== this.#seal.hash) {
      throw faultAt(
        { stream, seq },
        { code: 'WrongSeal', message: `the checkpoint covers another entry, ${this.#seal.hash}`, ...place },
      );
    }
  }

  #finish(head: StreamHead, place: FaultPlace): void {
    const ended = verifyEnd(this.#end, head);
    if (!ended.ok) throw new FaultFound({ ...ended.error, ...place });
    this.#requireRecorded(this.#recorded.end(head.stream), place);
  }

  /** A fault of a segment is one of all that the stream begins with. */
  #requireRecorded(fault: SegmentFault | null, place: FaultPlace): void {
    if (fault !== null) throw faultAt({ stream: this.#end.stream, seq: 1n }, { ...fault, ...place });
  }

  #checkContent(entry: UnverifiedEntry, place: FaultPlace): void {
    const isWhole = 'payloadText' in entry;
    if (!isWhole) this.#counts.headers += 1;
    if (!isWhole && this.#selects(entry) && !this.#hasExpired(entry)) {
      throw faultAt(entry, {
        code: 'ContentMissing',
        message: 'its payload is missing, which neither filter nor retention leave out',
        ...place,
      });
    }
    const time = timeNanoseconds(entry.time);
    if (time === null || time > this.#latest) {
      throw faultAt(entry, {
        code: 'FutureTime',
        message: `its time is ${entry.time}, which has not come yet`,
        ...place,
      });
    }
  }

  #hasExpired(entry: UnverifiedEntry): boolean {
    const time = timeNanoseconds(entry.time);
    return this.#rules.some(
      ({ kind, content, before }) =>
        kind === entry.kind &&
        (content === 'Payload' || 'hashedPayload' in entry) &&
        time !== null &&
        time < before,
    );
  }

  /** At the entry that is expected next. */
  #fault(code: ExportFault['code'], message: string, place: FaultPlace): FaultFound {
    const { stream, seq } = this.#end;
    return faultAt({ stream, seq: seq + 1n }, { code, message, ...place });
  }
}

function missingStream({ stream }: StreamHead, place: FaultPlace): FaultFound {
  const message = 'the checkpoint covers this stream, which is missing';
  return faultAt({ stream, seq: 1n }, { code: 'Truncated', message, ...place });
}

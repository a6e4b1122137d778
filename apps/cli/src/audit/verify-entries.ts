import {
  type ChainEnd,
  type ChainFault,
  emptyEnd,
  type EntryAddress,
  parseExportedEntry,
  type StreamHead,
  timeNanoseconds,
  type UnverifiedEntry,
  verifyEnd,
  verifyNext,
} from '#ledger';
import type { Line } from '../decision/read-lines.ts';
import { entrySelector, type ExportFilter } from './export-filter.ts';

/** How far ahead of this machine's clock an entry may be: clocks differ, and no entry is made in advance. */
const maximumAheadNanoseconds = 600n * 1_000_000_000n;

/** The first thing that is wrong with an export. */
export interface ExportFault {
  readonly code:
    | ChainFault['code']
    /** The line is no entry in the form of an export. */
    | 'UnreadableEntry'
    /** The entry is later than this machine's clock. */
    | 'FutureTime'
    /** The list of heads is damaged, or not in order. */
    | 'UnreadableHead'
    /** The manifest counts something else than there is. */
    | 'WrongCount';
  /** `null` where no stream can be named. */
  readonly stream: string | null;
  /** The number of the first entry that is edited, missing, inserted or out of place. */
  readonly seq: bigint | null;
  readonly message: string;
  /** Where it was found. */
  readonly file: string;
  /** `null`: at the end of the file. */
  readonly line: number | null;
}

/** A line and the file that it is in. */
export interface PlacedLine {
  readonly file: string;
  readonly line: Line;
}

/** What was counted on the way. */
export interface EntryCounts {
  readonly streams: number;
  readonly entries: number;
  /** Of them without their payloads. */
  readonly headers: number;
}

/** Stops at the first fault. */
class FaultFound extends Error {
  override readonly name = 'FaultFound';
  readonly fault: ExportFault;

  constructor(fault: ExportFault) {
    super(fault.message);
    this.fault = fault;
  }
}

export interface VerifyEntriesOptions {
  /** In the order of the export, which is that of the entries. */
  readonly heads: AsyncGenerator<StreamHead | ExportFault, void>;
  readonly entries: AsyncIterable<PlacedLine>;
  readonly filter: ExportFilter;
  readonly nowNanoseconds: bigint;
  readonly onEntry: () => void;
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
  }
}

interface Place {
  readonly file: string;
  readonly line: number | null;
}

class Verification {
  readonly #heads: VerifyEntriesOptions['heads'];
  readonly #selects: ReturnType<typeof entrySelector>;
  readonly #latest: bigint;
  readonly #onEntry: () => void;
  #head: StreamHead | null = null;
  #end: ChainEnd = emptyEnd('');
  #counts = { streams: 0, entries: 0, headers: 0 };

  constructor({ heads, filter, nowNanoseconds, onEntry }: VerifyEntriesOptions) {
    this.#heads = heads;
    this.#selects = entrySelector(filter);
    this.#latest = nowNanoseconds + maximumAheadNanoseconds;
    this.#onEntry = onEntry;
  }

  async run(entries: AsyncIterable<PlacedLine>): Promise<EntryCounts> {
    let file = '';
    for await (const placed of entries) {
      ({ file } = placed);
      await this.#next(placed);
      this.#onEntry();
    }
    const end: Place = { file, line: null };
    for (;;) {
      if (this.#head !== null) this.#finish(this.#head, end);
      if (!(await this.#begin())) return this.#counts;
    }
  }

  async #next({ file, line }: PlacedLine): Promise<void> {
    const place: Place = { file, line: line.number };
    const entry = 'text' in line ? parseExportedEntry(line.text) : null;
    if (this.#head === null || this.#end.seq >= this.#head.seq) await this.#turnTo(entry, place);
    if (entry === null) {
      const problem = 'problem' in line ? line.problem : 'the line is no entry of an export';
      throw this.#fault('UnreadableEntry', problem, place);
    }
    const next = verifyNext(this.#end, entry);
    if (!next.ok) throw new FaultFound({ ...next.error, ...place });
    this.#end = next.value;
    this.#checkContent(entry, place);
    this.#counts.entries += 1;
  }

  /** Ends the stream, and begins the next. */
  async #turnTo(entry: UnverifiedEntry | null, place: Place): Promise<void> {
    if (this.#head !== null) {
      this.#finish(this.#head, place);
      if (entry?.stream === this.#head.stream)
        throw this.#fault('NotTheHead', `an entry after the head, which is number ${this.#head.seq}`, place);
    }
    if (await this.#begin()) return;
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

  async #begin(): Promise<boolean> {
    const next = await this.#heads.next();
    if (next.done === true) return false;
    if ('code' in next.value) throw new FaultFound(next.value);
    this.#head = next.value;
    this.#end = emptyEnd(next.value.stream);
    this.#counts.streams += 1;
    return true;
  }

  #finish(head: StreamHead, place: Place): void {
    const ended = verifyEnd(this.#end, head);
    if (!ended.ok) throw new FaultFound({ ...ended.error, ...place });
  }

  #checkContent(entry: UnverifiedEntry, place: Place): void {
    const isWhole = 'payloadText' in entry;
    if (!isWhole) this.#counts.headers += 1;
    if (!isWhole && this.#selects(entry)) {
      throw faultAt(entry, {
        code: 'ContentMissing',
        message: 'its payload is missing, which the filter does not leave out',
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

  /** At the entry that is expected next. */
  #fault(code: ExportFault['code'], message: string, place: Place): FaultFound {
    const { stream, seq } = this.#end;
    return faultAt({ stream, seq: seq + 1n }, { code, message, ...place });
  }
}

function faultAt(
  { stream, seq }: EntryAddress,
  { message, ...rest }: Omit<ExportFault, 'stream' | 'seq'>,
): FaultFound {
  return new FaultFound({ ...rest, stream, seq, message: `${stream}#${seq}: ${message}` });
}

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeGone, OpenedFiles } from '#files';
import { fileFault } from '#kernel';
import {
  journalHeader,
  journalLine,
  type JournalRecord,
  journalRestart,
  type ParsedJournal,
  parseJournal,
  parseJournalLine,
} from '#ledger';

/** About 7,000 decisions in full: hours of a fleet whose load changes, and read in a second at the next start. */
const maximumJournalBytes = 64 * 1024 * 1024;

/** Written at once, so that the journal has room where the disk is full. */
const reservedBytes = 8 * 1024 * 1024;

/** Zeros are written in portions of this size. */
const portionBytes = 1024 * 1024;

/** What a journal file held when it was opened. */
export interface OpenedJournal {
  readonly file: JournalFile;
  readonly found: ParsedJournal;
  readonly problems: readonly string[];
}

/** Where a record is in the file. */
export interface RecordPlace {
  readonly offset: number;
  readonly length: number;
}

/** The file of a journal. One call at a time; a write that fails leaves what was there as it was. */
export class JournalFile {
  readonly id: string;
  readonly #ledger: string;
  readonly #handle: FileHandle;
  readonly #maximumBytes: number;
  readonly #files: OpenedFiles;
  #end: number;

  private constructor(opened: {
    readonly path: string;
    readonly handle: FileHandle;
    readonly id: string;
    readonly ledger: string;
    readonly end: number;
    readonly maximumBytes: number;
  }) {
    this.#files = new OpenedFiles([opened.path]);
    this.#ledger = opened.ledger;
    this.#handle = opened.handle;
    this.id = opened.id;
    this.#end = opened.end;
    this.#maximumBytes = opened.maximumBytes;
  }

  /**
   * Opens the file, or makes it in its folder. One that is no journal, or of another ledger, is put aside: a data folder
   * may have been copied, or the database's URL changed.
   *
   * @throws Error of the file system
   */
  static async open(
    path: string,
    ledger: string,
    maximumBytes: number = maximumJournalBytes,
  ): Promise<OpenedJournal> {
    await (await open(path, 'a', 0o600)).close();
    const handle = await open(path, 'r+');
    const content = await handle.readFile();
    const found = parseJournal(content);
    const { id, end } = found;
    const isOfOther = found.ledger !== null && found.ledger !== ledger;
    if (id !== null && !isOfOther)
      return { file: new JournalFile({ path, handle, id, ledger, end, maximumBytes }), found, problems: [] };
    if (isEmpty(content)) {
      const made = randomBytes(16).toString('hex');
      const { end: start, problems } = await begin(handle, { id: made, ledger, path });
      const file = new JournalFile({ path, handle, id: made, ledger, end: start, maximumBytes });
      return { file, found: { id: made, ledger, records: [], missing: [], end: start }, problems };
    }
    await handle.close();
    const aside = `${path}.${isOfOther ? 'other' : 'damaged'}-${Date.now()}`;
    await rename(path, aside);
    const opened = await JournalFile.open(path, ledger, maximumBytes);
    const what = isOfOther ? `of another ledger (${found.ledger})` : 'no journal any more';
    const problem = `${path} is ${what}; it was put aside as ${aside}`;
    return { ...opened, problems: [problem, ...opened.problems] };
  }

  /** The bytes that records take, those that have been replayed among them. */
  get bytes(): number {
    return this.#end;
  }

  /**
   * Makes records durable: the first of them, as many as there is room for.
   *
   * @throws Error of the file system; then none is
   */
  async append(records: readonly JournalRecord[]): Promise<readonly RecordPlace[]> {
    const lines: Buffer[] = [];
    let end = this.#end;
    for (const record of records) {
      const line = Buffer.from(journalLine(record));
      if (end + line.length > this.#maximumBytes) break;
      lines.push(line);
      end += line.length;
    }
    const gone = this.#files.findGone();
    if (gone !== null) throw new Error(describeGone(gone));
    if (lines.length > 0) await this.#write(Buffer.concat(lines), this.#end);
    return lines.map(({ length }) => {
      const offset = this.#end;
      this.#end += length;
      return { offset, length };
    });
  }

  /** @throws Error where the file does not hold the record any more */
  async read({ offset, length }: RecordPlace): Promise<JournalRecord> {
    const { buffer } = await this.#handle.read(Buffer.alloc(length), 0, length, offset);
    const record = parseJournalLine(buffer.toString('utf8', 0, length - 1));
    if (record === null) throw new Error(`the journal is damaged at byte ${offset}`);
    return record;
  }

  /** Begins anew at the beginning, since the ledger has all records up to this number. */
  async restart(number: number): Promise<void> {
    const start = Buffer.byteLength(journalHeader(this.id));
    const line = Buffer.from(journalRestart(number, this.#ledger));
    await this.#write(line, start);
    this.#end = start + line.length;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #write(bytes: Buffer, offset: number): Promise<void> {
    await this.#handle.write(bytes, 0, bytes.length, offset);
    await this.#handle.datasync();
  }
}

/** A process that ended while it made the file has left zeros at most. */
function isEmpty(content: Buffer): boolean {
  return content.every((byte) => byte === 0);
}

/** Writes the first line, and makes room for records. @returns where they begin */
async function begin(
  handle: FileHandle,
  { id, ledger, path }: { readonly id: string; readonly ledger: string; readonly path: string },
): Promise<{ readonly end: number; readonly problems: readonly string[] }> {
  const header = Buffer.from(journalHeader(id) + journalRestart(0, ledger));
  const problems = await reserve(handle);
  await handle.write(header, 0, header.length, 0);
  await handle.sync();
  await syncFolder(path);
  return { end: header.length, problems };
}

/** A disk without room for the reserve has room for a few records, perhaps: what is left of it is everyone's. */
async function reserve(handle: FileHandle): Promise<readonly string[]> {
  const zeros = Buffer.alloc(portionBytes);
  try {
    for (let offset = 0; offset < reservedBytes; offset += portionBytes)
      await handle.write(zeros, 0, portionBytes, offset);
    return [];
  } catch (error) {
    // Where not even that works, the file goes on as it is.
    await handle.truncate(0).catch(() => undefined);
    return [`no room could be reserved for the journal: ${fileFault(error)}`];
  }
}

/** So that the file is there after a power failure. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

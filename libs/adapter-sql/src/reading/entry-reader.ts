import type { AdapterError } from '#kernel';
import { policyOfStream, type StoredContent, type StoredEntry, type StreamHead } from '#ledger';
import { databaseError } from '../connection/database-error.ts';
import type { ReadConnection } from '../connection/read-connection.ts';
import type { SqlQuery, SqlRow } from '../connection/sql-database.ts';
import { addNameIds, type EntryName, foundByColumns, withColumns } from '../entries/entry-columns.ts';
import { contentsOf } from '../entries/entry-rows.ts';
import {
  contentColumns,
  joinSummary,
  ownContentColumns,
  summaryColumns,
} from '../entries/entry-statement.ts';
import { joinBase, periodOf } from '../entries/placed-entries.ts';
import { bigintOf, headOf, textOf } from '../statements/rows.ts';
import { bytesPerPortion, portionEnds, portionFilled, unpackedSize } from './entry-portions.ts';

const entriesPerPage = 1_000;

/** Actors, commits and scopes that are kept while streams are read: some MB. */
const maximumNames = 50_000;

/** Reads the entries of streams as they are stored, by number, in portions of bounded size. */
export class EntryReader {
  readonly #connection: ReadConnection;
  readonly #names = new Map<bigint, EntryName>();

  constructor(connection: ReadConnection) {
    this.#connection = connection;
  }

  /**
   * Those after the number `from`, up to `upTo`.
   *
   * @throws AdapterError `EntriesExpired` where retention has deleted some of them meanwhile
   */
  async *read(wanted: StreamRange): AsyncGenerator<readonly StoredEntry[]> {
    const range = { ...wanted, id: await this.#streamId(wanted.stream) };
    if (this.#connection.queryUntil === undefined) yield* this.#bySizes(range);
    else yield* this.#untilFull(range, this.#connection.queryUntil);
  }

  /** The one at a place; none where it is gone. */
  at(
    stream: string,
    {
      id,
      seq,
      timeNanoseconds,
    }: { readonly id: bigint; readonly seq: bigint; readonly timeNanoseconds: bigint },
  ): Promise<readonly StoredEntry[]> {
    return this.#portion(
      { id, stream, from: seq - 1n, upTo: seq },
      { times: [timeNanoseconds], hasBases: true },
    );
  }

  /** The last of the entries that retention has deleted at the beginning of a stream; `null`: none. */
  async segment(stream: string): Promise<StreamHead | null> {
    const [row] = await this.#connection.query({
      sql: 'SELECT stream, seq, hash FROM expired_segment WHERE stream = ?',
      parameters: [stream],
    });
    return row === undefined ? null : headOf(row);
  }

  /** Where all rows of an answer come at once: their sizes are asked for first. */
  async *#bySizes(range: EntryRange): AsyncGenerator<readonly StoredEntry[]> {
    for (let from = range.from; from < range.upTo;) {
      const page = await this.#pageOf({ ...range, from });
      for (const upTo of page.ends) {
        yield await this.#portion({ ...range, from, upTo }, page);
        from = upTo;
      }
      if (page.ends.length === 0) return;
    }
  }

  /** Where rows come one by one: each portion ends when it is large enough, and nothing is looked up twice. */
  async *#untilFull(
    range: EntryRange,
    queryUntil: NonNullable<ReadConnection['queryUntil']>,
  ): AsyncGenerator<readonly StoredEntry[]> {
    let hasBases = false;
    for (let from = range.from; from < range.upTo;) {
      const read = (): Promise<readonly SqlRow[]> =>
        queryUntil(this.#rowsOf({ ...range, from }, hasBases), portionFilled());
      let rows = await read();
      if (!hasBases && rows.some((row) => row['base_seq'] !== null)) {
        hasBases = true;
        rows = await read();
      }
      const [first] = rows;
      if (first === undefined) return;
      if (bigintOf(first, 'seq') !== from + 1n) await this.#refuseExpired(range.stream, from);
      yield await this.#storedEntriesOf(rows, range.stream);
      from = bigintOf(rows.at(-1) ?? {}, 'seq');
    }
  }

  #rowsOf(range: EntryRange, hasBases: boolean): SqlQuery {
    const base = hasBases ? joinBase(this.#connection.dialect, []) : { sql: '', parameters: [] };
    return {
      sql: `${selectEntries(hasBases)} ${base.sql}
        WHERE entry.stream_id = ? AND entry.seq > ? AND entry.seq <= ? ORDER BY entry.seq LIMIT ${entriesPerPage}`,
      parameters: [range.stream, ...base.parameters, range.id, range.from, range.upTo],
    };
  }

  /** The next page of entries: none where there are no more. */
  async #pageOf(range: EntryRange): Promise<EntryPage> {
    const page = `SELECT seq, time_nanoseconds, base_seq, octet_length(payload) + ${unpackedSize} AS size FROM ledger_entry
      WHERE stream_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ${entriesPerPage}`;
    const parameters = [range.id, range.from, range.upTo];
    const [whole = {}] = await this.#connection.query({
      sql: `SELECT COALESCE(MIN(seq), 0) AS first, COALESCE(MAX(seq), 0) AS last, CAST(COALESCE(SUM(size), 0) AS BIGINT) AS size,
          COALESCE(MIN(time_nanoseconds), 0) AS from_nanoseconds, COALESCE(MAX(time_nanoseconds), 0) AS until_nanoseconds,
          COUNT(base_seq) AS with_base
        FROM (${page}) AS page`,
      parameters,
    });
    const [first, last] = [bigintOf(whole, 'first'), bigintOf(whole, 'last')];
    const times = [bigintOf(whole, 'from_nanoseconds'), bigintOf(whole, 'until_nanoseconds')];
    const hasBases = bigintOf(whole, 'with_base') > 0n;
    if (last === 0n) return { ends: [], times, hasBases };
    if (first !== range.from + 1n) await this.#refuseExpired(range.stream, range.from);
    if (bigintOf(whole, 'size') <= BigInt(bytesPerPortion)) return { ends: [last], times, hasBases };
    return { ends: portionEnds(await this.#connection.query({ sql: page, parameters })), times, hasBases };
  }

  /** A gap that retention did not make is for the verification to find. */
  async #refuseExpired(stream: string, from: bigint): Promise<void> {
    const segment = await this.segment(stream);
    if (segment !== null && segment.seq > from) throw expiredMeanwhile(stream);
  }

  async #portion(
    range: EntryRange,
    { times, hasBases }: Omit<EntryPage, 'ends'>,
  ): Promise<readonly StoredEntry[]> {
    const base = hasBases ? joinBase(this.#connection.dialect, times) : { sql: '', parameters: [] };
    const { from, until } = periodOf(times);
    const rows = await this.#connection.query({
      sql: `${selectEntries(hasBases)} ${base.sql}
        WHERE entry.stream_id = ? AND entry.seq > ? AND entry.seq <= ? AND entry.time_nanoseconds BETWEEN ? AND ?
        ORDER BY entry.seq`,
      parameters: [range.stream, ...base.parameters, range.id, range.from, range.upTo, from, until],
    });
    return this.#storedEntriesOf(rows, range.stream);
  }

  async #storedEntriesOf(rows: readonly SqlRow[], stream: string): Promise<readonly StoredEntry[]> {
    const names = await this.#namesOf(rows);
    const reading = { names, namespace: policyOfStream(stream)?.namespace ?? null };
    // A payload that is damaged keeps no one from what proves so.
    const contents = await contentsOf(rows, { isDamageRead: true });
    return rows.flatMap((row, index) => {
      const content = contents[index];
      return content === undefined ? [] : [storedEntryOf(row, withColumns(row, content, reading))];
    });
  }

  async #namesOf(rows: readonly SqlRow[]): Promise<ReadonlyMap<bigint, EntryName>> {
    if (this.#names.size > maximumNames) this.#names.clear();
    const ids = new Set<bigint>();
    for (const row of rows) addNameIds(row, { known: this.#names, ids });
    const missing = [...ids];
    for (let start = 0; start < missing.length; start += entriesPerPage) {
      const part = missing.slice(start, start + entriesPerPage);
      const found = await this.#connection.query({
        sql: `SELECT id, kind, name FROM entry_name WHERE id IN (${part.map(() => '?').join(', ')})`,
        parameters: part,
      });
      for (const row of found)
        this.#names.set(bigintOf(row, 'id'), { kind: textOf(row, 'kind'), name: textOf(row, 'name') });
    }
    return this.#names;
  }

  async #streamId(stream: string): Promise<bigint> {
    const [row] = await this.#connection.query({
      sql: 'SELECT id FROM stream_head WHERE stream = ?',
      parameters: [stream],
    });
    if (row === undefined)
      throw databaseError('QueryFailed', `the database has no stream ${stream} any more`);
    return bigintOf(row, 'id');
  }
}

/** Entries of a stream after one number and up to another. */
interface StreamRange {
  readonly stream: string;
  readonly from: bigint;
  readonly upTo: bigint;
}

interface EntryRange extends StreamRange {
  /** The number of the stream. */
  readonly id: bigint;
}

/** Entries of a stream that are read in portions. */
interface EntryPage {
  /** The last number of each portion. Most pages are one. */
  readonly ends: readonly bigint[];
  /** From when until when they are, in nanoseconds since 1970. */
  readonly times: readonly bigint[];
  /** Whether any of them is packed with another. */
  readonly hasBases: boolean;
}

/** Makes the error of a read that retention has overtaken. */
export function expiredMeanwhile(stream: string): AdapterError {
  return databaseError('EntriesExpired', `retention has deleted entries of ${stream} meanwhile: export anew`);
}

/** The parameters begin with the name of the stream. */
function selectEntries(hasBases: boolean): string {
  return `SELECT CAST(? AS TEXT) AS stream, entry.format, entry.seq, entry.cluster, entry.kind, entry.time,
      ${hasBases ? contentColumns : ownContentColumns}, ${summaryColumns}, ${foundByColumns}, entry.previous_hash, entry.hash
    FROM ledger_entry AS entry ${joinSummary}`;
}

function storedEntryOf(row: SqlRow, content: StoredContent): StoredEntry {
  return {
    ...content,
    format: Number(bigintOf(row, 'format')),
    stream: textOf(row, 'stream'),
    seq: bigintOf(row, 'seq'),
    cluster: textOf(row, 'cluster'),
    kind: textOf(row, 'kind'),
    time: textOf(row, 'time'),
    previousHash: textOf(row, 'previous_hash'),
    hash: textOf(row, 'hash'),
  };
}

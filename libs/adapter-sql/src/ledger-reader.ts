import type { AdapterError } from '#kernel';
import {
  adminStream,
  type EntryKind,
  type ExpiryRule,
  type StoredContent,
  type StoredEntry,
  type StreamHead,
} from '#ledger';
import { migrations } from '../../../migrations/index.ts';
import { databaseError } from './database-error.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { bytesPerPortion, portionEnds, portionFilled, unpackedSize } from './entry-portions.ts';
import { openReadConnection } from './open-read-connection.ts';
import type { ReadConnection } from './read-connection.ts';
import { requireKnownSchema } from './require-known-schema.ts';
import type { SqlQuery, SqlRow } from './sql-database.ts';
import type { ReadingRole } from './sqlite/sqlite-connection.ts';
import { contentsOf } from './stores/entry-rows.ts';
import { contentColumns, ownContentColumns } from './stores/entry-statement.ts';
import { joinBase, periodOf } from './stores/placed-entries.ts';
import { bigintOf, headOf, textOf } from './stores/rows.ts';

const headsPerPage = 1_000;
const entriesPerPage = 1_000;

/**
 * Reads a ledger from beside the process that writes it: it takes no lock, changes nothing, and holds no transaction
 * for longer than reading the heads. Entries never change, so those up to a head are the same whenever they are read.
 */
export class LedgerReader {
  readonly #connection: ReadConnection;

  private constructor(connection: ReadConnection) {
    this.#connection = connection;
  }

  /** @throws AdapterError; `NotMigrated` where the schema is older than this program. */
  static async open(url: string, role: ReadingRole = 'reader'): Promise<LedgerReader> {
    const connection = await openReadConnection(parseDatabaseUrl(url), role);
    try {
      await requireMigrations(connection);
      return new LedgerReader(connection);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Reads everything as of one moment. */
  async inSnapshot<T>(read: () => Promise<T>): Promise<T> {
    await this.#connection.beginSnapshot();
    try {
      return await read();
    } finally {
      await this.#connection.endSnapshot();
    }
  }

  /** The heads of all streams, by name. */
  heads(): AsyncGenerator<readonly StreamHead[]> {
    return this.#headsOf('stream_head');
  }

  /** The heads that the last checkpoint covers, by name. */
  sealedHeads(): AsyncGenerator<readonly StreamHead[]> {
    return this.#headsOf('sealed_head');
  }

  /** The last checkpoint; `null`: none. */
  async lastNote(): Promise<string | null> {
    const [row] = await this.#connection.query({
      sql: 'SELECT last_note FROM ledger_identity WHERE last_note IS NOT NULL',
    });
    return row === undefined ? null : textOf(row, 'last_note');
  }

  /** The last of the entries that retention has deleted at the beginning of a stream; `null`: none. */
  async segment(stream: string): Promise<StreamHead | null> {
    const [row] = await this.#connection.query({
      sql: 'SELECT stream, seq, hash FROM expired_segment WHERE stream = ?',
      parameters: [stream],
    });
    return row === undefined ? null : headOf(row);
  }

  /**
   * @throws AdapterError `EntriesExpired` where a segment was announced after this entry of the stream `admin`, so that an
   *   export up to it has no record of it
   */
  async requireAnnounced({ stream, seq }: StreamHead, upTo: bigint): Promise<void> {
    for (const entry of await this.#adminEntries('RetentionRun', upTo))
      if (announces(entry, stream, seq)) throw expiredMeanwhile(stream);
  }

  /** What retention has deleted until now, or may be deleting. */
  async expiryRules(): Promise<readonly ExpiryRule[]> {
    const rows = await this.#connection.query({
      sql: 'SELECT kind, content, before_nanoseconds FROM retention_rule ORDER BY kind, content',
    });
    return rows.map((row) => ({
      kind: textOf(row, 'kind') as EntryKind,
      content: textOf(row, 'content') as ExpiryRule['content'],
      beforeNanoseconds: bigintOf(row, 'before_nanoseconds'),
    }));
  }

  /** The notes that say how keys of the checkpoints follow each other, in their order. */
  async keyRotations(): Promise<readonly string[]> {
    const entries = await this.#adminEntries('KeyRotation', 0n);
    return entries.map(rotationNoteOf).filter((note) => typeof note === 'string');
  }

  /** Entries of a rare kind after a number of the stream `admin`. */
  async #adminEntries(kind: EntryKind, after: bigint): Promise<readonly StoredEntry[]> {
    const rows = await this.#connection.query({
      sql: `SELECT entry.stream_id, entry.seq, entry.time_nanoseconds FROM ledger_entry AS entry
        JOIN stream_head ON stream_head.id = entry.stream_id
        WHERE stream_head.stream = ? AND entry.kind = ? AND entry.seq > ? ORDER BY entry.seq`,
      parameters: [adminStream, kind, after],
    });
    const entries: StoredEntry[] = [];
    for (const row of rows) {
      const [id, seq] = [bigintOf(row, 'stream_id'), bigintOf(row, 'seq')];
      const times = [bigintOf(row, 'time_nanoseconds')];
      entries.push(
        ...(await this.#portion(
          { id, stream: adminStream, from: seq - 1n, upTo: seq },
          { times, hasBases: true },
        )),
      );
    }
    return entries;
  }

  async *#headsOf(table: 'stream_head' | 'sealed_head'): AsyncGenerator<readonly StreamHead[]> {
    let after = '';
    for (;;) {
      const rows = await this.#connection.query({
        sql: `SELECT stream, seq, hash FROM ${table} WHERE stream > ? ORDER BY stream LIMIT ${headsPerPage}`,
        parameters: [after],
      });
      if (rows.length > 0) yield rows.map(headOf);
      if (rows.length < headsPerPage) return;
      after = textOf(rows.at(-1) ?? {}, 'stream');
    }
  }

  /**
   * The entries of a stream by number, after `after` and up to the head's, in portions.
   *
   * @throws AdapterError `EntriesExpired` where retention has deleted some of them meanwhile
   */
  async *entries({
    head,
    after,
  }: {
    readonly head: StreamHead;
    readonly after: bigint;
  }): AsyncGenerator<readonly StoredEntry[]> {
    const range = {
      id: await this.#streamId(head.stream),
      stream: head.stream,
      from: after,
      upTo: head.seq,
    };
    if (this.#connection.queryUntil === undefined) yield* this.#bySizes(range);
    else yield* this.#untilFull(range, this.#connection.queryUntil);
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
      yield await storedEntriesOf(rows);
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

  close(): Promise<void> {
    return this.#connection.close();
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
    return storedEntriesOf(rows);
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
interface EntryRange {
  readonly id: bigint;
  readonly stream: string;
  readonly from: bigint;
  readonly upTo: bigint;
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

function expiredMeanwhile(stream: string): AdapterError {
  return databaseError('EntriesExpired', `retention has deleted entries of ${stream} meanwhile: export anew`);
}

function rotationNoteOf(entry: StoredEntry): unknown {
  return payloadOf(entry)?.note;
}

function announces(entry: StoredEntry, stream: string, seq: bigint): boolean {
  const segments = payloadOf(entry)?.segments;
  return (
    Array.isArray(segments) &&
    segments.some(
      (segment: { readonly stream?: unknown; readonly last?: unknown } | null) =>
        segment?.stream === stream && segment.last === String(seq),
    )
  );
}

/** Nothing where the entry is damaged, which its verification tells. */
function payloadOf(entry: StoredEntry): { readonly note?: unknown; readonly segments?: unknown } | null {
  if (!('payloadText' in entry)) return null;
  try {
    return JSON.parse(entry.payloadText) as ReturnType<typeof payloadOf>;
  } catch {
    return null;
  }
}

/** The parameters begin with the name of the stream. */
function selectEntries(hasBases: boolean): string {
  return `SELECT CAST(? AS TEXT) AS stream, entry.format, entry.seq, entry.cluster, entry.kind, entry.time,
      ${hasBases ? contentColumns : ownContentColumns}, entry.previous_hash, entry.hash
    FROM ledger_entry AS entry`;
}

async function storedEntriesOf(rows: readonly SqlRow[]): Promise<readonly StoredEntry[]> {
  // A payload that is damaged keeps no one from what proves so.
  const contents = await contentsOf(rows, { isDamageRead: true });
  return rows.flatMap((row, index) => {
    const content = contents[index];
    return content === undefined ? [] : [storedEntryOf(row, content)];
  });
}

function storedEntryOf(row: SqlRow, content: StoredContent): StoredEntry {
  return {
    format: Number(bigintOf(row, 'format')),
    stream: textOf(row, 'stream'),
    seq: bigintOf(row, 'seq'),
    cluster: textOf(row, 'cluster'),
    kind: textOf(row, 'kind'),
    time: textOf(row, 'time'),
    ...content,
    previousHash: textOf(row, 'previous_hash'),
    hash: textOf(row, 'hash'),
  };
}

async function requireMigrations(connection: ReadConnection): Promise<void> {
  const rows = await connection.query({ sql: 'SELECT name FROM migration' }).catch(() => []);
  const done = new Set(rows.map((row) => textOf(row, 'name')));
  requireKnownSchema(done);
  const missing = migrations.map((Migration) => new Migration().name).find((name) => !done.has(name ?? ''));
  if (missing !== undefined) {
    throw databaseError(
      'NotMigrated',
      `the database has no ledger of this release: ${missing} is missing; \`plimsoll migrate up\` migrates it`,
    );
  }
}

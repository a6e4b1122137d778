import { AdapterError } from '#kernel';
import { adminStream, type EntryKind, type ExpiryRule, type StoredEntry, type StreamHead } from '#ledger';
import { databaseError } from '../connection/database-error.ts';
import { parseDatabaseUrl } from '../connection/database-url.ts';
import { knownMigrations } from '../connection/known-migrations.ts';
import type { ReadConnection } from '../connection/read-connection.ts';
import { requireKnownSchema } from '../connection/require-known-schema.ts';
import type { ReadingRole } from '../sqlite/sqlite-connection.ts';
import { bigintOf, headOf, textOf } from '../statements/rows.ts';
import { EntryReader, expiredMeanwhile } from './entry-reader.ts';
import { openReadConnection } from './open-read-connection.ts';

const headsPerPage = 1_000;

/**
 * Reads a ledger from beside the process that writes it: it takes no lock, changes nothing, and holds no transaction
 * for longer than reading the heads. Entries never change, so those up to a head are the same whenever they are read.
 */
export class LedgerReader {
  readonly #connection: ReadConnection;
  readonly #entries: EntryReader;

  private constructor(connection: ReadConnection) {
    this.#connection = connection;
    this.#entries = new EntryReader(connection);
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
  segment(stream: string): Promise<StreamHead | null> {
    return this.#entries.segment(stream);
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
      const place = {
        id: bigintOf(row, 'stream_id'),
        seq: bigintOf(row, 'seq'),
        timeNanoseconds: bigintOf(row, 'time_nanoseconds'),
      };
      entries.push(...(await this.#entries.at(adminStream, place)));
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
  entries({
    head,
    after,
  }: {
    readonly head: StreamHead;
    readonly after: bigint;
  }): AsyncGenerator<readonly StoredEntry[]> {
    return this.#entries.read({ stream: head.stream, from: after, upTo: head.seq });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
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

/** A schema that the role may not use is one without tables to it. */
async function requireVisibleSchema({ dialect, query }: ReadConnection): Promise<void> {
  if (dialect !== 'postgres') return;
  const [row] = await query({ sql: 'SELECT current_schema() AS schema' });
  if (row !== undefined && row['schema'] !== null) return;
  throw databaseError(
    'AccessDenied',
    'this role may use no schema of its search path: GRANT USAGE ON SCHEMA public, as docs/postgresql.md has it',
  );
}

async function namesOfMigrations(connection: ReadConnection): Promise<ReadonlySet<string>> {
  try {
    const rows = await connection.query({ sql: 'SELECT name FROM migration' });
    return new Set(rows.map((row) => textOf(row, 'name')));
  } catch (error) {
    // Of an empty database; that it cannot be reached or read is another matter.
    if (error instanceof AdapterError && error.code === 'QueryFailed') return new Set();
    throw error;
  }
}

async function requireMigrations(connection: ReadConnection): Promise<void> {
  await requireVisibleSchema(connection);
  const done = await namesOfMigrations(connection);
  requireKnownSchema(done);
  const missing = knownMigrations().find((name) => !done.has(name));
  if (missing !== undefined) {
    throw databaseError(
      'NotMigrated',
      `the database has no ledger of this release: ${missing} is missing; \`plimsoll migrate up\` migrates it`,
    );
  }
}

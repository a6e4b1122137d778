import {
  type DeletedContent,
  type EntryCursor,
  entryId,
  type ExpiryRule,
  type Fence,
  type FoundSegments,
  type RetentionPort,
  type StreamHead,
} from '#ledger';
import type {
  SqlDatabase,
  SqlDialect,
  SqlOutcome,
  SqlRow,
  SqlStatement,
} from '../connection/sql-database.ts';
import { contentsOf, cursorOf } from '../entries/entry-rows.ts';
import { isNoRun } from '../entries/entry-statement.ts';
import { type ExpiredContent, expiredContent } from '../entries/expired-content.ts';
import { expiredPlaces } from '../entries/expired-places.ts';
import { entriesAtPlaces, periodAround } from '../entries/placed-entries.ts';
import { bigintOf, headOf, textOf } from '../statements/rows.ts';
import { writeFenced } from '../statements/write-fenced.ts';

/** A few milliseconds of the writer, and of the main thread where their hashes are made. */
const entriesPerBatch = 100;

/** Of a page, and of each stream in it: about 100 ms of the writer at most. */
const streamsPerPage = 50;
const entriesPerSegment = 100;

/** About 100 kB of an entry. */
const segmentsPerRecord = 500;

/** Of a partition that cannot be dropped: some 50 ms of the database. */
const entriesPerDelete = 5_000;

/** What SQLite gives back to the file system with a batch: more than it frees. */
const vacuumPages = 1_000;

/** Retention in a SQL database. */
export class SqlRetention implements RetentionPort {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async hasExpired(rule: ExpiryRule): Promise<boolean> {
    return (await this.#candidates(rule, null, 1)).length > 0;
  }

  async saveRules(rules: readonly ExpiryRule[], fence: Fence): Promise<void> {
    await this.#write(
      fence,
      rules.map(({ kind, content, beforeNanoseconds }) => ({
        sql: `INSERT INTO retention_rule (kind, content, before_nanoseconds) VALUES (?, ?, ?)
          ON CONFLICT (kind, content) DO UPDATE SET before_nanoseconds = excluded.before_nanoseconds
          WHERE retention_rule.before_nanoseconds < excluded.before_nanoseconds`,
        parameters: [kind, content, beforeNanoseconds],
      })),
    );
  }

  async deleteContent(rule: ExpiryRule, after: EntryCursor | null, fence: Fence): Promise<DeletedContent> {
    const rows = await this.#candidates(rule, after, entriesPerBatch);
    const damaged: string[] = [];
    const changes: SqlStatement[] = [];
    const contents = await contentsOf(rows, { isDamageRead: true });
    for (const [index, row] of rows.entries()) {
      const content = contents[index];
      const expired = content === undefined ? null : await expiredContent(row, content, rule.content);
      if (expired === 'Damaged')
        damaged.push(entryId({ stream: textOf(row, 'stream'), seq: bigintOf(row, 'seq') }));
      else if (expired !== null) changes.push(changeOf(row, expired));
    }
    // What is packed with an earlier entry goes before it.
    const outcomes = changes.length === 0 ? [] : await this.#delete(fence, changes.reverse());
    const deleted = outcomes.reduce((sum, { count }) => sum + count, 0);
    const last = rows.at(-1);
    const isLast = rows.length < entriesPerBatch || last === undefined;
    return { deleted, damaged, after: isLast ? null : cursorOf(last) };
  }

  async findSegments(rules: readonly ExpiryRule[], after: string): Promise<FoundSegments> {
    const payloads = rules.filter(({ content }) => content === 'Payload');
    const isOld =
      payloads.map(() => '(entry.kind = ? AND entry.time_nanoseconds < ?)').join(' OR ') || '1 = 0';
    const rows = await this.#database.query({
      sql: `SELECT stream_head.id, stream_head.stream, stream_head.seq AS head_seq,
          COALESCE(sealed_head.seq, 0) AS sealed_seq, COALESCE(expired_segment.seq, 0) AS expired_seq,
          (SELECT entry.seq FROM ledger_entry AS entry WHERE entry.stream_id = stream_head.id
            AND NOT ((${isOld}) AND (entry.payload_hash IS NOT NULL OR entry.format = 1 AND NOT EXISTS (
              SELECT 1 FROM pending_intent WHERE pending_intent.stream = stream_head.stream AND pending_intent.seq = entry.seq)))
            AND entry.seq > COALESCE(expired_segment.seq, 0) ORDER BY entry.seq LIMIT 1) AS kept_seq
        FROM stream_head LEFT JOIN sealed_head ON sealed_head.stream = stream_head.stream
          LEFT JOIN expired_segment ON expired_segment.stream = stream_head.stream
        WHERE stream_head.stream > ? ORDER BY stream_head.stream LIMIT ${streamsPerPage}`,
      parameters: [...payloads.flatMap(({ kind, beforeNanoseconds }) => [kind, beforeNanoseconds]), after],
    });
    const segments = await Promise.all(rows.map((row) => this.#segmentOf(row)));
    const last = rows.at(-1);
    return {
      segments: segments.filter((segment) => segment !== null),
      after: rows.length < streamsPerPage || last === undefined ? null : textOf(last, 'stream'),
    };
  }

  async deleteSegments(
    segments: readonly StreamHead[],
    announcedNanoseconds: bigint,
    fence: Fence,
  ): Promise<number> {
    const outcomes = await this.#delete(
      fence,
      segments.flatMap(({ stream, seq, hash }) => [
        {
          sql: `DELETE FROM ledger_entry
            WHERE stream_id = (SELECT id FROM stream_head WHERE stream = ?) AND seq <= ? ${isDeletedAlone[this.#database.dialect]}`,
          parameters: [stream, seq],
        },
        {
          sql: `INSERT INTO expired_segment (stream, seq, hash, announced_nanoseconds) VALUES (?, ?, ?, ?)
            ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, hash = excluded.hash,
              announced_nanoseconds = excluded.announced_nanoseconds`,
          parameters: [stream, seq, hash, announcedNanoseconds],
        },
      ]),
    );
    return outcomes.reduce((sum, { count }, index) => (index % 2 === 0 ? sum + count : sum), 0);
  }

  async segmentsAnnouncedBefore(nanoseconds: bigint): Promise<readonly StreamHead[]> {
    const rows = await this.#database.query({
      sql: `SELECT stream, seq, hash FROM expired_segment
        WHERE announced_nanoseconds IS NULL OR announced_nanoseconds < ?
        ORDER BY stream LIMIT ${segmentsPerRecord}`,
      parameters: [nanoseconds],
    });
    return rows.map(headOf);
  }

  async saveAnnounced(
    segments: readonly StreamHead[],
    announcedNanoseconds: bigint,
    fence: Fence,
  ): Promise<void> {
    await this.#write(
      fence,
      segments.map(({ stream }) => ({
        sql: 'UPDATE expired_segment SET announced_nanoseconds = ? WHERE stream = ?',
        parameters: [announcedNanoseconds, stream],
      })),
    );
  }

  async *dropPeriods(fence: Fence): AsyncGenerator<number> {
    if (this.#database.dialect === 'sqlite') return;
    const partitions = await this.#database.query({ sql: expiredPartitions });
    for (const partition of partitions) yield* this.#dropPartition(partition, fence);
  }

  async *#dropPartition(partition: SqlRow, fence: Fence): AsyncGenerator<number> {
    const parameters = [textOf(partition, 'name')];
    const [dropped] = await this.#write(fence, [
      { sql: 'SELECT COALESCE(drop_ledger_partition(?), 0) AS entries', parameters },
    ]);
    const entries = Number(bigintOf(dropped?.rows[0] ?? {}, 'entries'));
    if (entries >= 0) yield entries;
    else yield* this.#deleteFromPartition(partition, fence);
  }

  /** Deletes the entries of deleted segments one by one. */
  async *#deleteFromPartition(partition: SqlRow, fence: Fence): AsyncGenerator<number> {
    const parameters = ['from_nanoseconds', 'until_nanoseconds'].map((name) => bigintOf(partition, name));
    for (;;) {
      const [deleted] = await this.#delete(fence, [{ sql: deleteExpired, parameters }]);
      const count = deleted?.count ?? 0;
      yield count;
      if (count < entriesPerDelete) return;
    }
  }

  async #segmentOf(row: SqlRow): Promise<StreamHead | null> {
    const [head, sealed, expired] = ['head_seq', 'sealed_seq', 'expired_seq'].map((name) =>
      bigintOf(row, name),
    );
    if (head === undefined || sealed === undefined || expired === undefined) return null;
    const kept = row['kept_seq'] === null ? head : bigintOf(row, 'kept_seq');
    const ends = [kept - 1n, head - 1n, sealed - 1n, expired + BigInt(entriesPerSegment)];
    const seq = ends.reduce((least, end) => (end < least ? end : least));
    if (seq <= expired) return null;
    const [last] = await this.#database.query({
      sql: 'SELECT CAST(? AS TEXT) AS stream, seq, hash FROM ledger_entry WHERE stream_id = ? AND seq = ?',
      parameters: [textOf(row, 'stream'), bigintOf(row, 'id'), seq],
    });
    return last === undefined ? null : headOf(last);
  }

  #candidates(rule: ExpiryRule, after: EntryCursor | null, limit: number): Promise<readonly SqlRow[]> {
    const places = expiredPlaces(this.#database.dialect, rule, { after, limit });
    return entriesAtPlaces(this.#database, places, 'OldestFirst');
  }

  #delete(fence: Fence, statements: readonly SqlStatement[]): Promise<readonly SqlOutcome[]> {
    const vacuum =
      this.#database.dialect === 'sqlite' ? [{ sql: `PRAGMA incremental_vacuum(${vacuumPages})` }] : [];
    return this.#write(fence, [permit, ...statements, endPermit, ...vacuum]).then((outcomes) =>
      outcomes.slice(1, statements.length + 1),
    );
  }

  #write(fence: Fence, statements: readonly SqlStatement[]): Promise<readonly SqlOutcome[]> {
    return writeFenced(this.#database, [fence], statements);
  }
}

/** Those in which a kind has expired as a whole: the one that expires first. */
const expiredPartitions = `SELECT name, until_nanoseconds,
    COALESCE(from_nanoseconds, ${-(2n ** 63n - 1n)}) AS from_nanoseconds FROM ledger_partitions()
  WHERE until_nanoseconds <= (SELECT MAX(before_nanoseconds) FROM retention_rule WHERE content = 'Payload')
  ORDER BY until_nanoseconds`;

const deleteExpired = `DELETE FROM ledger_entry USING (
    SELECT entry.time_nanoseconds, entry.position FROM ledger_entry AS entry
      JOIN stream_head ON stream_head.id = entry.stream_id
      JOIN expired_segment ON expired_segment.stream = stream_head.stream
    WHERE entry.seq <= expired_segment.seq AND entry.time_nanoseconds >= ? AND entry.time_nanoseconds < ?
    LIMIT ${entriesPerDelete}) AS expired
  WHERE ledger_entry.time_nanoseconds = expired.time_nanoseconds AND ledger_entry.position = expired.position`;

/** On PostgreSQL, the entries of a month wait until it has expired as a whole: then they go with its partition. */
const isDeletedAlone: Readonly<Record<SqlDialect, string>> = {
  sqlite: '',
  postgres: 'AND tableoid NOT IN (SELECT id FROM ledger_partitions() WHERE from_nanoseconds IS NOT NULL)',
};

/** The triggers let a transaction with such a row delete; no other transaction sees it. */
const permit: SqlStatement = { sql: 'INSERT INTO retention_permit (id) VALUES (1)' };
const endPermit: SqlStatement = { sql: 'DELETE FROM retention_permit' };

/**
 * Whether a later entry is packed with this one, and needs what is deleted. Its parameters are {@link periodAround}, so that
 * PostgreSQL plans for the partitions of that time alone.
 */
const isNeeded = (column: 'packed' | 'observation'): string => `EXISTS (SELECT 1 FROM ledger_entry AS later
  WHERE later.stream_id = ledger_entry.stream_id AND later.kind = 'Decision' AND later.${isNoRun}
    AND later.payload_hash IS NULL
    AND later.base_seq = ledger_entry.seq AND later.${column} IS NOT NULL AND later.time_nanoseconds BETWEEN ? AND ?)`;

const isPending = `EXISTS (SELECT 1 FROM pending_intent JOIN stream_head ON stream_head.stream = pending_intent.stream
  WHERE stream_head.id = ledger_entry.stream_id AND pending_intent.seq = ledger_entry.seq)`;

/** Of an entry of that kind. */
const isLastCheckpoint = `NOT EXISTS (SELECT 1 FROM ledger_entry AS later
  WHERE later.stream_id = ledger_entry.stream_id AND later.kind = 'Checkpoint' AND later.${isNoRun}
    AND later.payload_hash IS NULL
    AND later.seq > ledger_entry.seq)`;

function changeOf(row: SqlRow, expired: ExpiredContent): SqlStatement {
  const time = bigintOf(row, 'time_nanoseconds');
  const place = [bigintOf(row, 'position'), time];
  const around = periodAround([time]);
  if (expired.kind === 'Payload') {
    const isLast = row['kind'] === 'Checkpoint' ? `AND NOT ${isLastCheckpoint}` : '';
    return {
      sql: `UPDATE ledger_entry SET payload = '', payload_hash = ?, dictionary = NULL, base_seq = NULL, packed = NULL,
          observation = NULL, observation_hash = NULL, summary_id = NULL
        WHERE position = ? AND time_nanoseconds = ? AND payload_hash IS NULL AND NOT ${isPending} ${isLast}
          AND (base_seq IS NOT NULL OR dictionary IS NULL OR NOT ${isNeeded('packed')})`,
      parameters: [expired.payloadHash, ...place, ...around],
    };
  }
  if (expired.packed === null) {
    return {
      sql: `UPDATE ledger_entry SET observation = NULL, observation_hash = ?
        WHERE position = ? AND time_nanoseconds = ? AND observation_hash IS NULL
          AND (base_seq IS NOT NULL OR NOT ${isNeeded('observation')})`,
      parameters: [expired.observationHash, ...place, ...around],
    };
  }
  return {
    sql: `UPDATE ledger_entry SET payload = '', observation_hash = ?, dictionary = ?, packed = ?
      WHERE position = ? AND time_nanoseconds = ? AND observation_hash IS NULL AND dictionary IS NULL`,
    parameters: [expired.observationHash, expired.packed.dictionary, expired.packed.packed, ...place],
  };
}

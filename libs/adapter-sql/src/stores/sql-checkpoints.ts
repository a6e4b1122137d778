import {
  type CheckpointPort,
  type Fence,
  maximumPageLimit,
  type NamedPage,
  type SealContradiction,
  type StreamHead,
} from '#ledger';
import { databaseError } from '../connection/database-error.ts';
import type { SqlDatabase, SqlOutcome, SqlStatement } from '../connection/sql-database.ts';
import { raiseStatements } from '../statements/fence-statements.ts';
import { headOf, textOf } from '../statements/rows.ts';
import { writeFenced } from '../statements/write-fenced.ts';

/** Checkpoints in a SQL database. */
export class SqlCheckpoints implements CheckpointPort {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async ledgerId(): Promise<string> {
    const [row] = await this.#database.query({ sql: 'SELECT id FROM ledger_identity' });
    if (row === undefined) throw databaseError('DatabaseCorrupt', 'the ledger has lost its id');
    return textOf(row, 'id');
  }

  async lastNote(): Promise<string | null> {
    const [row] = await this.#database.query({
      sql: 'SELECT last_note FROM ledger_identity WHERE last_note IS NOT NULL',
    });
    return row === undefined ? null : textOf(row, 'last_note');
  }

  async unsealedHeads(): Promise<readonly StreamHead[]> {
    const changed = await this.#database.query({
      sql: `SELECT stream_head.stream, stream_head.seq, stream_head.hash FROM stream_head
        LEFT JOIN sealed_head ON sealed_head.stream = stream_head.stream
        WHERE sealed_head.seq IS NULL OR sealed_head.seq <> stream_head.seq LIMIT 2`,
    });
    return changed.map(headOf);
  }

  async seal(fence: Fence): Promise<void> {
    await this.#write(fence, [clearNext, keepNext]);
  }

  async nextHeads({ after = '', limit }: NamedPage): Promise<readonly StreamHead[]> {
    const page = `ORDER BY stream LIMIT ${boundedLimit(limit)}`;
    const rows = await this.#database.query({
      // Pages are cut before they are compared, or each page would read all that is left.
      sql: `SELECT stream, seq, hash FROM (SELECT stream, seq, hash FROM next_head WHERE stream > ? ${page}) AS changed
        UNION ALL SELECT stream, seq, hash FROM (SELECT stream, seq, hash FROM sealed_head WHERE stream > ? ${page}) AS sealed
          WHERE NOT EXISTS (SELECT 1 FROM next_head WHERE next_head.stream = sealed.stream)
        ${page}`,
      parameters: [after, after],
    });
    return rows.map(headOf);
  }

  async sealedHeads({ after = '', limit }: NamedPage): Promise<readonly StreamHead[]> {
    const rows = await this.#database.query({
      sql: `SELECT stream, seq, hash FROM sealed_head WHERE stream > ? ORDER BY stream LIMIT ${boundedLimit(limit)}`,
      parameters: [after],
    });
    return rows.map(headOf);
  }

  async contradiction(): Promise<SealContradiction | null> {
    const recent = BigInt(Date.now()) * 1_000_000n - recentNanoseconds;
    const [row] = await this.#database.query({ sql: selectContradiction, parameters: [recent] });
    if (row === undefined) return null;
    const sealed = headOf(row);
    const found = row['found'];
    return { sealed, found: typeof found === 'string' ? { ...sealed, hash: found } : null };
  }

  async saveNote(note: string, fence: Fence): Promise<void> {
    const save = { sql: 'UPDATE ledger_identity SET last_note = ?', parameters: [note] };
    await this.#write(fence, [takeOverNext, clearNext, save]);
  }

  async restoredBackup(): Promise<string | null> {
    const [row] = await this.#database.query({ sql: 'SELECT made_at FROM restored_backup' });
    return row === undefined ? null : textOf(row, 'made_at');
  }

  async forgetRestoredBackup(fence: Fence): Promise<void> {
    await this.#write(fence, [{ sql: 'DELETE FROM restored_backup' }]);
  }

  async raiseEpochs(floor: bigint, fence: Fence): Promise<boolean> {
    const raised = await this.#write(fence, raiseStatements(this.#database.dialect, floor));
    return (raised.at(-1)?.rows.length ?? 0) > 0;
  }

  #write(fence: Fence, statements: readonly SqlStatement[]): Promise<readonly SqlOutcome[]> {
    return writeFenced(this.#database, [fence], statements);
  }
}

function boundedLimit(limit: number): number {
  return Math.min(Math.max(0, Math.trunc(limit)), maximumPageLimit);
}

/** The last entries of most streams are not older: on PostgreSQL they are in two or three partitions of dozens. */
const recentNanoseconds = 31n * 24n * 3_600n * 1_000_000_000n;

const selectSealed = `SELECT entry.hash FROM ledger_entry AS entry
  WHERE entry.stream_id = stream_head.id AND entry.seq = sealed_head.seq`;

/** An entry that is gone is none where its stream goes on: its segment has expired. The parameter is a recent time. */
const selectContradiction = `SELECT stream, seq, hash,
    COALESCE(stored_hash, CASE WHEN head_seq = seq THEN head_hash END) AS found
  FROM (SELECT sealed_head.stream, sealed_head.seq, sealed_head.hash,
      stream_head.seq AS head_seq, stream_head.hash AS head_hash,
      COALESCE((${selectSealed} AND entry.time_nanoseconds >= ?), (${selectSealed})) AS stored_hash
    FROM sealed_head LEFT JOIN stream_head ON stream_head.stream = sealed_head.stream) AS sealed
  WHERE head_seq IS NULL OR head_seq < seq OR (head_seq = seq AND head_hash <> hash) OR stored_hash <> hash
  ORDER BY stream LIMIT 1`;

const clearNext: SqlStatement = { sql: 'DELETE FROM next_head' };

/** One statement reads all heads as of one moment in both dialects, and locks none of them. Only those that changed are kept. */
const keepNext: SqlStatement = {
  sql: `INSERT INTO next_head (stream, seq, hash)
    SELECT stream_head.stream, stream_head.seq, stream_head.hash FROM stream_head
    LEFT JOIN sealed_head ON sealed_head.stream = stream_head.stream
    WHERE sealed_head.seq IS NULL OR sealed_head.seq <> stream_head.seq`,
};

const takeOverNext: SqlStatement = {
  sql: `INSERT INTO sealed_head (stream, seq, hash) SELECT stream, seq, hash FROM next_head WHERE true
    ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, hash = excluded.hash`,
};

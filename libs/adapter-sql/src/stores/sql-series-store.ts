import {
  type CountsQuery,
  decodePassColumns,
  decodeSeriesChunk,
  encodeSeriesChunk,
  type Fence,
  isSameLayout,
  joinSeriesChunks,
  type PolicyCounts,
  policyStream,
  type RecordedChunk,
  type SeriesChunk,
  type SeriesQuery,
  type SeriesStorePort,
  sliceSeriesChunk,
} from '#ledger';
import { databaseError, fencedError } from '../connection/database-error.ts';
import type { SqlDatabase, SqlRow, SqlStatement, SqlValue } from '../connection/sql-database.ts';
import { compressNow, decompressNow, isCompressed } from '../packing/zstd.ts';
import { fenceChecks } from '../statements/fence-statements.ts';
import { bigintOf, bytesOf, textOf } from '../statements/rows.ts';

const hourMilliseconds = 3_600_000;

/** A chunk has rows of the hour that it begins in, and of the minutes until its last part was stored. */
const longestChunkMilliseconds = 2 * hourMilliseconds;

/** That are joined at a time; the parts of a policy's hour are 16, or 240 where its columns change with every pass. */
const maximumParts = 8_192;

/** Hours of one policy that are read at a time: 200 kB. */
const chunksPerPage = 100;

/** Policies whose chunks are deleted in one transaction. */
const streamsPerPage = 100;

const partsAdded = 'PartsAdded';

/** Metric series in a SQL database. */
export class SqlSeriesStore implements SeriesStorePort {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async store(chunks: readonly RecordedChunk[], fences: readonly Fence[]): Promise<void> {
    if (chunks.length === 0) return;
    const rows = chunks.map(({ policy, start, end, rows: count, bytes }) =>
      rowOf({ stream: policyStream(policy), start, end, count, isPart: true, bytes }),
    );
    await this.#write(fences, [{ sql: insertChunks[this.#database.dialect], rows }]);
  }

  async joinHours(before: number, limit: number, fence: Fence): Promise<number> {
    const [first] = await this.#database.query({
      sql: `SELECT start_time FROM metric_series WHERE is_part = 1 AND start_time < ? ORDER BY start_time LIMIT 1`,
      parameters: [BigInt(hourOf(before))],
    });
    if (first === undefined) return 0;
    const start = hourOf(Number(bigintOf(first, 'start_time')));
    const period = [BigInt(start), BigInt(start + hourMilliseconds)];
    const streams = await this.#database.query({
      sql: `SELECT DISTINCT stream FROM metric_series WHERE is_part = 1 AND start_time >= ? AND start_time < ?
        ORDER BY stream LIMIT ${Math.max(1, Math.trunc(limit))}`,
      parameters: period,
    });
    const parts = await this.#database.query({
      sql: `SELECT stream, start_time, chunk FROM metric_series
        WHERE stream IN (${streams.map(() => '?').join(', ')}) AND start_time >= ? AND start_time < ? AND is_part = 1
        ORDER BY stream, start_time LIMIT ${maximumParts}`,
      parameters: [...streams.map((row) => textOf(row, 'stream')), ...period],
    });
    const joins = [...Map.groupBy(parts, (row) => textOf(row, 'stream'))].map(([stream, ofStream]) =>
      joinParts(stream, ofStream),
    );
    await this.#write(
      [fence],
      [
        ...joins.flatMap(({ statements }) => statements),
        { sql: insertChunks[this.#database.dialect], rows: joins.flatMap(({ rows }) => rows) },
      ],
    );
    return joins.length;
  }

  async deleteBefore(
    time: number,
    after: string,
    fence: Fence,
  ): Promise<{ readonly deleted: number; readonly after: string | null }> {
    const streams = await this.#database.query({ sql: selectStreams, parameters: [after] });
    const names = streams.map((row) => textOf(row, 'stream'));
    const outcomes = await this.#write(
      [fence],
      names.map((stream) => ({
        sql: 'DELETE FROM metric_series WHERE stream = ? AND start_time < ?',
        parameters: [stream, BigInt(Math.trunc(time))],
      })),
    );
    const deleted = outcomes.reduce((sum, count) => sum + count, 0);
    return { deleted, after: names.length < streamsPerPage ? null : (names.at(-1) ?? null) };
  }

  async *read({ policy, from, until }: SeriesQuery): AsyncGenerator<SeriesChunk> {
    const stream = policyStream(policy);
    let after = BigInt(Math.trunc(from) - longestChunkMilliseconds);
    for (;;) {
      const rows = await this.#database.query({
        sql: `SELECT stream, start_time, end_time, chunk FROM metric_series
          WHERE stream = ? AND start_time > ? AND start_time < ? ORDER BY start_time LIMIT ${chunksPerPage}`,
        parameters: [stream, after, BigInt(Math.trunc(until))],
      });
      for (const row of rows) {
        if (bigintOf(row, 'end_time') < BigInt(Math.trunc(from))) continue;
        const chunk = sliceSeriesChunk(chunkOf(row), { from, until });
        if (chunk.rows > 0) yield chunk;
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < chunksPerPage) return;
      after = bigintOf(last, 'start_time');
    }
  }

  async readCounts({ policies, from, until }: CountsQuery): Promise<readonly PolicyCounts[]> {
    const byStream = new Map(policies.map((policy) => [policyStream(policy), policy]));
    if (byStream.size === 0) return [];
    const rows = await this.#database.query({
      sql: `SELECT stream, chunk FROM metric_series
        WHERE stream IN (${[...byStream].map(() => '?').join(', ')})
          AND start_time > ? AND start_time < ? AND end_time >= ?
        ORDER BY stream, start_time LIMIT ${maximumParts}`,
      parameters: [
        ...byStream.keys(),
        BigInt(Math.trunc(from) - longestChunkMilliseconds),
        BigInt(Math.trunc(until)),
        BigInt(Math.trunc(from)),
      ],
    });
    return rows.flatMap((row) => {
      const policy = byStream.get(textOf(row, 'stream'));
      return policy === undefined ? [] : countsOf(policy, bytesOf(row, 'chunk'));
    });
  }

  async #write(fences: readonly Fence[], statements: readonly SqlStatement[]): Promise<readonly number[]> {
    const checks = fenceChecks(this.#database.dialect, fences);
    const written = await this.#database.transaction([...checks, ...statements]);
    if (!written.ok && written.error.code === partsAdded) return [];
    if (!written.ok) throw fencedError(...fences);
    return written.value.slice(checks.length).map(({ count }) => count);
  }
}

const columns = 'stream, start_time, end_time, row_count, is_part, chunk';

const insertChunks = {
  sqlite: `INSERT INTO metric_series (${columns}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  postgres: `INSERT INTO metric_series (${columns})
    SELECT * FROM unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bytea[])
    ON CONFLICT DO NOTHING`,
} as const;

/** Each policy costs one look into the index, however many chunks it has. */
const selectStreams = `WITH RECURSIVE found (stream) AS (
    SELECT MIN(stream) FROM metric_series WHERE stream > ?
    UNION ALL SELECT (SELECT MIN(stream) FROM metric_series WHERE stream > found.stream) FROM found
      WHERE found.stream IS NOT NULL)
  SELECT stream FROM found WHERE stream IS NOT NULL LIMIT ${streamsPerPage}`;

function rowOf({
  stream,
  start,
  end,
  count,
  isPart,
  bytes,
}: {
  readonly stream: string;
  readonly start: number;
  readonly end: number;
  readonly count: number;
  readonly isPart: boolean;
  readonly bytes: Uint8Array;
}): readonly SqlValue[] {
  return [stream, BigInt(start), BigInt(end), BigInt(count), isPart ? 1n : 0n, bytes];
}

/** What replaces the parts of a policy's hour: one chunk, or one per run of the same columns. */
interface Join {
  readonly statements: readonly SqlStatement[];
  readonly rows: readonly (readonly SqlValue[])[];
}

function joinParts(stream: string, parts: readonly SqlRow[]): Join {
  const chunks: SeriesChunk[] = [];
  const statements: SqlStatement[] = [];
  const [firstStart = 0n, lastStart = 0n] = [parts[0], parts.at(-1)].map((part) =>
    part === undefined ? 0n : bigintOf(part, 'start_time'),
  );
  for (const part of parts) {
    try {
      chunks.push(chunkOf(part));
    } catch {
      // What cannot be read stays as it is.
      const parameters = [stream, bigintOf(part, 'start_time')];
      const sql = 'UPDATE metric_series SET is_part = 0 WHERE stream = ? AND start_time = ?';
      statements.push({ sql, parameters });
    }
  }
  statements.push({
    sql: 'DELETE FROM metric_series WHERE stream = ? AND start_time >= ? AND start_time <= ? AND is_part = 1',
    parameters: [stream, firstStart, lastStart],
    // Another process may have stored a part since: the hour is joined with the next look.
    expect: { count: chunks.length, otherwise: partsAdded },
  });
  return { statements, rows: [...joinRuns(chunks)].map((chunk) => joinedRow(stream, chunk)) };
}

function joinedRow(stream: string, chunk: SeriesChunk): readonly SqlValue[] {
  const [times] = chunk.columns;
  const [start = 0, end = 0] = [times?.[0], times?.at(-1)];
  const bytes = compressNow(encodeSeriesChunk(chunk));
  return rowOf({ stream, start, end, count: chunk.rows, isPart: false, bytes });
}

function hourOf(time: number): number {
  return Math.floor(time / hourMilliseconds) * hourMilliseconds;
}

function* joinRuns(chunks: readonly SeriesChunk[]): Generator<SeriesChunk> {
  let run: SeriesChunk[] = [];
  for (const chunk of chunks) {
    const [first] = run;
    if (first !== undefined && !isSameLayout(first.layout, chunk.layout)) {
      yield joinSeriesChunks(run);
      run = [];
    }
    run.push(chunk);
  }
  if (run.length > 0) yield joinSeriesChunks(run);
}

function countsOf(policy: PolicyCounts['policy'], bytes: Uint8Array): readonly PolicyCounts[] {
  try {
    const [times, specReplicas] = decodePassColumns(isCompressed(bytes) ? decompressNow(bytes) : bytes);
    return times === undefined || specReplicas === undefined ? [] : [{ policy, times, specReplicas }];
  } catch {
    return [];
  }
}

/** @throws AdapterError `DatabaseCorrupt` */
function chunkOf(row: SqlRow): SeriesChunk {
  const bytes = bytesOf(row, 'chunk');
  try {
    return decodeSeriesChunk(isCompressed(bytes) ? decompressNow(bytes) : bytes);
  } catch (error) {
    const place = `${textOf(row, 'stream')} at ${bigintOf(row, 'start_time')}`;
    throw databaseError('DatabaseCorrupt', `the metric series of ${place} cannot be read`, error);
  }
}

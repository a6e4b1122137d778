import type { EntryAddress, EntryQuery, FollowingEntries } from '#ledger';
import type { SqlDatabase, SqlDialect, SqlQuery, SqlRow } from '../connection/sql-database.ts';
import { maximumBaseAgeNanoseconds } from '../packing/payload-packer.ts';
import { bigintOf } from '../statements/rows.ts';
import { entryColumns, joinSummary, summaryRowColumns, unobservedColumns } from './entry-statement.ts';

/** In which order entries are read. */
export type EntryOrder = EntryQuery['order'] | 'BySeq' | 'ByStream';

/** By columns of {@link entryColumns}. */
export const entryOrders: Readonly<Record<EntryOrder, string>> = {
  NewestFirst: 'time_nanoseconds DESC, position DESC',
  OldestFirst: 'time_nanoseconds, position',
  BySeq: 'seq',
  ByStream: 'stream, seq',
};

/**
 * Reads the entries whose places a query selects: `time_nanoseconds`, `position` and, of several pages, `page`. Those whose
 * payload is deleted are left out.
 *
 * PostgreSQL reads the places first. They tell which partitions the entries are in: planning a look for whole rows into
 * every partition takes ten times as long as reading them.
 */
export async function entriesAtPlaces(
  database: SqlDatabase,
  places: SqlQuery,
  order: EntryOrder,
): Promise<readonly SqlRow[]> {
  if (database.dialect === 'postgres')
    return entriesInPartitions(database, await database.query(places), order);
  return database.query({
    ...places,
    sql: `SELECT * FROM (${wholeEntries(places.sql)}) AS entry ORDER BY ${entryOrders[order]}`,
  });
}

/** For SQLite. */
export function wholeEntries(places: string): string {
  return `SELECT ${entryColumns} FROM ledger_entry AS entry JOIN stream_head ON stream_head.id = entry.stream_id
    ${joinBase('sqlite', []).sql}
    WHERE entry.position IN (SELECT position FROM (${places}) AS place) AND entry.payload_hash IS NULL`;
}

/** For SQLite: selects the entries at positions without what they observed, in no order. */
export function unobservedEntries(positions: readonly bigint[]): SqlQuery {
  return {
    sql: `SELECT ${unobservedColumns} FROM ledger_entry AS entry
      JOIN stream_head ON stream_head.id = entry.stream_id ${joinBase('sqlite', []).sql}
      WHERE entry.payload_hash IS NULL AND entry.position IN (SELECT value FROM json_each(?))`,
    parameters: [`[${positions.join(',')}]`],
  };
}

/** For SQLite: selects the summaries of the decisions at positions, in no order. */
export function summariesAt(positions: readonly bigint[]): SqlQuery {
  return {
    sql: `SELECT ${summaryRowColumns} FROM ledger_entry AS entry
      JOIN stream_head ON stream_head.id = entry.stream_id ${joinSummary}
      WHERE entry.payload_hash IS NULL AND entry.position IN (SELECT value FROM json_each(?))`,
    parameters: [`[${positions.join(',')}]`],
  };
}

/** For SQLite: the entries by their addresses, without what they observed. */
export function unobservedEntriesOf(addresses: readonly EntryAddress[]): SqlQuery {
  return {
    sql: `SELECT ${unobservedColumns} FROM ${wantedEntries}
      ${joinBase('sqlite', []).sql} WHERE entry.payload_hash IS NULL`,
    parameters: [wantedText(addresses)],
  };
}

/** For SQLite: the summaries of the decisions by their addresses. */
export function summariesOf(addresses: readonly EntryAddress[]): SqlQuery {
  return {
    sql: `SELECT ${summaryRowColumns} FROM ${wantedEntries}
      ${joinSummary} WHERE entry.payload_hash IS NULL`,
    parameters: [wantedText(addresses)],
  };
}

/** A cross join is carried out from left to right. */
const wantedEntries = `json_each(?) AS wanted
  CROSS JOIN stream_head ON stream = wanted.value ->> 0
  CROSS JOIN ledger_entry AS entry ON entry.stream_id = stream_head.id AND entry.seq = wanted.value ->> 1`;

function wantedText(addresses: readonly EntryAddress[]): string {
  return `[${addresses.map(({ stream, seq }) => `[${JSON.stringify(stream)},${seq}]`).join(',')}]`;
}

/** Known before the entries are read, so that partitions are merged in the order of their index. */
export const ofStream = 'entry.stream_id = (SELECT id FROM stream_head WHERE stream = ?)';

export const selectPlaces = 'SELECT entry.time_nanoseconds, entry.position FROM ledger_entry AS entry';

/** Selects the places of the entries at addresses, at least one. */
export function placesAt(addresses: readonly EntryAddress[]): SqlQuery {
  const select = `${selectPlaces} WHERE ${ofStream} AND entry.seq = ? AND entry.payload_hash IS NULL`;
  return {
    sql: addresses.map(() => select).join(' UNION ALL '),
    parameters: addresses.flatMap(({ stream, seq }) => [stream, seq]),
  };
}

/**
 * Selects the places of the entries that follow others, at least one. They are found by their numbers, and their kind is a
 * condition on the rows found: by an index of kinds, the whole past of a stream would be.
 */
export function placesAfter({ addresses, kinds, within }: FollowingEntries): SqlQuery {
  const select = `${selectPlaces} WHERE ${ofStream} AND entry.seq > ? AND entry.seq <= ?
    AND entry.kind || '' IN (${kinds.map(() => '?').join(', ')}) AND entry.payload_hash IS NULL`;
  return {
    sql: addresses.map(() => select).join(' UNION '),
    parameters: addresses.flatMap(({ stream, seq }) => [stream, seq, seq + BigInt(within), ...kinds]),
  };
}

/** For PostgreSQL: reads the entries at places, from the partitions of their times alone. */
export async function entriesInPartitions(
  database: SqlDatabase,
  places: readonly SqlRow[],
  order: EntryOrder,
): Promise<readonly SqlRow[]> {
  const times = places.map((row) => bigintOf(row, 'time_nanoseconds'));
  return rowsInPartitions(database, places, {
    columns: entryColumns,
    joined: joinBase('postgres', times),
    order,
  });
}

/** For PostgreSQL: reads the summaries of the decisions at places, likewise. */
export async function summariesInPartitions(
  database: SqlDatabase,
  places: readonly SqlRow[],
): Promise<readonly SqlRow[]> {
  const joined = { sql: joinSummary, parameters: [] };
  return rowsInPartitions(database, places, { columns: summaryRowColumns, joined, order: 'OldestFirst' });
}

async function rowsInPartitions(
  database: SqlDatabase,
  places: readonly SqlRow[],
  {
    columns,
    joined,
    order,
  }: { readonly columns: string; readonly joined: Required<SqlQuery>; readonly order: EntryOrder },
): Promise<readonly SqlRow[]> {
  if (places.length === 0) return [];
  const times = places.map((row) => bigintOf(row, 'time_nanoseconds'));
  const pages = places.map((row) => (row['page'] === undefined ? 0n : bigintOf(row, 'page')));
  const arrays = [pages, times, places.map((row) => bigintOf(row, 'position'))];
  return database.query({
    sql: `SELECT place.page, ${columns}
      FROM unnest(${arrays.map(() => 'CAST(? AS BIGINT[])').join(', ')}) AS place (page, time_nanoseconds, position)
      CROSS JOIN LATERAL (SELECT * FROM ledger_entry AS found WHERE found.time_nanoseconds BETWEEN ? AND ?
        AND found.time_nanoseconds = place.time_nanoseconds AND found.position = place.position
        AND found.payload_hash IS NULL OFFSET 0) AS entry
      JOIN stream_head ON stream_head.id = entry.stream_id ${joined.sql} ORDER BY place.page, ${entryOrders[order]}`,
    parameters: [
      ...arrays.map((values) => `{${values.join(',')}}`),
      ...Object.values(periodOf(times)),
      ...joined.parameters,
    ],
  });
}

/**
 * Joins the base that an entry is packed with. On PostgreSQL it is looked up for each entry, in the partition of its time:
 * the planner leaves out only partitions outside the period of all entries, and would rather read the others once.
 *
 * @param times of the entries
 */
export function joinBase(dialect: SqlDialect, times: readonly bigint[]): Required<SqlQuery> {
  const isBase = (base: string): string =>
    `${base}.stream_id = entry.stream_id AND ${base}.seq = entry.base_seq`;
  if (dialect === 'sqlite')
    return { sql: `LEFT JOIN ledger_entry AS base ON ${isBase('base')}`, parameters: [] };
  return {
    sql: `LEFT JOIN LATERAL (SELECT found.packed, found.observation FROM ledger_entry AS found
      WHERE found.time_nanoseconds BETWEEN ? AND ? AND ${isBase('found')} AND found.time_nanoseconds BETWEEN
        entry.time_nanoseconds - ${maximumBaseAgeNanoseconds} AND entry.time_nanoseconds + ${maximumBaseAgeNanoseconds}
      OFFSET 0) AS base ON true`,
    parameters: periodAround(times),
  };
}

/** From when until when the bases of entries may be. */
export function periodAround(times: readonly bigint[]): readonly [bigint, bigint] {
  const { from, until } = periodOf(times);
  return [from - maximumBaseAgeNanoseconds, until + maximumBaseAgeNanoseconds];
}

/** The first and the last of times. */
export function periodOf(times: readonly bigint[]): { readonly from: bigint; readonly until: bigint } {
  const [first = 0n] = times;
  return {
    from: times.reduce((least, time) => (time < least ? time : least), first),
    until: times.reduce((most, time) => (time > most ? time : most), first),
  };
}

import type { EntryKind, EntryQuery } from '#ledger';
import type { SqlQuery, SqlValue } from '../sql-database.ts';

/** Columns of an entry's content, and of the base that it is packed with. */
export const contentColumns = `entry.payload, entry.payload_hash, entry.dictionary, entry.packed, entry.observation,
  entry.observation_hash, entry.base_seq, base.packed AS base_packed, base.observation AS base_observation`;

/** Joins the entry that an entry is packed with. */
export const joinBase =
  'LEFT JOIN ledger_entry AS base ON base.stream_id = entry.stream_id AND base.seq = entry.base_seq';

/** Selects entries with the names of their streams. */
export const selectEntry = `SELECT entry.position, entry.format, stream, entry.seq, entry.cluster, entry.kind, entry.time,
  entry.time_nanoseconds, ${contentColumns}, entry.previous_hash, entry.hash
  FROM ledger_entry AS entry JOIN stream_head ON stream_head.id = entry.stream_id ${joinBase}`;

/**
 * Selects the newest entry of a kind in a stream. Places grow with the numbers in a stream, and an index holds both kind
 * and place. The sum keeps the planner from searching the whole table backwards.
 */
export const selectNewest = `${selectEntry} WHERE entry.position = (SELECT MAX(position + 0) FROM ledger_entry
  WHERE stream_id = (SELECT id FROM stream_head WHERE stream = ?) AND kind = ? AND payload_hash IS NULL)`;

/** Selects the bases that the newest decisions of streams are packed with, or are themselves. */
export const selectBases = `SELECT stream, base.seq, base.time_nanoseconds, base.dictionary, base.packed, base.observation
  FROM stream_head JOIN ledger_entry AS base ON base.stream_id = stream_head.id
    AND base.seq = (SELECT COALESCE(newest.base_seq, newest.seq) FROM ledger_entry AS newest
      WHERE newest.stream_id = stream_head.id AND newest.kind = 'Decision' AND newest.payload_hash IS NULL
      ORDER BY newest.time_nanoseconds DESC LIMIT 1)
  WHERE base.packed IS NOT NULL AND base.observation_hash IS NULL AND stream IN`;

/**
 * Selects a page by keyset. Each kind is one range of one index, so a page costs the same at any depth; several kinds
 * are merged from one range each. Payloads are read only for the rows of the page. One row more than the limit is
 * selected, which shows whether there is another page.
 */
export function entryStatement(query: EntryQuery): SqlQuery {
  const direction = query.order === 'NewestFirst' ? 'DESC' : 'ASC';
  const order = `ORDER BY time_nanoseconds ${direction}, position ${direction} LIMIT ${query.limit + 1}`;
  const entryOrder = `ORDER BY entry.time_nanoseconds ${direction}, entry.position ${direction}`;
  const ranges = query.kinds.map((kind) => kindRange(query, kind));
  const sql = ranges.map(
    (range) =>
      `SELECT * FROM (SELECT position, time_nanoseconds FROM ledger_entry WHERE ${range.where} ${order}) AS page`,
  );
  return {
    sql: `${selectEntry} WHERE entry.position IN
      (SELECT position FROM (${sql.join(' UNION ALL ')}) AS pages ${order}) ${entryOrder}`,
    parameters: ranges.flatMap(({ parameters }) => parameters),
  };
}

interface Range {
  readonly where: string;
  readonly parameters: readonly SqlValue[];
}

function kindRange(query: EntryQuery, kind: EntryKind): Range {
  // Without it, no index would be used: they have only entries with a payload.
  const terms: [term: string, ...values: SqlValue[]][] = [['payload_hash IS NULL']];
  if (query.stream !== undefined)
    terms.push(['stream_id = (SELECT id FROM stream_head WHERE stream = ?)', query.stream]);
  // Only decisions have an action, and its index does not contain the kind.
  if (query.action !== undefined) terms.push(['action = ?', query.action]);
  if (query.action === undefined || kind !== 'Decision') terms.push(['kind = ?', kind]);
  if (query.from !== undefined) terms.push(['time_nanoseconds >= ?', query.from]);
  if (query.until !== undefined) terms.push(['time_nanoseconds < ?', query.until]);
  if (query.after !== undefined) {
    const beyond = query.order === 'NewestFirst' ? '<' : '>';
    terms.push([
      `(time_nanoseconds, position) ${beyond} (?, ?)`,
      query.after.timeNanoseconds,
      query.after.position,
    ]);
  }
  return {
    where: terms.map(([term]) => term).join(' AND '),
    parameters: terms.flatMap(([, ...values]) => values),
  };
}

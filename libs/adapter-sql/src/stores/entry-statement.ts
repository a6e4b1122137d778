import type { EntryKind, EntryQuery } from '#ledger';
import type { SqlQuery, SqlValue } from '../sql-database.ts';

/** Selects entries with the names of their streams. */
export const selectEntry = `SELECT position, format, stream, ledger_entry.seq, cluster, kind, time, time_nanoseconds,
  payload, previous_hash, ledger_entry.hash FROM ledger_entry JOIN stream_head ON stream_head.id = ledger_entry.stream_id`;

/**
 * Selects the newest entry of a kind in a stream. Places grow with the numbers in a stream, and an index holds both kind
 * and place. The sum keeps the planner from searching the whole table backwards.
 */
export const selectNewest = `${selectEntry} WHERE position = (SELECT MAX(position + 0) FROM ledger_entry
  WHERE stream_id = (SELECT id FROM stream_head WHERE stream = ?) AND kind = ?)`;

/**
 * Selects a page by keyset. Each kind is one range of one index, so a page costs the same at any depth; several kinds
 * are merged from one range each. Payloads are read only for the rows of the page. One row more than the limit is
 * selected, which shows whether there is another page.
 */
export function entryStatement(query: EntryQuery): SqlQuery {
  const direction = query.order === 'NewestFirst' ? 'DESC' : 'ASC';
  const order = `ORDER BY time_nanoseconds ${direction}, position ${direction} LIMIT ${query.limit + 1}`;
  const ranges = query.kinds.map((kind) => kindRange(query, kind));
  const sql = ranges.map(
    (range) =>
      `SELECT * FROM (SELECT position, time_nanoseconds FROM ledger_entry WHERE ${range.where} ${order}) AS page`,
  );
  return {
    sql: `${selectEntry} WHERE position IN
      (SELECT position FROM (${sql.join(' UNION ALL ')}) AS pages ${order}) ${order}`,
    parameters: ranges.flatMap(({ parameters }) => parameters),
  };
}

interface Range {
  readonly where: string;
  readonly parameters: readonly SqlValue[];
}

function kindRange(query: EntryQuery, kind: EntryKind): Range {
  const terms: [term: string, ...values: SqlValue[]][] = [];
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

import type { EntryAddress, EntryQuery } from '#ledger';
import type { SqlQuery } from '../sql-database.ts';
import { selectEntry } from './entry-statement.ts';

/** Selects several pages of one order at once, each row with the number of its page. */
export function entryPagesStatement(
  pages: readonly { readonly page: number; readonly statement: SqlQuery }[],
  order: EntryQuery['order'],
): SqlQuery {
  const parts = pages.map(
    ({ page, statement }) => `SELECT ${page} AS page, found.* FROM (${statement.sql}) AS found`,
  );
  const direction = order === 'NewestFirst' ? 'DESC' : 'ASC';
  return {
    sql: `${parts.join(' UNION ALL ')} ORDER BY page, time_nanoseconds ${direction}, position ${direction}`,
    parameters: pages.flatMap(({ statement: { parameters = [] } }) => parameters),
  };
}

/** Selects the entries at several addresses. */
export function entriesAtStatement(addresses: readonly EntryAddress[]): SqlQuery {
  const positions = addresses.map(
    () =>
      'SELECT position FROM ledger_entry WHERE stream_id = (SELECT id FROM stream_head WHERE stream = ?) AND seq = ?',
  );
  return {
    sql: `${selectEntry} WHERE entry.position IN (${positions.join(' UNION ALL ')})`,
    parameters: addresses.flatMap(({ stream, seq }) => [stream, seq]),
  };
}

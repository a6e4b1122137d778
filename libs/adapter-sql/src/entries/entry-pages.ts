import type { EntryQuery } from '#ledger';
import type { SqlDatabase, SqlQuery, SqlRow } from '../connection/sql-database.ts';
import { bigintOf } from '../statements/rows.ts';
import { type PageSource, placesStatement } from './entry-statement.ts';
import { entriesInPartitions, entryOrders, wholeEntries } from './placed-entries.ts';

/** A page that is read with others, with its number. */
export interface NumberedPage {
  readonly page: number;
  readonly query: EntryQuery;
  readonly source: PageSource;
}

/** Most pages are full after so long, which is in two or three partitions. */
const nearNanoseconds = 31n * 24n * 3_600n * 1_000_000_000n;

/** Reads the rows of several pages of one order at once, each row with the number of its page. */
export async function readPages(
  database: SqlDatabase,
  pages: readonly NumberedPage[],
): Promise<readonly SqlRow[]> {
  const order = pages[0]?.query.order;
  if (order === undefined) return [];
  if (database.dialect === 'postgres')
    return entriesInPartitions(database, await readPlaces(database, pages), order);
  return database.query(unionOf(pages, wholeEntries, `ORDER BY page, ${entryOrders[order]}`));
}

/** Reads the places alone, page by page in the order of each. */
export async function readPagePlaces(
  database: SqlDatabase,
  pages: readonly NumberedPage[],
): Promise<readonly SqlRow[]> {
  const order = pages[0]?.query.order;
  if (order === undefined) return [];
  if (database.dialect === 'sqlite')
    return database.query(unionOf(pages, (places) => places, `ORDER BY page, ${entryOrders[order]}`));
  return (await readPlaces(database, pages)).toSorted(order === 'NewestFirst' ? newestFirst : oldestFirst);
}

function newestFirst(left: SqlRow, right: SqlRow): number {
  return oldestFirst(right, left);
}

function oldestFirst(left: SqlRow, right: SqlRow): number {
  return compare(left, right, 'time_nanoseconds') || compare(left, right, 'position');
}

function compare(left: SqlRow, right: SqlRow, column: string): number {
  const [before, after] = [bigintOf(left, column), bigintOf(right, column)];
  return before < after ? -1 : Number(before > after);
}

/**
 * For PostgreSQL: a page is looked for near its beginning first. A ledger of years has dozens of partitions, and each range
 * of a page costs a look into every one.
 */
async function readPlaces(database: SqlDatabase, pages: readonly NumberedPage[]): Promise<readonly SqlRow[]> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const near = pages.map((page) => ({ ...page, query: nearPart(page.query, now) }));
  const places = await database.query(unionOf(near));
  const counts = Map.groupBy(places, (row) => Number(bigintOf(row, 'page')));
  const lacking = pages.filter(
    ({ page, query }, index) =>
      near[index]?.query !== query && (counts.get(page)?.length ?? 0) <= query.limit,
  );
  if (lacking.length === 0) return places;
  const found = new Set(lacking.map(({ page }) => page));
  const full = places.filter((row) => !found.has(Number(bigintOf(row, 'page'))));
  return [...full, ...(await database.query(unionOf(lacking)))];
}

/** The query itself where its period is as short, or where it begins is not known. */
function nearPart(query: EntryQuery, now: bigint): EntryQuery {
  return query.order === 'NewestFirst' ? latestPart(query, now) : earliestPart(query);
}

function latestPart(query: EntryQuery, now: bigint): EntryQuery {
  const { from, until = now, after } = query;
  const latest = after?.timeNanoseconds ?? (until < now ? until : now);
  const near = latest - nearNanoseconds;
  return from !== undefined && from >= near ? query : { ...query, from: near };
}

function earliestPart(query: EntryQuery): EntryQuery {
  const { from, until, after } = query;
  const earliest = after?.timeNanoseconds ?? from;
  if (earliest === undefined) return query;
  const near = earliest + nearNanoseconds;
  return until !== undefined && until <= near ? query : { ...query, until: near };
}

/** Selects the places of pages, or what else is made of them, each with the number of its page. */
function unionOf(
  pages: readonly NumberedPage[],
  made: (places: string) => string = (places) => places,
  order = '',
): SqlQuery {
  const statements = pages.map(({ page, query, source }) => ({ page, ...placesStatement(query, source) }));
  const parts = statements.map(
    ({ page, sql }) => `SELECT ${page} AS page, entry.* FROM (${made(sql)}) AS entry`,
  );
  return {
    sql: `${parts.join(' UNION ALL ')} ${order}`,
    parameters: statements.flatMap(({ parameters }) => parameters),
  };
}

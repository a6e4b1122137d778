import type { EntryPage, EntryQuery } from '#ledger';
import type { SqlDatabase, SqlRow } from '../connection/sql-database.ts';
import type { KeptBases } from '../packing/kept-bases.ts';
import { bigintOf } from '../statements/rows.ts';
import { type NumberedPage, readPages } from './entry-pages.ts';
import { cursorOf, entriesOf } from './entry-rows.ts';

/** The pages of queries, entries whole; those that nothing can be found for are not among the numbered ones. */
export async function wholePages(
  database: SqlDatabase,
  queries: readonly EntryQuery[],
  { pages, bases }: { readonly pages: readonly NumberedPage[]; readonly bases: KeptBases },
): Promise<readonly EntryPage[]> {
  const rows = await readPages(database, pages);
  const ofPage = Map.groupBy(rows, (row) => Number(bigintOf(row, 'page')));
  return Promise.all(queries.map(({ limit }, page) => pageOf(ofPage.get(page) ?? [], { limit, bases })));
}

/** One row more than the limit shows that there is another page. */
async function pageOf(
  rows: readonly SqlRow[],
  { limit, bases }: { readonly limit: number; readonly bases: KeptBases },
): Promise<EntryPage> {
  const listed = rows.slice(0, limit);
  const entries = await entriesOf(listed, { bases });
  const items = entries.map((entry, index) => ({ entry, cursor: cursorOf(listed[index] ?? {}) }));
  return { items, hasMore: rows.length > limit };
}

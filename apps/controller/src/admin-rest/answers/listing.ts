import {
  keyBehind,
  keyCursor,
  type KeyedList,
  maximumPageSize,
  type Page,
  type PageRequest,
} from '../../admin/requests/page.ts';
import { withinDeadline } from './deadline.ts';

/** A list that is asked for page by page. */
export interface Listing<T> {
  readonly first: PageRequest;
  readonly load: (page: PageRequest) => Promise<Page<T>> | Page<T>;
}

/** A list of an operation, its items in the form of the API. */
export function listing<T, W>(
  page: PageRequest,
  load: (page: PageRequest) => Promise<Page<T>> | Page<T>,
  form: (item: T) => W,
): Listing<W> {
  return {
    first: page,
    load: async (asked) => {
      const { items, hasMore } = await load(asked);
      return { items: items.map(({ item, cursor }) => ({ item: form(item), cursor })), hasMore };
    },
  };
}

/** A page of a list that fits into memory, by a key of its items: what comes or goes meanwhile moves no other item. */
export function pageOfAll<T>(
  all: readonly T[],
  page: PageRequest,
  { list, keyOf }: { readonly list: KeyedList; readonly keyOf: (item: T) => string },
): Page<T> {
  const after = keyBehind(list, page);
  const left = all
    .map((item) => ({ item, key: keyOf(item) }))
    .filter(({ key }) => after === null || key > after)
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  const items = left.slice(0, page.first).map(({ item, key }) => ({ item, cursor: keyCursor(list, key) }));
  return { items, hasMore: left.length > page.first };
}

/** One page as the API has it, and its `Link` header. */
export async function pageOf<T>(
  { first, load }: Listing<T>,
  url: string,
): Promise<{
  readonly body: { readonly items: readonly T[]; readonly next: string | null };
  readonly link: string;
}> {
  const { items, hasMore } = await load(first);
  const next = hasMore ? (items.at(-1)?.cursor ?? null) : null;
  return { body: { items: items.map(({ item }) => item), next }, link: linkOf(url, next) };
}

/** As many as a page of the application layer holds. */
const linesPerPage = maximumPageSize;

/**
 * Everything of the list from the page on, one item per line. The next page is read when the last one has been taken, so
 * that a slow reader costs nothing.
 *
 * The first page is there when it resolves: what is wrong with the request can still be answered.
 *
 * @param requireAllowed is called before each further page; what it throws ends the lines.
 */
export async function linesOf<T>(
  { first, load }: Listing<T>,
  requireAllowed: () => Promise<void> = () => Promise.resolve(),
): Promise<AsyncGenerator<string, undefined>> {
  const wanted = { ...first, first: linesPerPage };
  const begun = await withinDeadline(Promise.resolve(load(wanted)));
  const loadAllowed = async (page: PageRequest): Promise<Page<T>> => {
    await requireAllowed();
    return load(page);
  };
  return remainingLines({ first: wanted, load: loadAllowed }, begun);
}

async function* remainingLines<T>(
  { first, load }: Listing<T>,
  begun: Page<T>,
): AsyncGenerator<string, undefined> {
  for (let page = begun; ;) {
    if (page.items.length > 0) yield page.items.map(({ item }) => `${JSON.stringify(item)}\n`).join('');
    const after = page.items.at(-1)?.cursor;
    if (!page.hasMore || after === undefined) return undefined;
    page = await withinDeadline(Promise.resolve(load({ ...first, after })));
  }
}

/** RFC 8288: where the list begins, and where it goes on. */
function linkOf(url: string, next: string | null): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  searchParams.delete('after');
  const link = (rel: string): string => {
    const query = searchParams.toString();
    return `<${pathname}${query === '' ? '' : `?${query}`}>; rel="${rel}"`;
  };
  const begin = link('first');
  if (next === null) return begin;
  searchParams.set('after', next);
  return `${begin}, ${link('next')}`;
}

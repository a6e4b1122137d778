import type { ApiRequest } from './api-client.ts';

const largestPage = 100;

/** Every item of a list, page by page, however many there are. */
export async function loadAll(
  ask: <A>(request: ApiRequest) => Promise<A>,
  path: string,
  query: ApiRequest['query'] = {},
): Promise<readonly unknown[]> {
  return (await loadItems(ask, { path, query, wanted: Number.POSITIVE_INFINITY })).items;
}

interface ItemsRequest {
  readonly path: string;
  readonly query: ApiRequest['query'];
  readonly wanted: number;
}

interface Page {
  readonly items: readonly unknown[];
  readonly next: string | null;
}

/** As many of the first items of a list as are wanted, and whether there are more. */
export async function loadItems(
  ask: <A>(request: ApiRequest) => Promise<A>,
  { path, query, wanted }: ItemsRequest,
): Promise<{ readonly items: readonly unknown[]; readonly hasMore: boolean }> {
  const items: unknown[] = [];
  let after: string | undefined;
  do {
    const first = String(Math.min(largestPage, wanted - items.length));
    const page = await ask<Page>({ path, query: { ...query, first, after } });
    items.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined && items.length < wanted);
  return { items, hasMore: after !== undefined };
}

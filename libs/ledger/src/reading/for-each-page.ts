import { maximumPageLimit, type NamedPage } from '../ports/ledger.port.ts';

/** Reads a list that is ordered by name, page by page. */
export async function forEachPage<T>(
  load: (page: NamedPage) => Promise<readonly T[]>,
  nameOf: (item: T) => string,
  visit: (item: T) => void,
): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const items = await load({ limit: maximumPageLimit, ...(after === undefined ? {} : { after }) });
    for (const item of items) visit(item);
    const last = items.at(-1);
    if (last === undefined || items.length < maximumPageLimit) return;
    after = nameOf(last);
  }
}

import { type EntryPage, type EntryQuery, type LedgerPort, type ListedEntry, policyOfStream } from '#ledger';
import { matchesAny, type NamespaceScope } from '../auth/principal.ts';

/** A page of entries of the namespaces: the others are read over, until the page is full or nothing is left. */
export async function readVisible(
  ledger: Pick<LedgerPort, 'entries'>,
  query: EntryQuery,
  namespaces: NamespaceScope = { kind: 'All' },
): Promise<EntryPage> {
  if (namespaces.kind === 'All') return ledger.entries(query);
  const { patterns } = namespaces;
  const found: ListedEntry[] = [];
  let page: EntryPage = patterns.length === 0 ? none : await ledger.entries(query);
  for (;;) {
    found.push(...page.items.filter(({ entry }) => isOf(patterns, entry.stream)));
    const after = page.items.at(-1)?.cursor;
    if (found.length > query.limit || !page.hasMore || after === undefined)
      return { items: found.slice(0, query.limit), hasMore: found.length > query.limit };
    page = await ledger.entries({ ...query, after });
  }
}

const none: EntryPage = { items: [], hasMore: false };

function isOf(patterns: readonly string[], stream: string): boolean {
  const policy = policyOfStream(stream);
  return policy !== null && matchesAny(patterns, policy.namespace);
}

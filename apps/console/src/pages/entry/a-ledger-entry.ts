import type { LedgerEntryPartsFragment, LedgerEntryQuery } from './entry.generated.ts';

/** What `node` answers with where an id is that of an entry. */
export type LedgerEntry = Extract<LedgerEntryPartsFragment, { readonly hash: string }>;

/** The entry that an id names; undefined: it names something else, or nothing. */
export function ledgerEntryOf(node: LedgerEntryQuery['node']): LedgerEntry | undefined {
  return node !== null && 'hash' in node ? node : undefined;
}

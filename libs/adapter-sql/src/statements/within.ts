import { maximumEntriesPerRead, maximumPagesPerRead } from '#ledger';

/** Limits become SQL text, so they are checked at run time, too. @throws RangeError */
export function within(name: string, value: number, maximum: number): void {
  if (!Number.isSafeInteger(value) || value < 0 || value > maximum)
    throw new RangeError(`${name} is ${value}, allowed are 0 to ${maximum}`);
}

/** Refuses more pages, or pages of more entries, than one read has. */
export function requirePages(queries: readonly { readonly limit: number }[]): void {
  const entries = queries.reduce((sum, { limit }) => sum + limit, 0);
  within('queries', queries.length, maximumPagesPerRead);
  within('limits', entries, maximumEntriesPerRead);
}

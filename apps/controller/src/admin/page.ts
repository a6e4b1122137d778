import { encodeCursor, type EntryCursor, parseCursor } from '#ledger';
import { QueryError } from './query-error.ts';

/** The most that one page holds. */
export const maximumPageSize = 100;

/** Which part of a list. */
export interface PageRequest {
  /** 1 to 100. */
  readonly first: number;
  /** The cursor that the page begins behind. */
  readonly after?: string | null | undefined;
}

/** A page, each item with the cursor behind it. */
export interface Page<T> {
  readonly items: readonly { readonly item: T; readonly cursor: string }[];
  readonly hasMore: boolean;
}

/**
 * The page size, checked.
 *
 * @throws QueryError `BadPageSize`
 */
export function pageSizeOf({ first }: PageRequest): number {
  if (Number.isInteger(first) && first >= 1 && first <= maximumPageSize) return first;
  throw new QueryError('BadPageSize', `first is ${first}; a page holds 1 to ${maximumPageSize}`);
}

/**
 * The place in the ledger that a page begins behind.
 *
 * @throws QueryError `BadCursor`
 */
export function entryCursorOf({
  after,
}: PageRequest): { readonly after: EntryCursor } | Record<string, never> {
  if (after === undefined || after === null) return {};
  const cursor = parseCursor(Buffer.from(after, 'base64url').toString('utf8'));
  if (cursor === null)
    throw new QueryError('BadCursor', `after is ${JSON.stringify(after.slice(0, 100))}, which is no cursor`);
  return { after: cursor };
}

/** A ledger cursor as callers see it: opaque, so that clients do not compute with it. */
export function cursorText(cursor: EntryCursor): string {
  return Buffer.from(encodeCursor(cursor), 'utf8').toString('base64url');
}

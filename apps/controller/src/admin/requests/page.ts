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
  const cursor = parseCursor(decoded(after) ?? '');
  if (cursor === null) throw badCursor(after);
  return { after: cursor };
}

/** A ledger cursor as callers see it: opaque, so that clients do not compute with it. */
export function cursorText(cursor: EntryCursor): string {
  return encoded(encodeCursor(cursor));
}

/** The lists that have a key for each item, and are in the order of the keys. */
export type KeyedList =
  | 'degradations'
  | 'holds'
  | 'interventions'
  | 'leavingPolicies'
  | 'orphanedHpas'
  | 'policies'
  | 'replicas'
  | 'reports'
  | 'reportSchedules'
  | 'shards'
  | 'sources'
  | 'tokens';

/** The cursor of an item of such a list; no other list takes it. */
export function keyCursor(list: KeyedList, key: string): string {
  return encoded(`${list}:${key}`);
}

/**
 * The key that a page begins behind; null: the page is the first.
 *
 * @throws QueryError `BadCursor`
 */
export function keyBehind(list: KeyedList, { after }: PageRequest): string | null {
  if (after === undefined || after === null) return null;
  const text = decoded(after);
  const mark = `${list}:`;
  if (text?.startsWith(mark) === true) return text.slice(mark.length);
  throw badCursor(after);
}

/** The cursor of an item that has a number, in descending order. */
export function placeCursor(place: bigint): string {
  return encoded(`${place}`);
}

/**
 * The number that a page begins below.
 *
 * @throws QueryError `BadCursor`
 */
export function placeBefore({ after }: PageRequest): { readonly before?: bigint } {
  if (after === undefined || after === null) return {};
  const text = decoded(after) ?? '';
  if (/^[0-9]{1,18}$/.test(text)) return { before: BigInt(text) };
  throw badCursor(after);
}

function encoded(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}

/** The text that was encoded; null: nothing is encoded so. */
function decoded(cursor: string): string | null {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  return encoded(text) === cursor ? text : null;
}

function badCursor(after: string): QueryError {
  return new QueryError(
    'BadCursor',
    `after is ${JSON.stringify(after.slice(0, 100))}, which is no cursor of this list`,
  );
}

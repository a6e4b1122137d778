/**
 * The value with whatever in it is equal to a part of an earlier value replaced by that part; the earlier value itself
 * where all of it is equal. What is kept in place of the earlier one then costs no more memory than what differs: a
 * collector of garbage by generations copies and marks everything that is new and kept.
 *
 * Both are JSON values that nothing changes. Parts correspond by their keys and indexes.
 */
export function shareParts<T>(before: unknown, now: T): T {
  // Equal texts and numbers, too, of which the earlier one is kept.
  if (Object.is(before, now)) return before as T;
  if (!isComposite(before) || !isComposite(now)) return now;
  if (Array.isArray(now)) return Array.isArray(before) ? (shareItems(before, now) as T) : now;
  return Array.isArray(before) ? now : (shareMembers(before, now) as T);
}

function shareItems(before: readonly unknown[], now: readonly unknown[]): readonly unknown[] {
  const shared = now.map((item, index) => shareParts(before[index], item));
  const isEqual =
    before.length === now.length && shared.every((item, index) => Object.is(item, before[index]));
  return isEqual ? before : shared;
}

type Members = Readonly<Record<string, unknown>>;

function shareMembers(before: Members, now: Members): Members {
  const shared: Record<string, unknown> = { ...now };
  let differing = 0;
  let count = 0;
  for (const key of Object.keys(now)) {
    count += 1;
    const part = Object.hasOwn(before, key) ? shareParts(before[key], now[key]) : now[key];
    shared[key] = part;
    if (!Object.hasOwn(before, key) || !Object.is(part, before[key])) differing += 1;
  }
  return differing === 0 && Object.keys(before).length === count ? before : shared;
}

function isComposite(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

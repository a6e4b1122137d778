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

/** Nothing is made unless something differs: most of what is compared is as before. */
function shareItems(before: readonly unknown[], now: readonly unknown[]): readonly unknown[] {
  let shared: unknown[] | null = before.length === now.length ? null : [...now];
  for (let index = 0; index < now.length; index += 1) {
    const part = shareParts(before[index], now[index]);
    if (shared !== null) {
      shared[index] = part;
    } else if (!Object.is(part, before[index])) {
      shared = [...before.slice(0, index), ...now.slice(index)];
      shared[index] = part;
    }
  }
  return shared ?? before;
}

type Members = Readonly<Record<string, unknown>>;

/** Keys are gone through where they are: a list of them for each object would be most of what comparing makes. */
function shareMembers(before: Members, now: Members): Members {
  let shared: Record<string, unknown> | null = null;
  let index = 0;
  for (const key in now) {
    const isKnown = Object.hasOwn(before, key);
    // Read once: a second read is compiled for one key, and then for the next, again and again.
    const earlier = before[key];
    const part = isKnown ? shareParts(earlier, now[key]) : now[key];
    if (shared !== null || !isKnown || !Object.is(part, earlier)) {
      shared ??= withMembersOf(before, index, now);
      shared[key] = part;
    }
    index += 1;
  }
  if (shared !== null) return shared;
  return hasOthers(before, now) ? withMembersOf(before, index, now) : before;
}

function hasOthers(before: Members, now: Members): boolean {
  for (const key in before) if (!Object.hasOwn(now, key)) return true;
  return false;
}

/** The members of `now`, in its order; so many of the first are the earlier ones. */
function withMembersOf(before: Members, count: number, now: Members): Record<string, unknown> {
  const shared: Record<string, unknown> = { ...now };
  for (const name of Object.keys(now).slice(0, count)) shared[name] = before[name];
  return shared;
}

function isComposite(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

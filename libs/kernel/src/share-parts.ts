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

function shareMembers(before: Members, now: Members): Members {
  const keys = Object.keys(now);
  let shared: Record<string, unknown> | null = null;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    const isKnown = Object.hasOwn(before, key);
    const part = isKnown ? shareParts(before[key], now[key]) : now[key];
    if (shared === null && isKnown && Object.is(part, before[key])) continue;
    shared ??= withMembersOf(before, keys.slice(0, index), now);
    shared[key] = part;
  }
  if (shared !== null) return shared;
  return Object.keys(before).length > keys.length ? withMembersOf(before, keys, now) : before;
}

/** The members of `now`, in its order; those named are the earlier ones. */
function withMembersOf(before: Members, names: readonly string[], now: Members): Record<string, unknown> {
  const shared: Record<string, unknown> = { ...now };
  for (const name of names) shared[name] = before[name];
  return shared;
}

function isComposite(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

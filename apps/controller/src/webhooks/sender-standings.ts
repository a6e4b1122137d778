import { isIPv6 } from 'node:net';

/**
 * What is known of a sender before its signature can be checked, the least trusted first: deliveries of a lower
 * standing give way to those of a higher one.
 */
export const standings = ['Failing', 'Unknown', 'KnownAddress', 'KnownHook'] as const;
export type Standing = (typeof standings)[number];

/** What distinguishes senders before the body is read. */
export interface Sender {
  /** As `addressGroup` has it. Behind a proxy that is not configured, everyone's. */
  readonly address: string;
  /** What names the hook, such as `X-GitHub-Hook-ID`: the same at every delivery, and unknown to strangers. */
  readonly hooks: readonly string[];
}

/** A forge that pushed within a day keeps its room. */
const verifiedMilliseconds = 24 * 3_600_000;

/** How long failures count against their address. */
const failedMilliseconds = 60_000;

/** A secret that is being rotated fails a few times; more within a minute are attempts. */
const failureBudget = 10;

/** Entries of each kind that are remembered: more than forges have, and some 100 kB. */
const maximumRemembered = 1_024;

/** Remembers which senders' deliveries verified and failed lately, in bounded memory. */
export class SenderStandings {
  readonly #hooks: RecentCounts;
  readonly #addresses: RecentCounts;
  readonly #failures: RecentCounts;

  /** `now` is monotonic, in milliseconds. */
  constructor(now: () => number) {
    this.#hooks = new RecentCounts(verifiedMilliseconds, now);
    this.#addresses = new RecentCounts(verifiedMilliseconds, now);
    this.#failures = new RecentCounts(failedMilliseconds, now);
  }

  /**
   * The failures of an address cost a sender whose hook is known nothing, and one whose address is known no more than
   * what the address gave it: both may share the address of a proxy with strangers.
   */
  standingOf({ address, hooks }: Sender): Standing {
    if (hooks.some((hook) => this.#hooks.count(hook) > 0)) return 'KnownHook';
    const failures = this.#failures.count(address);
    if (this.#addresses.count(address) > 0) return failures === 0 ? 'KnownAddress' : 'Unknown';
    return failures < failureBudget ? 'Unknown' : 'Failing';
  }

  recordVerified({ address, hooks }: Sender): void {
    this.#addresses.add(address);
    for (const hook of hooks) this.#hooks.add(hook);
  }

  recordFailed({ address }: Sender): void {
    this.#failures.add(address);
  }
}

/** Counts per key of the last while; beyond the bound the key that was seen the longest ago is forgotten. */
class RecentCounts {
  readonly #lifetimeMilliseconds: number;
  readonly #now: () => number;
  /** In the order of their times. */
  readonly #seen = new Map<string, { readonly time: number; readonly count: number }>();

  constructor(lifetimeMilliseconds: number, now: () => number) {
    this.#lifetimeMilliseconds = lifetimeMilliseconds;
    this.#now = now;
  }

  /** How often the key was added without a pause as long as the lifetime. */
  count(key: string): number {
    const seen = this.#seen.get(key);
    return seen !== undefined && this.#now() - seen.time < this.#lifetimeMilliseconds ? seen.count : 0;
  }

  add(key: string): void {
    const count = this.count(key) + 1;
    this.#seen.delete(key);
    this.#seen.set(key, { time: this.#now(), count });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > maximumRemembered && oldest !== undefined) this.#seen.delete(oldest);
  }
}

/**
 * What limits count by: an IPv4 address, or the /64 of an IPv6 address, since one host has all of those. What is no
 * address (a proxy may forward anything) is one group.
 */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:([0-9.]{7,15})$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIPv6(address)) return `${prefixOf(address)}::/64`;
  return /^[0-9.]{7,15}$/.test(address) ? address : 'unknown';
}

/** The first four groups, without leading zeros: `2001:db8:0:0`. */
function prefixOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  // An IPv4 address at the end stands for two groups, which are never among the first four.
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...last];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

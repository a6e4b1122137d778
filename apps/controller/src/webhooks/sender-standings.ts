import { RecentCounts } from '../http/recent-counts.ts';

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

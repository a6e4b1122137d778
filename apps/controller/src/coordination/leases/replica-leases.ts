import {
  afterAttempt,
  type Election,
  observeLease,
  openElection,
  planAttempt,
  type StoredLease,
} from '#coordination';
import type { LeaseLook } from './contested-lease.ts';
import type { ElectionTools } from './election-tools.ts';
import { RepeatedConflict } from './repeated-conflict.ts';

/** A live process of this installation. */
export interface Replica {
  readonly identity: string;
  /** How its admin API is reached; null: it does not say. */
  readonly advertisedUrl: string | null;
  /** Whether it takes its share of the shards: it could begin those that it was handed lately. */
  readonly takesShards: boolean;
  /** Its release; null: it does not say. */
  readonly version: string | null;
  /** Digests of the settings that it has; null: it does not say. */
  readonly settings: string | null;
  /** When it said first that it lives, RFC 3339, by its own clock; null: it does not say. */
  readonly since: string | null;
  /** When it was seen last to say so, by the clock of elections. */
  readonly seenAt: number;
}

interface SeenReplica extends Replica {
  readonly resourceVersion: string;
  /** Whether that was a change, and not the first look: one that is gone may have left its Lease long before. */
  readonly hasChanged: boolean;
  /** When it was seen last to say that the database answers it, by the clock of elections. */
  readonly reachedAt: number;
  readonly lease: StoredLease;
}

/** A replica that has been silent for so many times its Lease is gone for good: a minute by default. */
const forgottenAfter = 4;

/** A replica that was not seen yet to announce itself is taken for gone after so many times that it should have. */
const announcementsAwaited = 3;

/** Attempts to delete what announces this replica: one that was cut off may come in between once. */
const withdrawals = 3;

/** How the Leases of an installation end; where `coordination.name` begins as those of replicas do, after the beginning of these. */
const ofAnotherInstallation = /^(?:.+-)?(?:leader|shard-\d+|replica-.+)$/;

type ReplicaLeasesOptions = Pick<
  ElectionTools,
  'identity' | 'leases' | 'terms' | 'advertisedUrl' | 'version' | 'settings' | 'clock' | 'ending'
> & {
  readonly prefix: string;
  /** Of this one. */
  readonly takesShards: () => boolean;
  /** Whether the database answers this one. */
  readonly reachesDatabase: () => boolean;
};

/** Which replicas live: each keeps a Lease of its own. */
export class ReplicaLeases {
  readonly #options: ReplicaLeasesOptions;
  readonly #prefix: string;
  #own: Election;
  readonly #conflicts: RepeatedConflict;
  /** When this one said first that it lives, RFC 3339; null: it did not. */
  #since: string | null = null;
  #seen: ReadonlyMap<string, SeenReplica> = new Map();
  /** When this one announced itself last, by the clock of elections. */
  #announcedAt = Number.NEGATIVE_INFINITY;
  /** Since when it has done so without a break as long as a Lease. */
  #announcingSince = Number.POSITIVE_INFINITY;

  constructor(options: ReplicaLeasesOptions) {
    this.#options = options;
    this.#prefix = `${options.prefix}-replica-`;
    this.#own = openElection(`${this.#prefix}${options.identity}`, options.identity);
    this.#conflicts = new RepeatedConflict(this.#own.name);
  }

  /** In the order of their identities. */
  get live(): readonly Replica[] {
    const { identity, advertisedUrl, version, clock } = this.#options;
    const now = clock.elapsed();
    const others: readonly Replica[] = [...this.#seen.values()].filter(
      (seen) => now - seen.seenAt < this.#livingMilliseconds(seen),
    );
    const takesShards = this.#takesShards;
    const settings = this.#options.settings.text;
    const own = { identity, advertisedUrl, takesShards, version, settings, since: this.#since, seenAt: now };
    return [own, ...others].toSorted((a, b) => (a.identity < b.identity ? -1 : 1));
  }

  /** A replica that the database does not answer can take nothing over, so that others must not leave it a share. */
  get #takesShards(): boolean {
    return this.#options.takesShards() && this.#options.reachesDatabase();
  }

  /** How long a replica is believed to live after it was first seen so. */
  #livingMilliseconds({ hasChanged }: SeenReplica): number {
    const { leaseDurationMilliseconds, retryPeriodMilliseconds } = this.#options.terms;
    if (hasChanged) return leaseDurationMilliseconds;
    return Math.min(leaseDurationMilliseconds, announcementsAwaited * retryPeriodMilliseconds);
  }

  /**
   * How long another replica says that its Leases last; null: it was not seen to renew the one that it announces itself by,
   * which anyone may have made.
   */
  announcedMilliseconds(identity: string): number | null {
    const seen = this.#seen.get(`${this.#prefix}${identity}`);
    return seen?.hasChanged === true ? seen.lease.record.durationMilliseconds : null;
  }

  /** Whether another replica was seen to say later than at that moment that the database answers it. */
  isReachedSince(moment: number): boolean {
    return [...this.#seen.values()].some(({ reachedAt }) => reachedAt > moment);
  }

  observe(leases: readonly StoredLease[], { sentAt, readAt }: LeaseLook): void {
    const own = leases.find(({ name }) => name === this.#own.name) ?? null;
    this.#conflicts.observe(own, sentAt);
    this.#own = observeLease(this.#own, own, readAt);
    const others = leases.flatMap((lease): readonly (readonly [string, SeenReplica])[] => {
      const { name, resourceVersion, record } = lease;
      const { advertisedUrl, takesShards, version, settings } = record;
      if (!name.startsWith(this.#prefix) || name === this.#own.name) return [];
      const identity = name.slice(this.#prefix.length);
      if (ofAnotherInstallation.test(identity)) return [];
      const before = this.#seen.get(name);
      const isSame = before?.resourceVersion === resourceVersion;
      const { seenAt, hasChanged } = isSame ? before : { seenAt: readAt, hasChanged: before !== undefined };
      const reachedBefore = before?.reachedAt ?? Number.NEGATIVE_INFINITY;
      const reachedAt = record.reachesDatabase ? seenAt : reachedBefore;
      const since = timeOf(record.acquireTime);
      const said = { identity, advertisedUrl, takesShards, version, settings, since };
      return [[name, { ...said, seenAt, reachedAt, resourceVersion, hasChanged, lease }]];
    });
    this.#seen = new Map(others);
    const { identity, settings, version } = this.#options;
    const ofOthers = this.live.filter((replica) => replica.identity !== identity);
    settings.observe(ofOthers.map((each) => ({ ...each, isOfOtherRelease: each.version !== version })));
  }

  /** Says that this one lives. @throws AdapterError */
  async announce(): Promise<void> {
    const { leases, clock, terms, advertisedUrl, version, ending } = this.#options;
    const reachesDatabase = this.#options.reachesDatabase();
    const sentAt = clock.elapsed();
    this.#since ??= clock.now();
    // Nothing is written under it, so that no deadline ends it, nor another name that somebody gave it by hand.
    const own: Election = { ...this.#own, held: { renewedAt: sentAt, victory: 'Free' } };
    const said = { advertisedUrl, takesShards: this.#takesShards, reachesDatabase };
    const moment = { now: sentAt, time: clock.now(), terms, ...said };
    const attempt = planAttempt(own, moment);
    if (attempt === null) return;
    // It is never another's: each announcement renews it.
    const settings = this.#options.settings.text;
    const record = { ...attempt.record, acquireTime: this.#since, transitions: 0, version, settings };
    const write =
      attempt.kind === 'Create'
        ? await leases.create(own.name, record, ending)
        : await leases.update(attempt.observed, record, ending);
    if (write.kind === 'Conflict') {
      this.#conflicts.noteRefused(attempt, clock.elapsed());
      return;
    }
    this.#conflicts.noteWritten();
    this.#own = afterAttempt(own, attempt, { lease: write.lease, sentAt });
    if (sentAt - this.#announcedAt >= terms.leaseDurationMilliseconds) this.#announcingSince = sentAt;
    this.#announcedAt = sentAt;
  }

  /**
   * The Leases of replicas that are gone for good. Each process announces itself by a name of its own, so that those of
   * killed ones would stay for ever. None is gone while this one could not announce itself either: the API server may
   * have been away from all of them.
   */
  get gone(): readonly StoredLease[] {
    const { clock, terms } = this.#options;
    const now = clock.elapsed();
    const moment = now - forgottenAfter * terms.leaseDurationMilliseconds;
    const isAnnouncing = now - this.#announcedAt < terms.leaseDurationMilliseconds;
    if (!isAnnouncing || this.#announcingSince > moment) return [];
    return [...this.#seen.values()].flatMap(({ seenAt, lease }) => (seenAt <= moment ? [lease] : []));
  }

  /** Ends what {@link announce} says; a Lease that cannot be deleted expires. */
  async withdraw(): Promise<void> {
    const { leases } = this.#options;
    let lease = this.#own.seen?.lease ?? undefined;
    try {
      for (let tries = 0; lease !== undefined && tries < withdrawals; tries += 1) {
        await leases.delete(lease);
        // An announcement that was cut off may have been made: the Lease was another version then, and stays.
        lease = (await leases.list()).find(({ name }) => name === this.#own.name);
      }
    } catch {
      // Of an API server that is away nobody reads it either.
    }
  }
}

/** With milliseconds, as this process writes its own, where a Lease has microseconds; null: it is no time. */
function timeOf(text: string | null): string | null {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

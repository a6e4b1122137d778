import type { LeaseRecord, StoredLease } from './lease.port.ts';
import type { LeaseTerms } from './lease-terms.ts';

/** The Lease as it was last seen to change. */
interface SeenLease {
  /** Null: there is none. */
  readonly lease: StoredLease | null;
  /** When it was first seen so, by this process's monotonic clock, in milliseconds. */
  readonly since: number;
}

/** How a Lease was won; see {@link expiredHolders}. */
export type Victory =
  /** It was released, never made, or deleted. */
  | 'Free'
  /** Its holder let it expire. */
  | 'Expired'
  /** It says that it lasts longer than its holder, which let it be, says of its own Leases: somebody has edited it. */
  | 'Overstated';

/** How long a holder says, in the Lease that it announces itself by, that its Leases last; null: it announces itself by none. */
export type AnnouncedDuration = (holder: string) => number | null;

/** One process's part in the election of one Lease's holder. */
export interface Election {
  /** New for each process, so that one that starts anew takes no predecessor's Lease for its own. */
  readonly identity: string;
  readonly name: string;
  /** Null: it was not looked at yet. */
  readonly seen: SeenLease | null;
  /** Other processes that were seen to hold it, the last one last. */
  readonly holders: readonly string[];
  /** Null: this process does not hold it. */
  readonly held: HeldLease | null;
}

export interface HeldLease {
  /** When the last renewal that succeeded was *sent*: others count from the moment they see it, which is later. */
  readonly renewedAt: number;
  readonly victory: Victory;
}

/** A write of the Lease that makes, or leaves, this process its holder. */
export type Attempt =
  | { readonly kind: 'Create'; readonly record: LeaseRecord; readonly victory: Victory }
  | {
      readonly kind: 'Update';
      readonly observed: StoredLease;
      readonly record: LeaseRecord;
      readonly victory: Victory;
    };

/** What an attempt is planned by. */
export interface AttemptMoment {
  /** By this process's monotonic clock, in milliseconds. */
  readonly now: number;
  /** RFC 3339, for people who look at the Lease. */
  readonly time: string;
  readonly terms: LeaseTerms;
  readonly advertisedUrl: string | null;
  /** For {@link LeaseRecord.takesShards}; default true. */
  readonly takesShards?: boolean;
  /** For {@link LeaseRecord.reachesDatabase}; default true. */
  readonly reachesDatabase?: boolean;
  /** Absent: what a Lease says of its duration is believed. */
  readonly announced?: AnnouncedDuration;
}

export function openElection(name: string, identity: string): Election {
  return { name, identity, seen: null, holders: [], held: null };
}

/**
 * Takes in what was read of the Lease. Only a change counts: one that reads the same again is as old as it was, however
 * the clocks of the machines stand. A holder that reads that another has the Lease has lost it; one whose Lease is gone
 * makes it anew with its next renewal.
 *
 * @param readAt when the read was answered, by this process's monotonic clock
 */
export function observeLease(election: Election, lease: StoredLease | null, readAt: number): Election {
  const { seen } = election;
  const isLost = lease !== null && lease.record.holder !== election.identity;
  const held = isLost ? null : election.held;
  const isSame = seen !== null && seen.lease?.resourceVersion === lease?.resourceVersion;
  if (isSame) return { ...election, held };
  return { ...election, held, seen: { lease, since: readAt }, holders: holdersWith(election, lease) };
}

/** More than can have held a Lease one after the other while the fence of the first is in force. */
const maximumHolders = 16;

function holdersWith({ holders, identity }: Election, lease: StoredLease | null): readonly string[] {
  const holder = lease?.record.holder ?? null;
  if (holder === null || holder === identity) return holders;
  return [...holders.filter((former) => former !== holder), holder].slice(-maximumHolders);
}

/**
 * What the process writes next: a renewal of what it holds, or a take-over of what is free or has expired; null: nothing.
 * A holder whose deadline is over renews no more: another may have taken over since, and the Lease be gone again.
 */
export function planAttempt(election: Election, moment: AttemptMoment): Attempt | null {
  const { seen, held } = election;
  if (seen === null || isPastDeadline(election, moment.now, moment.terms)) return null;
  const victory = held?.victory ?? victoryOver(election, seen, moment);
  if (victory === null) return null;
  const record = recordOf(election, seen.lease?.record ?? null, moment);
  return seen.lease === null
    ? { kind: 'Create', record, victory }
    : { kind: 'Update', observed: seen.lease, record, victory };
}

/**
 * Takes in that an attempt was written.
 *
 * @param sentAt when it was sent, by this process's monotonic clock
 */
export function afterAttempt(
  election: Election,
  { victory }: Pick<Attempt, 'victory'>,
  { lease, sentAt }: { readonly lease: StoredLease; readonly sentAt: number },
): Election {
  return { ...election, seen: { lease, since: sentAt }, held: { renewedAt: sentAt, victory } };
}

/**
 * From when on the process may try to win the Lease, by its monotonic clock; null: it was not looked at, or the process
 * holds it.
 */
export function opensAt(
  { identity, seen, held }: Election,
  terms: LeaseTerms,
  announced?: AnnouncedDuration,
): number | null {
  if (seen === null || held !== null) return null;
  return isFree(identity, seen)
    ? seen.since
    : seen.since + believedMilliseconds(seen.lease, terms, announced);
}

/** What a holder that gives the Lease away writes; null: it does not hold it. */
export function planRelease({ held, seen, identity }: Election, time: string): StoredLease | null {
  const lease = seen?.lease ?? null;
  if (held === null || lease?.record.holder !== identity) return null;
  return { ...lease, record: { ...lease.record, holder: null, renewTime: time, advertisedUrl: null } };
}

/** Whether a holder has been unable to renew for so long that it has to give up. */
export function isPastDeadline({ held }: Election, now: number, terms: LeaseTerms): boolean {
  return held !== null && now - held.renewedAt >= terms.renewDeadlineMilliseconds;
}

/**
 * Whose fences the winner may take although they are renewed in the database: those of the holder whose Lease it saw
 * expire, and of the holders that it saw before that one. Their deadlines are over. Anyone else may still work: a Lease may
 * have been deleted or emptied by hand under its holder, and a process without Leases holds fences alone. Those have to be
 * given up or to expire first.
 */
export function expiredHolders(
  { holders }: Election,
  { victory }: Pick<Attempt, 'victory'>,
): readonly string[] {
  return victory === 'Expired' ? holders : [];
}

function victoryOver(
  { identity }: Pick<Election, 'identity'>,
  seen: SeenLease,
  { now, terms, announced }: Pick<AttemptMoment, 'now' | 'terms' | 'announced'>,
): Victory | null {
  if (isFree(identity, seen)) return 'Free';
  const unchanged = now - seen.since;
  if (unchanged >= lastingMilliseconds(seen.lease, terms)) return 'Expired';
  return unchanged >= believedMilliseconds(seen.lease, terms, announced) ? 'Overstated' : null;
}

/** A Lease that was won, and the answer lost, is this process's own. */
function isFree(identity: string, { lease }: SeenLease): boolean {
  const holder = lease?.record.holder ?? null;
  return holder === null || holder === identity;
}

/** As long as the configuration lets a Lease last. */
const maximumLastingMilliseconds = 3_600_000;

/**
 * How long a Lease lasts after its last change that was seen: the longer of what it says and of this process's own terms.
 * Its record is for whoever may write Leases to edit; client-go believes it (before, it went by its own duration), and
 * so takes a Lease over that says one second from a holder whose deadline is not over. A holder that is configured for
 * longer is waited for; what no configuration allows is a mistake, which must not keep the scope from everyone for ever.
 */
export function lastingMilliseconds(lease: StoredLease | null, terms: LeaseTerms): number {
  const recorded = Math.min(lease?.record.durationMilliseconds ?? 0, maximumLastingMilliseconds);
  return Math.max(recorded, terms.leaseDurationMilliseconds);
}

/**
 * How long a Lease is waited for: as long as it lasts, but no longer than its holder says of its own Leases, and this
 * process's own terms at least. A holder that announces itself by no Lease is no replica that lives. Where it is one after
 * all, its fences stand: {@link expiredHolders} gives none of them away.
 */
export function believedMilliseconds(
  lease: StoredLease | null,
  terms: LeaseTerms,
  announced?: AnnouncedDuration,
): number {
  const lasting = lastingMilliseconds(lease, terms);
  const holder = lease?.record.holder ?? null;
  if (announced === undefined || holder === null) return lasting;
  return Math.max(Math.min(lasting, announced(holder) ?? 0), terms.leaseDurationMilliseconds);
}

/** The API server takes whole numbers of 32 bits, and nothing is fenced by them: a Lease that says the most is begun anew. */
const mostTransitions = 2 ** 31 - 1;

function transitionsAfter(before: LeaseRecord | null): number {
  if (before === null || before.transitions >= mostTransitions) return 0;
  return before.transitions + 1;
}

function recordOf(
  { identity, held }: Election,
  before: LeaseRecord | null,
  { time, terms, advertisedUrl, takesShards = true, reachesDatabase = true }: AttemptMoment,
): LeaseRecord {
  const isRenewal = held !== null && before !== null;
  return {
    holder: identity,
    durationMilliseconds: terms.leaseDurationMilliseconds,
    acquireTime: isRenewal ? before.acquireTime : time,
    renewTime: time,
    transitions: isRenewal ? before.transitions : transitionsAfter(before),
    advertisedUrl,
    takesShards,
    reachesDatabase,
    version: null,
    settings: null,
  };
}

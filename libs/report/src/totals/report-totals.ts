import type { ReportException, ReportRow } from '../rows/report-row.ts';
import type { Bucket, Period } from '../terms/period.ts';
import { bucketsOf } from '../terms/period.ts';
import { costText, hoursText, type Price } from '../terms/price.ts';
import type { ReplicaSpan } from './replica-time.ts';

/** What was counted of a policy, a namespace, a team or everything. */
export interface Total {
  /** Replicas times milliseconds, where the count is known. */
  replicaMilliseconds: bigint;
  /** While the policy was there and its count is known, be it none. */
  knownMilliseconds: bigint;
  /** While the policy was there and its count is not known. */
  unknownMilliseconds: bigint;
  scalingEvents: number;
}

/** The total of a policy, with the team that it had last. */
export interface PolicyTotal extends Total {
  readonly namespace: string;
  readonly policy: string;
  team: string | null;
}

/** What a bar of the charts stands for. */
export interface BucketTotal extends Bucket {
  replicaMilliseconds: bigint;
  knownMilliseconds: bigint;
  unknownMilliseconds: bigint;
  scaleUps: number;
  scaleDowns: number;
}

/** Which clusters the entries are of, in words. */
export function clustersText({ clusters }: Pick<ReportTotals, 'clusters'>): string {
  return clusters.size === 0 ? 'not known: there are no entries' : [...clusters].join(', ');
}

/** Since when the entries are, RFC 3339 in UTC. */
export function oldestEntryText({ oldestEntry }: Pick<ReportTotals, 'oldestEntry'>): string | null {
  return oldestEntry === null ? null : new Date(oldestEntry).toISOString();
}

/** The sums of a report. */
export class ReportTotals {
  readonly #period: Period;
  readonly total: Total = emptyTotal();
  readonly policies: PolicyTotal[] = [];
  readonly namespaces = new Map<string, Total>();
  /** `null`: policies without the label. */
  readonly teams = new Map<string | null, Total>();
  readonly buckets: readonly BucketTotal[];
  readonly exceptions = new Map<ReportException, number>();
  rows = 0;
  /** Entries of the period whose content retention has deleted or an export left out. */
  entriesWithoutContent = 0;
  /** Of which the entries say that they are, in the order in which they were met: one, unless a ledger was moved. */
  readonly clusters = new Set<string>();
  /** When the oldest entry was made that was read, in milliseconds since 1970: what was before is not known. `null`: none. */
  oldestEntry: number | null = null;

  constructor(period: Period) {
    this.#period = period;
    this.buckets = bucketsOf(period).map((bucket) => ({
      ...bucket,
      ...emptyTime,
      scaleUps: 0,
      scaleDowns: 0,
    }));
  }

  /** Adds a stretch of a policy's time; what of it is outside the period counts nothing. */
  addSpan(policy: PolicyTotal, { from, until, replicas }: ReplicaSpan): void {
    const start = Math.max(from, this.#period.from);
    const end = Math.min(until, this.#period.until);
    if (end <= start) return;
    const count = replicas === null ? null : BigInt(replicas);
    for (const total of this.#totalsOf(policy)) addTime(total, BigInt(end - start), count);
    this.#addToBuckets(start, end, count);
  }

  /** @param at when, in milliseconds since 1970 */
  addRow(row: ReportRow, at: number, policy: PolicyTotal | null): void {
    this.rows += 1;
    if (row.exception !== null)
      this.exceptions.set(row.exception, (this.exceptions.get(row.exception) ?? 0) + 1);
    if (row.kind !== 'ScalingEvent' || policy === null) return;
    for (const total of this.#totalsOf(policy)) total.scalingEvents += 1;
    const bucket = this.buckets[this.#bucketAt(at)];
    if (bucket === undefined) return;
    if (row.action === 'ScaleUp') bucket.scaleUps += 1;
    else bucket.scaleDowns += 1;
  }

  #totalsOf(policy: PolicyTotal): readonly Total[] {
    return [this.total, policy, totalIn(this.namespaces, policy.namespace), totalIn(this.teams, policy.team)];
  }

  #addToBuckets(start: number, end: number, replicas: bigint | null): void {
    for (let index = this.#bucketAt(start); index < this.buckets.length; index += 1) {
      const bucket = this.buckets[index];
      if (bucket === undefined || bucket.from >= end) return;
      const milliseconds = Math.min(end, bucket.until) - Math.max(start, bucket.from);
      addTime(bucket, BigInt(milliseconds), replicas);
    }
  }

  /** The first bucket that has not ended at a time. */
  #bucketAt(time: number): number {
    let [low, high] = [0, this.buckets.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.buckets[middle]?.until ?? Infinity) > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Nothing counted yet. */
export function emptyTotal(): Total {
  return { ...emptyTime, scalingEvents: 0 };
}

const emptyTime = { replicaMilliseconds: 0n, knownMilliseconds: 0n, unknownMilliseconds: 0n };

type CountedTime = Pick<Total, 'replicaMilliseconds' | 'knownMilliseconds' | 'unknownMilliseconds'>;

/** @param replicas null: not known */
function addTime(total: CountedTime, milliseconds: bigint, replicas: bigint | null): void {
  if (replicas === null) {
    total.unknownMilliseconds += milliseconds;
    return;
  }
  total.knownMilliseconds += milliseconds;
  total.replicaMilliseconds += milliseconds * replicas;
}

/** Replica-hours; null: policies were there, and at no time is it known with how many replicas. */
export function knownHoursText(total: CountedTime): string | null {
  return isUnknown(total) ? null : hoursText(total.replicaMilliseconds);
}

/** What they cost; null likewise. */
export function knownCostText(total: CountedTime, price: Price): string | null {
  return isUnknown(total) ? null : costText(total.replicaMilliseconds, price);
}

function isUnknown({ knownMilliseconds, unknownMilliseconds }: CountedTime): boolean {
  return knownMilliseconds === 0n && unknownMilliseconds > 0n;
}

function totalIn<K>(totals: Map<K, Total>, key: K): Total {
  const found = totals.get(key);
  if (found !== undefined) return found;
  const total = emptyTotal();
  totals.set(key, total);
  return total;
}

import { administrationScope, shardScope } from '#ledger';
import type { ElectedScope } from './elected-scope.ts';

/** Who holds a scope, as its Lease says. */
export interface LeaseHolder {
  readonly scope: string;
  /** A replica that lives; null: none does. */
  readonly holder: string | null;
  /** When it won the Lease, RFC 3339, by its own clock. */
  readonly since: string | null;
}

/** Who holds what, as the Leases say. */
export interface LeaseHolders {
  readonly holders: readonly LeaseHolder[];
  /** When they were last read, by the clock of elections; null: they were not. */
  readonly lookedAt: number | null;
}

type SeenLease = Pick<ElectedScope, 'lease' | 'opening'>;

/** What the Leases say of the leader's scopes, and of each shard; of no leader before there is any to compete for. */
export function leaseHoldersOf(
  leader: SeenLease | null,
  shards: readonly SeenLease[],
): readonly LeaseHolder[] {
  const ofShards = shards.map((each, shard) => holderOf(shardScope(shard), each));
  return leader === null ? ofShards : [holderOf(administrationScope, leader), ...ofShards];
}

/** Not by the Leases of the replicas themselves: they renew none while the database is away, and hold what they hold. */
function holderOf(scope: string, { lease, opening }: SeenLease): LeaseHolder {
  const { holder = null, acquireTime = null } = lease?.record ?? {};
  const isHeld = holder !== null && !opening.isNow;
  return { scope, holder: isHeld ? holder : null, since: isHeld ? acquireTime : null };
}

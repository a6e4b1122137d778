import { randomUUID } from 'node:crypto';
import type { Configuration } from '#configuration';
import type { LeasePort, LeaseTerms } from '#coordination';
import type { Cluster } from '../../cluster/open-cluster.ts';
import { ownVersion } from '../../configuration/own-version.ts';
import { FormerProcessGuard } from '../leases/former-process-guard.ts';
import { LeaseRights, type LeaseRightsOptions } from '../leases/lease-rights.ts';
import { systemElectionClock } from '../leases/system-election-clock.ts';
import { ElectedHoldings, type ElectedHoldingsOptions } from './elected-holdings.ts';

/** What a replica competes with. */
export type ElectedHoldingsParts = Pick<
  ElectedHoldingsOptions,
  'fences' | 'logger' | 'wasFenced' | 'losses' | 'settings'
> & {
  readonly configuration: Pick<Configuration, 'coordination'>;
  readonly cluster: Pick<Cluster, 'kubernetes'>;
  /** What this process may not do with Leases; null: it may use them, as far as is known. */
  readonly leasesForbidden: string | null;
};

/** What this process holds as one of several replicas; null: it carries all policies out, or waits until another ends. */
export function createElectedHoldings({
  configuration: { coordination },
  cluster,
  leasesForbidden,
  ...parts
}: ElectedHoldingsParts): ElectedHoldings | null {
  if (coordination === undefined || leasesForbidden !== null) return null;
  const { name: prefix } = coordination;
  const shared = { identity: randomUUID(), leases: leasesOf(coordination, cluster), logger: parts.logger };
  const replicaPrefix = `${prefix}-replica-`;
  return new ElectedHoldings({
    ...parts,
    ...shared,
    fences: new FormerProcessGuard({ ...shared, fences: parts.fences, replicaPrefix }),
    prefix,
    terms: termsOf(coordination),
    advertisedUrl: coordination.advertisedUrl,
    version: ownVersion(),
    clock: systemElectionClock,
  });
}

/** Null: Leases are not configured. */
export function createLeaseRights({
  configuration: { coordination },
  cluster,
  ...parts
}: Pick<ElectedHoldingsParts, 'configuration' | 'cluster'> &
  Pick<LeaseRightsOptions, 'clock' | 'logger'>): LeaseRights | null {
  if (coordination === undefined) return null;
  const { namespace, name: prefix } = coordination;
  const lookMilliseconds = leasesPerLook * termsOf(coordination).leaseDurationMilliseconds;
  const leases = leasesOf(coordination, cluster);
  return new LeaseRights({ ...parts, namespace, prefix, leases, lookMilliseconds });
}

/** Half a minute by default: within about as long a Role that is given takes effect. */
const leasesPerLook = 2;

type Coordination = NonNullable<Configuration['coordination']>;

/** How long Leases last, as they are configured. */
export function termsOf(coordination: Coordination): LeaseTerms {
  return {
    leaseDurationMilliseconds: coordination.leaseDurationSeconds * 1_000,
    renewDeadlineMilliseconds: coordination.renewDeadlineSeconds * 1_000,
    retryPeriodMilliseconds: coordination.retryPeriodSeconds * 1_000,
  };
}

function leasesOf(coordination: Coordination, { kubernetes }: Pick<Cluster, 'kubernetes'>): LeasePort {
  const { namespace, name: prefix } = coordination;
  // One call that hangs leaves time for another before the deadline.
  const timeoutMilliseconds = termsOf(coordination).renewDeadlineMilliseconds / 2;
  return kubernetes.leasesOf({ namespace, prefix, timeoutMilliseconds });
}

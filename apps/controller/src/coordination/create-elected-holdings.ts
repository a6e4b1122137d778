import { randomUUID } from 'node:crypto';
import type { Configuration } from '#configuration';
import type { Cluster } from '../cluster/open-cluster.ts';
import { ElectedHoldings, type ElectedHoldingsOptions, systemElectionClock } from './elected-holdings.ts';

/** What a replica competes with. */
export type ElectedHoldingsParts = Pick<ElectedHoldingsOptions, 'fences' | 'logger' | 'wasFenced'> & {
  readonly configuration: Pick<Configuration, 'coordination'>;
  readonly cluster: Pick<Cluster, 'kubernetes'>;
};

/** What this process holds as one of several replicas; null: it carries all policies out, or waits until another ends. */
export function createElectedHoldings({
  configuration: { coordination },
  cluster,
  ...parts
}: ElectedHoldingsParts): ElectedHoldings | null {
  if (coordination === undefined) return null;
  const { namespace, name: prefix, advertisedUrl } = coordination;
  const terms = {
    leaseDurationMilliseconds: coordination.leaseDurationSeconds * 1_000,
    renewDeadlineMilliseconds: coordination.renewDeadlineSeconds * 1_000,
    retryPeriodMilliseconds: coordination.retryPeriodSeconds * 1_000,
  };
  // One call that hangs leaves time for another before the deadline.
  const timeoutMilliseconds = terms.renewDeadlineMilliseconds / 2;
  return new ElectedHoldings({
    ...parts,
    identity: randomUUID(),
    prefix,
    leases: cluster.kubernetes.leasesOf({ namespace, prefix, timeoutMilliseconds }),
    terms,
    advertisedUrl,
    clock: systemElectionClock,
  });
}

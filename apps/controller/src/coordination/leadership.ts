import type { Configuration } from '#configuration';
import { administrationScope } from '#ledger';
import type { SeenHolder } from '#reconciliation';
import { portToken } from '../provider.ts';
import { ElectedHoldings } from './elected-holdings.ts';
import type { Holdings } from './holdings.ts';

/**
 * `OneProcess`: one process does everything, others wait for it to end. `Replicas`: all of them carry policies out, and
 * one of them, the leader, syncs the sources and takes what people ask for.
 */
export type ProcessMode = 'OneProcess' | 'Replicas';

/** Which process is the leader, as far as this one knows. */
export interface Leadership {
  readonly mode: ProcessMode;
  /** Why one process does everything, in a phrase; null: replicas share the work. */
  readonly reason: string | null;
  /** Whether this process is the leader. */
  readonly isLeader: () => boolean;
  /** Where the leader answers, when that is another process that can be reached; null: none is known. */
  readonly leaderUrl: () => string | null;
  /** The replicas that are known to live; of one process that one, where it is this. */
  readonly replicas: () => readonly KnownReplica[];
  /** Which of several replicas carries out a shard's policies; null: none that lives is known to. */
  readonly shardHolder: (shard: number) => SeenHolder | null;
}

/** A replica that lives. */
export interface KnownReplica {
  /** New per process. */
  readonly id: string;
  /** Where the others reach it; null: it does not say. */
  readonly url: string | null;
  readonly isThis: boolean;
}

export const leadershipToken = portToken<Leadership>('Leadership');

/** What the holdings of this process say of the leader. */
export function leadershipOf(holdings: Holdings, known: KnownOfStart): Leadership {
  const isLeader = (): boolean => holdings.isLeader;
  if (holdings instanceof ElectedHoldings) {
    return {
      mode: 'Replicas',
      reason: null,
      isLeader,
      leaderUrl: () => holdings.leaderUrl,
      replicas: () =>
        holdings.replicas.map(({ identity: id, advertisedUrl: url }) => ({
          id,
          url,
          isThis: id === holdings.identity,
        })),
      shardHolder: (shard) => holdings.shardHolder(shard),
    };
  }
  return {
    mode: 'OneProcess',
    reason: reasonOf(known),
    isLeader,
    leaderUrl: () => null,
    replicas: () =>
      holdings.holds(administrationScope)
        ? [{ id: holdings.of(administrationScope).holder, url: null, isThis: true }]
        : [],
    shardHolder: () => null,
  };
}

/** As client-go has it, for those that are told nothing else. */
const defaultLeaseSeconds = 15;

/** How long a replica may be silent before another takes over from it. */
export function leaseMillisecondsOf({ coordination }: Pick<Configuration, 'coordination'>): number {
  return (coordination?.leaseDurationSeconds ?? defaultLeaseSeconds) * 1_000;
}

/** What a process was started with. */
interface KnownOfStart {
  readonly configuration: Pick<Configuration, 'database'>;
  /** What it may not do with Leases; null: it may, or they are not configured. */
  readonly leasesForbidden: string | null;
}

function reasonOf({ configuration, leasesForbidden }: KnownOfStart): string {
  if (leasesForbidden !== null) return leasesForbidden;
  const isFile = configuration.database.url.startsWith('sqlite:');
  return isFile ? 'the database is SQLite' : 'replicas are not configured';
}

import type { Configuration } from '#configuration';
import { administrationScope, shardScope } from '#ledger';
import type { ControllerMode } from '#reconciliation';
import { ownVersion } from '../../configuration/own-version.ts';
import { portToken } from '../../provider.ts';
import { ElectedHoldings } from '../election/elected-holdings.ts';
import type { LeaseHolder } from '../election/lease-holders.ts';
import type { Holdings } from '../holdings/holdings.ts';
import { modeSaid } from '../leases/shared-settings.ts';
import { systemElectionClock } from '../leases/system-election-clock.ts';

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
  /**
   * Where the leader answers, when that is another process that can be reached; null: none is known. Rejects with an
   * AdapterError where the database does not answer.
   */
  readonly leaderUrl: () => Promise<string | null>;
  /** The replicas that are known to live; of one process that one, where it is this. */
  readonly replicas: () => readonly KnownReplica[];
  /** Whether this replica takes its share of the shards; true of a process that works alone. */
  readonly takesShards: () => boolean;
  /** What the Leases say of who holds what; null: there are none. */
  readonly leaseHolders: () => KnownHolders | null;
  /** The `mode` of the replica that holds a shard, as its Lease says; null: that is not known, or there are none. */
  readonly modeOfHolder: (shard: number) => ControllerMode | null;
  /** For how long this replica has carried out a shard's policies; null: it does not, or replicas do not share them. */
  readonly carriedOutMilliseconds: (shard: number) => number | null;
}

/** A replica that lives. */
export interface KnownReplica {
  /** New per process. */
  readonly id: string;
  /** Where the others reach it; null: it does not say. */
  readonly url: string | null;
  readonly isThis: boolean;
  /** Whether it takes its share of the shards: not where it could not begin, or keep, its own. */
  readonly takesShards: boolean;
  /** Its release; null: it does not say. */
  readonly version: string | null;
  /** When it said first that it lives, RFC 3339, by its own clock; null: it does not say. */
  readonly since: string | null;
  /** When it was seen last to say so, RFC 3339, by the clock of this process; null: replicas do not share the work. */
  readonly seenAt: string | null;
}

/** Who holds what, as far as this process knows without the database. */
export interface KnownHolders {
  readonly holders: readonly LeaseHolder[];
  /** When that was so, RFC 3339. */
  readonly asOf: string;
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
      leaderUrl: () => holdings.leaderUrl(),
      replicas: () =>
        holdings.replicas.map(({ identity: id, advertisedUrl: url, seenAt, takesShards, version, since }) => {
          const isThis = id === holdings.identity;
          return { id, url, isThis, takesShards, version, since, seenAt: timeOf(seenAt) };
        }),
      takesShards: () => holdings.takesShards,
      leaseHolders: () => {
        const { holders, lookedAt } = holdings.leaseHolders;
        return lookedAt === null ? null : { holders, asOf: timeOf(lookedAt) };
      },
      modeOfHolder: (shard) => {
        const held = holdings.leaseHolders.holders.find(({ scope }) => scope === shardScope(shard));
        const holder = holdings.replicas.find(({ identity }) => identity === held?.holder);
        return modeSaid(holder?.settings ?? null);
      },
      carriedOutMilliseconds: (shard) => holdings.carriedOutMilliseconds(shard),
    };
  }
  const ofThis = {
    url: null,
    isThis: true,
    takesShards: true,
    version: ownVersion(),
    since: null,
    seenAt: null,
  };
  return {
    mode: 'OneProcess',
    reason: reasonOf(known),
    isLeader,
    leaderUrl: () => Promise.resolve(null),
    replicas: () =>
      holdings.holds(administrationScope) ? [{ ...ofThis, id: holdings.of(administrationScope).holder }] : [],
    takesShards: () => true,
    leaseHolders: () => null,
    modeOfHolder: () => null,
    carriedOutMilliseconds: () => null,
  };
}

/** A moment of the clock of elections, RFC 3339. */
function timeOf(moment: number): string {
  const age = systemElectionClock.elapsed() - moment;
  return new Date(Date.parse(systemElectionClock.now()) - age).toISOString();
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

import { setTimeout as delay } from 'node:timers/promises';
import type { Replica } from './make-replica.ts';

/** What happens to a replica. */
export interface ReplicaFault {
  readonly name: string;
  /**
   * Where there are no Leases, it holds its scopes and sees no cluster, so that the others cannot go on before it ends.
   */
  readonly isBlind?: boolean;
  /** For how long more than after a kill the others may wait, in seconds, and why. */
  readonly extraSeconds?: number;
  readonly begin: (replica: Replica) => unknown;
  readonly end: (replica: Replica) => unknown;
}

const lateMilliseconds = 300;

const nothing = (): undefined => undefined;

/** What may happen to any replica at any time. */
export const replicaFaults: readonly ReplicaFault[] = [
  { name: 'is killed', begin: (replica) => replica.process().kill(), end: (replica) => replica.start() },
  { name: 'ends', begin: (replica) => replica.process().stop(), end: (replica) => replica.start() },
  ...[60, -60].map((seconds) => ({
    name: `starts anew with a clock that is off by ${seconds} s`,
    begin: (replica: Replica) => replica.process().kill(),
    end: (replica: Replica) => replica.start(seconds),
  })),
  ...[60, -60].map((seconds) => ({
    name: `has its clock set ${seconds > 0 ? 'forward' : 'back'} by a minute while it runs, and set right again`,
    begin: (replica: Replica) => replica.setClock(seconds),
    end: (replica: Replica) => replica.setClock(0),
  })),
  {
    name: 'stands still',
    begin: (replica) => process.kill(replica.process().pid, 'SIGSTOP'),
    end: (replica) => process.kill(replica.process().pid, 'SIGCONT'),
  },
  {
    name: 'stands still for 20 seconds',
    begin: async (replica: Replica): Promise<void> => {
      process.kill(replica.process().pid, 'SIGSTOP');
      await delay(20_000);
    },
    end: (replica) => process.kill(replica.process().pid, 'SIGCONT'),
  },
  {
    name: 'hears nothing from the database',
    // It goes on for its deadline and five seconds more, and then its fences expire.
    extraSeconds: 25,
    begin: ({ database }) => database.hang(),
    end: revivedAfter(({ database }) => database.open()),
  },
  {
    name: 'hears late from the database',
    begin: ({ database }) => database.deliverLate(lateMilliseconds),
    end: revivedAfter(({ database }) => database.open()),
  },
  {
    name: 'loses its connections to the database',
    begin: ({ database }) => database.cut(),
    end: nothing,
  },
  {
    name: 'hears nothing from the API server',
    isBlind: true,
    begin: ({ cluster }) => cluster.hang(),
    end: revivedAfter(({ cluster }) => {
      cluster.open();
      cluster.cut();
    }),
  },
  {
    name: 'hears late from the API server',
    begin: ({ cluster }) => cluster.deliverLate(lateMilliseconds),
    end: revivedAfter(({ cluster }) => cluster.open()),
  },
  {
    name: 'loses its connections to the API server',
    begin: ({ cluster }) => cluster.cut(),
    end: nothing,
  },
];

/** A process that lost what it held while it reached nothing may have ended. */
function revivedAfter(end: (replica: Replica) => void): ReplicaFault['end'] {
  return (replica) => {
    end(replica);
    return replica.revive();
  };
}

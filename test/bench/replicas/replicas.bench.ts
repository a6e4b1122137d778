import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, type BenchOptions, type BenchResult, countOf } from '../bench.ts';
import { type ProcessUsage, usageOf } from '../sweep/process-usage.ts';
import { type DatabaseWork, passesOf, type Replica, ReplicaFleet } from './replica-fleet.ts';

const defaults = { policies: 1_000, sweeps: 4 };
const sweepSeconds = 15;
/** What a start leaves is collected, and open runs are folded. */
const calmMilliseconds = 30_000;
const replicaCounts = [1, 2, 4];

/** What replicas cost that share the policies of one fleet, beside one controller alone. */
export const replicasBench: Bench = {
  description:
    'one, two and four controllers that share the policies by Leases, on one PostgreSQL against one simulated cluster, ' +
    'nothing changing (--policies N, --sweeps N, --replicas COUNT for one of them)',
  run: measure,
};

async function* measure({ policies, sweeps, replicas }: BenchOptions): AsyncIterable<BenchResult> {
  const seconds = countOf(sweeps, defaults.sweeps) * sweepSeconds;
  const counts = replicas === undefined ? replicaCounts : [countOf(replicas, 1)];
  const fleet = await ReplicaFleet.start(countOf(policies, defaults.policies), 'Shared');
  try {
    for (const count of counts) {
      while (fleet.replicas.length < count) await fleet.add();
      await sleep(calmMilliseconds);
      const before = await look(fleet);
      await sleep(seconds * 1_000);
      const after = await look(fleet);
      yield* compare(fleet, { count, before, after });
    }
  } finally {
    await fleet.stop();
  }
}

interface ReplicaLook {
  readonly replica: Replica;
  readonly usage: ProcessUsage;
  readonly passes: number;
}

interface Look {
  readonly at: number;
  readonly replicas: readonly ReplicaLook[];
  readonly database: DatabaseWork;
  readonly reads: number;
  readonly writes: number;
}

async function look(fleet: ReplicaFleet): Promise<Look> {
  const database = await fleet.databaseWork();
  const { reads, writes } = await fleet.cluster.ask({ kind: 'Count' });
  const replicas = fleet.replicas.map(async (replica) => ({
    replica,
    usage: await usageOf(replica.process.pid),
    passes: await passesOf(replica),
  }));
  return { at: performance.now(), replicas: await Promise.all(replicas), database, reads, writes };
}

function* compare(
  { policies }: ReplicaFleet,
  { count, before, after }: { readonly count: number; readonly before: Look; readonly after: Look },
): Generator<BenchResult> {
  const seconds = (after.at - before.at) / 1_000;
  const perSecond = (read: (look: Look) => number): number => round((read(after) - read(before)) / seconds);
  const title = count === 1 ? 'one controller' : `${count} controllers`;
  for (const [index, { replica, usage, passes }] of after.replicas.entries()) {
    const first = before.replicas[index];
    if (first === undefined) continue;
    yield {
      case: `${title}: ${replica.name}`,
      policies,
      passesPerSecond: round((passes - first.passes) / seconds),
      cpuSecondsPerSweep: round(((usage.cpuSeconds - first.usage.cpuSeconds) / seconds) * sweepSeconds),
      waitedSecondsPerSweep: round(
        ((usage.waitedSeconds - first.usage.waitedSeconds) / seconds) * sweepSeconds,
      ),
      residentMegabytes: Math.round(usage.residentBytes / 1024 ** 2),
    };
  }
  yield {
    case: `${title}: together`,
    policies,
    apiReadsPerSecond: perSecond(({ reads }) => reads),
    apiWritesPerSecond: perSecond(({ writes }) => writes),
    transactionsPerSecond: perSecond(({ database }) => database.transactions),
    rowsWrittenPerSecond: perSecond(({ database }) => database.rowsWritten),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

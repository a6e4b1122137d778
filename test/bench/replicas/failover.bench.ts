import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, type BenchOptions, type BenchResult, countOf } from '../bench.ts';
import { usageOf } from '../sweep/process-usage.ts';
import { type Replica, ReplicaFleet, until } from './replica-fleet.ts';

const defaultPolicies = 1_000;
/** What a start leaves is collected, and open runs are folded. */
const calmMilliseconds = 30_000;
/** Of a policy's interval of 15 s: the times of first passes are read before second ones replace them. */
const readingMilliseconds = 5_000;
const takeOverMilliseconds = 250;
const pageSize = 100;

/** How long policies are without a controller when the one that carries them out is killed. */
export const failoverBench: Bench = {
  description:
    'SIGKILL of the active of two controllers on one PostgreSQL, to the first pass of each policy by the other, ' +
    'interval 15 s, simulated cluster (--policies N)',
  run: measure,
};

async function* measure({ policies }: BenchOptions): AsyncIterable<BenchResult> {
  const fleet = await ReplicaFleet.start(countOf(policies, defaultPolicies));
  try {
    const active = await fleet.add();
    const standby = await fleet.add();
    await sleep(calmMilliseconds);
    const before = await usageOf(standby.process.pid);
    const killedAt = Date.now();
    await fleet.kill(active);
    const takenAt = await whenTaken(fleet);
    await until(() => Promise.resolve(servingSince(standby) !== undefined));
    const servingAt = servingSince(standby) ?? Number.NaN;
    const passes = await firstPasses(standby, { policies: fleet.policies, after: killedAt });
    const after = await usageOf(standby.process.pid);
    const seconds = passes.map((time) => (time - killedAt) / 1_000).toSorted((a, b) => a - b);
    const at = (share: number): number => round(seconds[Math.ceil(seconds.length * share) - 1] ?? Number.NaN);
    yield {
      case: 'SIGKILL',
      policies: fleet.policies,
      scopesTakenSeconds: round((takenAt - killedAt) / 1_000),
      restoredSeconds: round((servingAt - takenAt) / 1_000),
      firstPassP50Seconds: at(0.5),
      firstPassP99Seconds: at(0.99),
      firstPassLastSeconds: at(1),
      cpuSeconds: round(after.cpuSeconds - before.cpuSeconds),
      waitedSeconds: round(after.waitedSeconds - before.waitedSeconds),
      residentMegabytes: Math.round(after.residentBytes / 1024 ** 2),
    };
  } finally {
    await fleet.stop();
  }
}

/** When it began to carry policies out, in milliseconds since 1970; undefined: it does not. */
function servingSince({ process: { log } }: Replica): number | undefined {
  const entry = log.find(({ msg }) => msg === 'carrying out policies');
  return entry === undefined ? undefined : new Date(entry['time'] as string | number).getTime();
}

interface Scope {
  readonly holder: string | null;
  /** Milliseconds since 1970: of the taking, until it is renewed for the first time. */
  readonly renewed: string | null;
}

/** When the last scope was taken that its holder lost, by the clock of the database, which is this machine's. */
async function whenTaken({ database }: ReplicaFleet): Promise<number> {
  const scopes = async (): Promise<readonly Scope[]> => {
    const { rows } = await database.query<Scope>('SELECT holder, renewed_at AS renewed FROM ledger_epoch');
    return rows;
  };
  const before = new Set((await scopes()).map(({ holder }) => holder));
  for (;;) {
    const now = await scopes();
    const isTaken = now.every(({ holder }) => holder !== null && !before.has(holder));
    if (isTaken) return Math.max(...now.map(({ renewed }) => Number(renewed)));
    await sleep(takeOverMilliseconds);
  }
}

/** When the first pass of each policy since a moment ended, in milliseconds since 1970. */
async function firstPasses(
  replica: Replica,
  { policies, after }: { readonly policies: number; readonly after: number },
): Promise<readonly number[]> {
  const first = new Map<string, number>();
  await until(async () => {
    for (const { key, time } of await latestPasses(replica))
      if (time > after && !first.has(key)) first.set(key, time);
    const isComplete = first.size >= policies;
    if (!isComplete) await sleep(readingMilliseconds);
    return isComplete;
  });
  return [...first.values()];
}

interface Page {
  readonly policies: {
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly edges: readonly {
      readonly node: {
        readonly namespace: string;
        readonly name: string;
        readonly status: { readonly time: string } | null;
      };
    }[];
  };
}

const pageQuery = `query ($after: String) { policies(first: ${pageSize}, after: $after) {
  pageInfo { hasNextPage endCursor } edges { node { namespace name status { time } } }
} }`;

async function latestPasses({
  process,
}: Replica): Promise<readonly { readonly key: string; readonly time: number }[]> {
  const found: { readonly key: string; readonly time: number }[] = [];
  for (let after: string | null = null; ;) {
    const { policies }: Page = await process.query<Page>(pageQuery, { after });
    for (const { node } of policies.edges) {
      if (node.status !== null)
        found.push({ key: `${node.namespace}/${node.name}`, time: Date.parse(node.status.time) });
    }
    if (!policies.pageInfo.hasNextPage) return found;
    after = policies.pageInfo.endCursor;
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

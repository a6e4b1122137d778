import { setTimeout as sleep } from 'node:timers/promises';
import { defaultShardCount, shardOf } from '#coordination';
import { type NamespacedName, namespacedName } from '#kernel';
import { shardScope } from '#ledger';
import type { LogEntry } from '../../e2e/support/controller-process.ts';
import { type Bench, type BenchOptions, type BenchResult, countOf } from '../bench.ts';
import { type ProcessUsage, usageOf } from '../sweep/process-usage.ts';
import { type Replica, ReplicaFleet, until } from './replica-fleet.ts';

const defaultPolicies = 1_000;
/** What a start leaves is collected, and open runs are folded. */
const calmMilliseconds = 30_000;
/**
 * Of a policy's interval of 15 s: the times of first passes are read before second ones replace them, and, since the
 * controller has to answer, not while it makes them.
 */
const readingMilliseconds = 5_000;
const usageMilliseconds = 100;
const takeOverMilliseconds = 100;
const pageSize = 100;

/** How long policies are without a controller when the one that carries them out is killed, or ends. */
export const failoverBench: Bench = {
  description:
    'one of two controllers on one PostgreSQL ends, to the first pass of each of its policies by the other: SIGKILL of ' +
    'the active one without Leases, SIGKILL and SIGTERM of one of two that share the policies by Leases of 15 s; ' +
    'interval 15 s, simulated cluster (--policies N, --cases standby or shared)',
  run: measure,
};

async function* measure({ policies, cases }: BenchOptions): AsyncIterable<BenchResult> {
  const count = countOf(policies, defaultPolicies);
  if (cases !== 'shared') yield* measureStandby(count);
  if (cases !== 'standby') yield* measureShared(count);
}

async function* measureStandby(policies: number): AsyncIterable<BenchResult> {
  const fleet = await ReplicaFleet.start(policies, 'Standby');
  try {
    const active = await fleet.add();
    const standby = await fleet.add();
    await sleep(calmMilliseconds);
    const measured = await measureEnd(fleet, { survivor: standby, end: () => fleet.kill(active) });
    const servingAt = servingSince(standby) ?? Number.NaN;
    const restoredSeconds = round((servingAt - measured.takenAt) / 1_000);
    yield { case: 'SIGKILL, without Leases', policies, restoredSeconds, ...measured.result };
  } finally {
    await fleet.stop();
  }
}

async function* measureShared(policies: number): AsyncIterable<BenchResult> {
  const fleet = await ReplicaFleet.start(policies, 'Shared');
  try {
    const killed = await fleet.add();
    const survivor = await fleet.add();
    await sleep(calmMilliseconds);
    const killing = await measureEnd(fleet, { survivor, end: () => fleet.kill(killed) });
    yield { case: 'SIGKILL, shared by Leases', policies, ...killing.result };
    const next = await fleet.add();
    await sleep(calmMilliseconds);
    const ending = await measureEnd(fleet, { survivor: next, end: () => fleet.end(survivor) });
    yield {
      case: 'SIGTERM, shared by Leases',
      policies,
      gaveUpSeconds: gaveUpIn(survivor),
      ...ending.result,
    };
  } finally {
    await fleet.stop();
  }
}

/** What came after the end of the other controller, which is measured from when it begins. */
async function measureEnd(
  fleet: ReplicaFleet,
  { survivor, end }: { readonly survivor: Replica; readonly end: () => Promise<void> },
): Promise<{ readonly takenAt: number; readonly result: Omit<BenchResult, 'case'> }> {
  const followed = await followUsage(survivor);
  const left = await holdersOf(fleet);
  const endedAt = Date.now();
  const ended = end();
  const takenAt = await whenTaken(fleet, left);
  await until(() => Promise.resolve(servingSince(survivor) !== undefined));
  const holders = await holdersOf(fleet);
  const isTaken = (policy: NamespacedName): boolean => {
    const scope = shardScope(shardOf(policy, defaultShardCount));
    return holders.get(scope) !== left.get(scope);
  };
  const passes = await firstPasses(survivor, { policies: fleet.policies, after: endedAt, isTaken });
  await ended;
  const usageAt = followed.end();
  const [before, taken, last] = [usageAt(endedAt), usageAt(takenAt), usageAt(Math.max(...passes))];
  const seconds = passes.map((time) => (time - endedAt) / 1_000).toSorted((a, b) => a - b);
  const at = (share: number): number => round(seconds[Math.ceil(seconds.length * share) - 1] ?? Number.NaN);
  const restoredIn = restoresOf(survivor, endedAt);
  const result = {
    ...(restoredIn.length > 0 && { restoredSeconds: round(Math.max(...restoredIn) / 1_000) }),
    takenOver: passes.length,
    scopesTakenSeconds: round((takenAt - endedAt) / 1_000),
    firstPassP50Seconds: at(0.5),
    firstPassP99Seconds: at(0.99),
    firstPassLastSeconds: at(1),
    cpuSeconds: round(last.cpuSeconds - before.cpuSeconds),
    takeOverCpuSeconds: round(last.cpuSeconds - taken.cpuSeconds),
    waitedSeconds: round(last.waitedSeconds - before.waitedSeconds),
    residentMegabytes: Math.round(last.residentBytes / 1024 ** 2),
  };
  return { takenAt, result };
}

/** What a process has used, looked at again and again, which costs that process nothing. */
interface FollowedUsage {
  /** Looks no more. @returns what it had used at a time in milliseconds since 1970, or at the first look after it */
  readonly end: () => (time: number) => ProcessUsage;
}

async function followUsage({ process }: Replica): Promise<FollowedUsage> {
  const looks: { readonly at: number; readonly usage: ProcessUsage }[] = [];
  const look = async (): Promise<void> => {
    const usage = await usageOf(process.pid);
    looks.push({ at: Date.now(), usage });
  };
  await look();
  // Of one that has ended nothing is told; why the bench fails then is said elsewhere.
  const timer = setInterval(() => void look().catch(() => clearInterval(timer)), usageMilliseconds).unref();
  return {
    end: () => {
      clearInterval(timer);
      return (time) => {
        const found = looks.find(({ at }) => at >= time) ?? looks.at(-1);
        if (found === undefined) throw new Error('its usage was not looked at');
        return found.usage;
      };
    },
  };
}

/** From the signal to the last scope that it gave up, by its own log, in seconds. */
function gaveUpIn({ process: { log } }: Replica): number {
  const timeOf = (entry: LogEntry | undefined): number =>
    new Date(entry?.['time'] as string | number).getTime();
  const ending = log.find(({ signal }) => signal === 'SIGTERM');
  const last = log.findLast(({ msg }) => msg === 'gave a scope up');
  return round((timeOf(last) - timeOf(ending)) / 1_000);
}

/** How long each shard that it has taken since a moment was restored, in milliseconds; empty: without Leases. */
function restoresOf({ process: { log } }: Replica, since: number): readonly number[] {
  return log
    .filter(({ msg, lease }) => msg === 'began a scope' && String(lease).includes('-shard-'))
    .filter(({ time }) => new Date(time as string | number).getTime() > since)
    .map(({ milliseconds }) => Number(milliseconds));
}

/** When it began to carry policies out, in milliseconds since 1970; undefined: it does not. */
function servingSince({ process: { log } }: Replica): number | undefined {
  const entry = log.find(({ msg }) => msg === 'carrying out policies');
  return entry === undefined ? undefined : new Date(entry['time'] as string | number).getTime();
}

/** The holders of all scopes. */
async function holdersOf({ database }: ReplicaFleet): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await database.query<{ readonly scope: string; readonly holder: string | null }>(
    'SELECT scope, holder FROM ledger_epoch',
  );
  return new Map(rows.map(({ scope, holder }) => [scope, holder]));
}

/** When one controller had all scopes, and not as they were left. */
async function whenTaken(fleet: ReplicaFleet, left: ReadonlyMap<string, string | null>): Promise<number> {
  for (;;) {
    const holders = await holdersOf(fleet);
    const [holder, ...others] = new Set(holders.values());
    const isOther = [...holders].some(([scope]) => left.get(scope) !== holder);
    if (typeof holder === 'string' && others.length === 0 && isOther) return Date.now();
    await sleep(takeOverMilliseconds);
  }
}

interface PassSelection {
  readonly policies: number;
  /** Milliseconds since 1970. */
  readonly after: number;
  readonly isTaken: (policy: NamespacedName) => boolean;
}

/** When the first pass since a moment ended of each policy that was taken over, in milliseconds since 1970. */
async function firstPasses(
  replica: Replica,
  { policies, after, isTaken }: PassSelection,
): Promise<readonly number[]> {
  const first = new Map<string, number>();
  await until(async () => {
    await sleep(readingMilliseconds);
    const latest = await latestPasses(replica);
    const taken = latest.filter(({ policy }) => isTaken(policy));
    for (const { policy, time } of taken) {
      const key = namespacedName(policy);
      if (time > after && !first.has(key)) first.set(key, time);
    }
    return latest.length === policies && first.size === taken.length;
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

interface LatestPass {
  readonly policy: NamespacedName;
  /** Milliseconds since 1970. */
  readonly time: number;
}

async function latestPasses({ process }: Replica): Promise<readonly LatestPass[]> {
  const found: LatestPass[] = [];
  for (let after: string | null = null; ;) {
    const { policies }: Page = await process.query<Page>(pageQuery, { after });
    for (const { node } of policies.edges)
      if (node.status !== null) found.push({ policy: node, time: Date.parse(node.status.time) });

    if (!policies.pageInfo.hasNextPage) return found;
    after = policies.pageInfo.endCursor;
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntry } from '../../e2e/support/controller-process.ts';
import { type Bench, type BenchOptions, type BenchResult, countOf } from '../bench.ts';
import { fileOf, policyText } from '../sweep/fleet.ts';
import { usageOf } from '../sweep/process-usage.ts';
import { type Replica, ReplicaFleet, until } from './replica-fleet.ts';

const defaultPolicies = 1_000;
/** What a start leaves is collected. */
const calmMilliseconds = 5_000;
const samplingMilliseconds = 50;
const quietRuns = [1, 2, 3, 4];
const spreadMilliseconds = 3_700;
/** Of what the same sync took that nothing ended: in its reading, its judging, its activation and its recording. */
const shares = [0.1, 0.3, 0.5, 0.7, 0.9];

/** How long a replica keeps what it holds that is ended in the middle of a sync. */
export const endingBench: Bench = {
  description:
    'SIGTERM of a replica that leads and holds all shards (Leases of 15 s), while only passes are under way, and at some ' +
    'moments of a sync in which every policy is changed: seconds until its last shard, and all it held, was given up, and until its process had ended, and what that took of CPU ' +
    '(--policies N)',
  run: measure,
};

async function* measure({ policies }: BenchOptions): AsyncIterable<BenchResult> {
  const count = countOf(policies, defaultPolicies);
  const fleet = await ReplicaFleet.start(count, 'Shared');
  try {
    for (const run of quietRuns) {
      const replica = await fleet.add();
      await until(() => askToSync(replica));
      // At another moment of the interval each time.
      await sleep(calmMilliseconds + run * spreadMilliseconds);
      yield {
        case: `SIGTERM without a sync, ${run}`,
        policies: count,
        ...(await measuredEnd(fleet, replica)),
      };
    }
    changeAll(fleet, 0);
    const whole = await fleet.add();
    const syncSeconds = await syncIn(whole, () => changeAll(fleet, 1));
    yield { case: 'a sync that nothing ends', policies: count, syncSeconds };
    await fleet.end(whole);
    for (const [index, share] of shares.entries()) {
      const replica = await fleet.add();
      await until(() => askToSync(replica));
      await sleep(calmMilliseconds);
      changeAll(fleet, index + 2);
      void askToSync(replica).catch(() => undefined);
      await sleep(share * syncSeconds * 1_000);
      const name = `SIGTERM after ${Math.round(share * 100)} % of it`;
      yield { case: name, policies: count, ...(await measuredEnd(fleet, replica)) };
    }
  } finally {
    await fleet.stop();
  }
}

/** When it had given up what it held, and had ended. */
async function measuredEnd(
  fleet: ReplicaFleet,
  replica: Replica,
): Promise<MeasuredEnd & Record<string, number>> {
  const measured = await ended(fleet, replica);
  return {
    shardsSeconds: givenUpIn(replica, (lease) => lease.includes('-shard-')),
    allSeconds: givenUpIn(replica, () => true),
    ...measured,
  };
}

/** A commit in which the text of each policy is another. */
function changeAll({ repository, policies }: ReplicaFleet, edition: number): void {
  const files = Array.from({ length: policies }, (_, index): readonly [string, string] => {
    const text = policyText(index, 'OwnerReference');
    return [fileOf(index), text.replace('maxReplicas: 40', `maxReplicas: ${41 + edition}`)];
  });
  repository.commit(`Change all, ${edition}`, Object.fromEntries(files));
}

/** From the signal until the process has ended, in seconds: by the clock, and what it used of CPU and waited for it. */
interface MeasuredEnd {
  readonly endedSeconds: number;
  readonly cpuSeconds: number;
  readonly waitedSeconds: number;
}

async function ended(fleet: ReplicaFleet, replica: Replica): Promise<MeasuredEnd> {
  const { pid } = replica.process;
  const before = await usageOf(pid);
  const last = { usage: before };
  const sampling = setInterval(() => {
    // It may have ended meanwhile.
    usageOf(pid).then(
      (usage) => (last.usage = usage),
      () => undefined,
    );
  }, samplingMilliseconds);
  const sentAt = Date.now();
  await fleet.end(replica);
  clearInterval(sampling);
  return {
    endedSeconds: round((Date.now() - sentAt) / 1_000),
    cpuSeconds: round(last.usage.cpuSeconds - before.cpuSeconds),
    waitedSeconds: round(last.usage.waitedSeconds - before.waitedSeconds),
  };
}

/** How long the sync of such a commit takes, in seconds. */
async function syncIn(replica: Replica, change: () => void): Promise<number> {
  await until(() => askToSync(replica));
  await sleep(calmMilliseconds);
  change();
  const since = Date.now();
  void askToSync(replica).catch(() => undefined);
  await until(() => Promise.resolve(timesOf(replica, isSynced).some((time) => time > since)));
  return round((Math.max(...timesOf(replica, isSynced)) - since) / 1_000);
}

/** @returns whether it was done in the time that a request has */
async function askToSync({ process }: Replica): Promise<boolean> {
  await process.query('mutation { syncNow(source: "bench") { __typename } }');
  return true;
}

const isSynced = ({ msg }: LogEntry): boolean => msg === 'synced';

/** From the signal to when the last of these scopes was given up, by its own log, in seconds. */
function givenUpIn(replica: Replica, isWanted: (lease: string) => boolean): number {
  const isGivenUp = ({ msg, lease }: LogEntry): boolean =>
    msg === 'gave a scope up' && isWanted(String(lease));
  const [signalledAt = Number.NaN] = timesOf(replica, ({ signal }) => signal === 'SIGTERM');
  return round((Math.max(...timesOf(replica, isGivenUp)) - signalledAt) / 1_000);
}

/** Of these lines of its log, in milliseconds since 1970. */
function timesOf({ process: { log } }: Replica, isWanted: (entry: LogEntry) => boolean): readonly number[] {
  return log.filter(isWanted).map(({ time }) => new Date(time as string | number).getTime());
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

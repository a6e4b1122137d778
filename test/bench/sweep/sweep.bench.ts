import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControllerProcess } from '../../e2e/support/controller-process.ts';
import { type Bench, type BenchOptions, type BenchResult, countOf } from '../bench.ts';
import { SimulatedCluster } from './cluster-process.ts';
import { createFleetRepository, type Half, halves, prometheusServer } from './fleet.ts';
import { type ProcessUsage, resetPeak, usageOf } from './process-usage.ts';
import { delayQuantile, metricsUrlOf, type Scrape, scrape, scrapePasses } from './scrape.ts';
import type { ClusterAnswer, ClusterRequest } from './simulated-cluster.ts';
import { startLaunched } from './start-launched.ts';

/** Every policy's interval, and that of the scrapes. */
const sweepSeconds = 15;
const pollMilliseconds = 500;
const firstPassMilliseconds = 300_000;

const defaults = { policies: 1_000, sweeps: 4 };

/** A disturbance of the cluster, for as long as a case is measured. */
interface Disturbance {
  readonly begin: (policies: number) => ClusterRequest;
  readonly end: ClusterRequest;
}

const nothingVaries: ClusterRequest = { kind: 'Vary', policies: 0 };

/** The cases that can be asked for with `--cases`, in the order in which they are measured. */
const disturbances: Readonly<Record<string, Disturbance>> = {
  unchanged: { begin: () => nothingVaries, end: nothingVaries },
  'one-percent': {
    begin: (policies) => ({ kind: 'Vary', policies: Math.ceil(policies / 100) }),
    end: nothingVaries,
  },
  all: { begin: (policies) => ({ kind: 'Vary', policies }), end: nothingVaries },
  hanging: { begin: () => ({ kind: 'Hang', isOn: true }), end: { kind: 'Hang', isOn: false } },
  churn: { begin: () => ({ kind: 'Churn', isOn: true }), end: { kind: 'Churn', isOn: false } },
};

/**
 * The built controller in a process of its own, against a simulated cluster in another: what a sweep over all policies
 * costs while nothing changes, and under each of the disturbances.
 */
export const sweepBench: Bench = {
  description:
    `all policies once per ${sweepSeconds} s, 10 pods each, built controller, SQLite, simulated cluster ` +
    `(--policies N, --half ${halves.join('|')}, --cases ${Object.keys(disturbances).join(',')}, --sweeps N)`,
  run: measure,
};

interface Fleet {
  readonly policies: number;
  readonly half: Half;
  readonly sweeps: number;
}

/** What is measured, and what disturbs it. */
interface Bed {
  readonly fleet: Fleet;
  readonly controller: ControllerProcess;
  readonly cluster: SimulatedCluster;
}

async function* measure(options: BenchOptions): AsyncIterable<BenchResult> {
  const fleet = readFleet(options);
  const cases = readCases(options);
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
  const cluster = await SimulatedCluster.start(fleet.policies);
  let controller: ControllerProcess | undefined;
  try {
    const configuration = await configurationOf(folder, cluster.answer, fleet);
    for (const name of ['first start', 'restart']) {
      await controller?.stop();
      const begun = performance.now();
      controller = await startLaunched(folder, configuration, 'Serving');
      yield await measureStart(name, begun, { fleet, controller, cluster });
    }
    if (controller === undefined) return;
    // What a start leaves is collected, and open runs are folded from here on.
    await sleep(2 * sweepSeconds * 1_000);
    for (const name of cases) yield await measureCase(name, { fleet, controller, cluster });
  } finally {
    await controller?.kill();
    cluster.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureStart(name: string, begun: number, { fleet, controller }: Bed): Promise<BenchResult> {
  const end = begun + firstPassMilliseconds;
  for (;;) {
    if ((await scrapePasses(metricsUrlOf(controller))) >= fleet.policies) break;
    if (performance.now() > end)
      throw new Error(`no pass over all policies after ${firstPassMilliseconds} ms`);
    await sleep(pollMilliseconds);
  }
  const usage = await usageOf(controller.pid);
  return {
    case: name,
    ...describeFleet(fleet),
    firstPassSeconds: round((performance.now() - begun) / 1_000),
    cpuSeconds: usage.cpuSeconds,
    waitedSeconds: round(usage.waitedSeconds),
    peakMegabytes: megabytes(usage.peakBytes),
  };
}

/** One sweep for the disturbance to take effect, then as many as are measured. */
async function measureCase(name: string, bed: Bed): Promise<BenchResult> {
  const { fleet, controller, cluster } = bed;
  const disturbance = disturbances[name];
  if (disturbance === undefined) throw new Error(`no case ${name}`);
  await cluster.ask(disturbance.begin(fleet.policies));
  await sleep(sweepSeconds * 1_000);
  await resetPeak(controller.pid);
  const before = await look(bed);
  const resident: number[] = [];
  for (let second = 1; second <= fleet.sweeps * sweepSeconds; second += 1) {
    await sleep(1_000);
    resident.push((await usageOf(controller.pid)).residentBytes);
    if (second % sweepSeconds === 0) await scrape(metricsUrlOf(controller));
  }
  const after = await look(bed);
  await cluster.ask(disturbance.end);
  return {
    case: name,
    ...describeFleet(fleet),
    ...compare({ before, after, fleet }),
    residentMegabytes: megabytes(median(resident)),
  };
}

/** All that is counted, at one moment. */
interface Look {
  readonly at: number;
  readonly usage: ProcessUsage;
  readonly scrape: Scrape;
  readonly requests: ClusterAnswer;
}

async function look({ controller, cluster }: Bed): Promise<Look> {
  const usage = await usageOf(controller.pid);
  return {
    at: performance.now(),
    usage,
    scrape: await scrape(metricsUrlOf(controller)),
    requests: await cluster.ask({ kind: 'Count' }),
  };
}

/** Everything per sweep, as the passes count it: a controller that cannot keep up makes fewer of them. */
function compare({
  before,
  after,
  fleet,
}: {
  readonly before: Look;
  readonly after: Look;
  readonly fleet: Fleet;
}) {
  const sweeps = (after.scrape.passes - before.scrape.passes) / fleet.policies;
  const perSweep = (read: (look: Look) => number): number => round((read(after) - read(before)) / sweeps);
  const seconds = (after.at - before.at) / 1_000;
  return {
    sweeps: round(sweeps),
    cpuSecondsPerSweep: perSweep(({ usage }) => usage.cpuSeconds),
    cores: round((after.usage.cpuSeconds - before.usage.cpuSeconds) / seconds),
    waitedSecondsPerSweep: perSweep(({ usage }) => usage.waitedSeconds),
    peakMegabytes: megabytes(after.usage.peakBytes),
    readsPerSweep: perSweep(({ requests }) => requests.reads),
    writesPerSweep: perSweep(({ requests }) => requests.writes),
    scalingsPerSweep: perSweep(({ scrape }) => scrape.scalings),
    writtenKilobytesPerSweep: perSweep(({ usage }) => usage.writtenBytes / 1_024),
    loopDelayP50Milliseconds: round(delayQuantile(before.scrape, after.scrape, 0.5) * 1_000),
    loopDelayP99Milliseconds: round(delayQuantile(before.scrape, after.scrape, 0.99) * 1_000),
  };
}

async function configurationOf(
  folder: string,
  { kubeconfig, prometheusUrl }: ClusterAnswer,
  fleet: Fleet,
): Promise<object> {
  const kubeconfigFile = join(folder, 'kubeconfig');
  await writeFile(kubeconfigFile, kubeconfig);
  return {
    cluster: { name: 'bench', kubeconfig: kubeconfigFile },
    mode: 'Act',
    namespaces: ['*'],
    dataFolder: join(folder, 'data'),
    database: { url: `sqlite:${join(folder, 'ledger.db')}` },
    prometheusServers: [{ name: prometheusServer, url: prometheusUrl }],
    sources: [
      {
        name: 'bench',
        url: createFleetRepository(join(folder, 'origin'), fleet).url,
        blastRadius: { targets: fleet.policies, percent: 100 },
      },
    ],
  };
}

function readFleet({ policies, half, sweeps }: BenchOptions): Fleet {
  const wanted = halves.find((one) => one === (half ?? 'OwnerReference'));
  if (wanted === undefined) throw new Error(`--half is one of ${halves.join(', ')}, not ${half ?? ''}`);
  return {
    policies: countOf(policies, defaults.policies),
    half: wanted,
    sweeps: countOf(sweeps, defaults.sweeps),
  };
}

function readCases({ cases }: BenchOptions): readonly string[] {
  const wanted = cases?.split(',') ?? Object.keys(disturbances);
  const unknown = wanted.filter((name) => !Object.hasOwn(disturbances, name));
  if (unknown.length === 0) return wanted;
  throw new Error(
    `--cases: no case ${unknown.join(', ')}; there are ${Object.keys(disturbances).join(', ')}`,
  );
}

function describeFleet({ policies, half }: Fleet) {
  return { policies, half };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../control-plane/poll.ts';
import { Random } from '../../support/random.ts';
import { compareRecords } from '../storm/compare-records.ts';
import { readLedger } from '../storm/read-ledger.ts';
import { controllerManager } from '../storm/replica-record.ts';
import { StormedController } from '../storm/stormed-controller.ts';
import { type ClusterDisturbance, clusterDisturbances, type ClusterStorm } from './cluster-disturbances.ts';
import { compareHpaWrites, recordedHpaWrites } from './compare-hpa-writes.ts';
import { steadyPolicy, StormCluster, type StormedPolicy, stormNamespace } from './storm-cluster.ts';

/** What a storm did, and what it found. */
export interface ClusterStormReport {
  readonly seed: number;
  readonly seconds: number;
  readonly disturbances: Readonly<Record<string, number>>;
  readonly starts: number;
  /** By the API server's own record: writes of HPAs, and changes of counts, that the controller made. */
  readonly hpaWrites: number;
  readonly ownScalings: number;
  readonly foreignScalings: number;
  readonly ledgerEntries: number;
  /** Sentences; each is a defect. */
  readonly accidents: readonly string[];
  readonly recordDifferences: readonly string[];
  readonly chainFaults: readonly string[];
  readonly unconverged: readonly string[];
  readonly errors: readonly string[];
}

/** Longer than a contest lasts without a reversal. */
const contestOffsetMilliseconds = 7_200_000;
const restMilliseconds = 240_000;
const recordMilliseconds = 30_000;
const maximumConcurrency = 4;

/**
 * Disturbs a built controller on a real control plane for so many seconds, lets it come to rest, and holds its ledger
 * against what the API server wrote down.
 */
export async function runClusterStorm(options: {
  readonly seed: number;
  readonly seconds: number;
}): Promise<ClusterStormReport> {
  const world = await StormCluster.start();
  const controller = new StormedController(world);
  try {
    const storm: ClusterStorm = { world, controller, random: new Random(options.seed) };
    await controller.start();
    await untilDecided(storm);
    const disturbances = await blow(storm, options.seconds);
    const unconverged = await comeToRest(storm);
    await untilRecorded(storm);
    await controller.stop();
    return { ...options, disturbances, unconverged, ...(await judge(storm)) };
  } finally {
    await controller.kill().catch(() => undefined);
    await world.stop();
  }
}

/** From its first pass on a policy accounts for its target's count. */
async function untilDecided({ world, controller }: ClusterStorm): Promise<void> {
  await eventually({
    description: 'a pass of every policy that works',
    timeoutMilliseconds: restMilliseconds,
    probe: async () => {
      const { policies } = await controller.query<Statuses>(statusQuery);
      const decided = policies.edges.filter(({ node: { status } }) => status?.outcome === 'Done');
      return decided.length === world.policies.length ? true : undefined;
    },
  });
}

const statusQuery = '{ policies(first: 100) { edges { node { status { outcome } } } } }';

interface Statuses {
  readonly policies: {
    readonly edges: readonly { readonly node: { readonly status: { readonly outcome: string } | null } }[];
  };
}

/** Starts disturbances until the time is over, and waits for the last. @throws what the first of them failed with */
async function blow(storm: ClusterStorm, seconds: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const underWay = new Map<ClusterDisturbance, Promise<void>>();
  const failures: unknown[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end && failures.length === 0) {
    await sleep(50 + storm.random.below(600));
    const next = pickWeighted(storm.random);
    const isProcessBusy = [...underWay.keys()].some(({ isOfProcess }) => isOfProcess === true);
    const isBlocked = underWay.has(next) || (next.isOfProcess === true && isProcessBusy);
    if (isBlocked || underWay.size >= maximumConcurrency) continue;
    counts[next.name] = (counts[next.name] ?? 0) + 1;
    const ended = next.run(storm).catch((error: unknown) => failures.push(error));
    underWay.set(
      next,
      ended.then(() => void underWay.delete(next)),
    );
  }
  await Promise.all(underWay.values());
  if (failures.length > 0) throw failures[0];
  return counts;
}

function pickWeighted(random: Random): ClusterDisturbance {
  const bag = clusterDisturbances.flatMap((each) => Array<ClusterDisturbance>(each.weight).fill(each));
  return random.pick(bag);
}

/** Takes everything away that goes wrong, also contests, and waits until each policy is carried out; what is not is named. */
async function comeToRest({ world, controller }: ClusterStorm): Promise<readonly string[]> {
  world.calm();
  await controller.kill();
  await controller.setClockOffset(contestOffsetMilliseconds);
  world.sampleOffsetMilliseconds = contestOffsetMilliseconds;
  await controller.start();
  let left: readonly string[] = [];
  try {
    await eventually({
      description: 'every policy to be carried out',
      timeoutMilliseconds: restMilliseconds,
      intervalMilliseconds: 500,
      probe: async () => {
        left = (await Promise.all(world.policies.map((each) => lackOf(world, each)))).flat();
        return left.length === 0 ? true : undefined;
      },
    });
    return [];
  } catch {
    return left;
  }
}

/** What a policy says and its target or HPA does not. */
async function lackOf(world: StormCluster, policy: StormedPolicy): Promise<readonly string[]> {
  const { name, actuation, maxReplicas, wanted } = policy;
  const bounds = await world.boundsOf(name);
  if (actuation === 'HorizontalPodAutoscaler') {
    const isRendered = bounds?.maxReplicas === maxReplicas && bounds.minReplicas === 2;
    return isRendered ? [] : [`${name}: its HPA says ${JSON.stringify(bounds)}`];
  }
  const replicas = await world.replicasOf(name);
  if (bounds === null && replicas === wanted) return [];
  return [`${name}: ${replicas} replicas in place of ${wanted}, and ${bounds === null ? 'no' : 'an'} HPA`];
}

/**
 * Nobody but the controller scales any more, and it sees what was scaled until then: what it has no time for before its
 * end is no defect. What it has not recorded after that, the judgement tells.
 */
async function untilRecorded(storm: ClusterStorm): Promise<void> {
  await storm.world.cluster.stopComponent('kube-controller-manager');
  await eventually({
    description: 'the ledger to say what the API server wrote down',
    timeoutMilliseconds: recordMilliseconds,
    intervalMilliseconds: 1_000,
    probe: async () => ((await judge(storm)).recordDifferences.length === 0 ? true : undefined),
  }).catch(() => undefined);
}

type Judgement = Omit<ClusterStormReport, 'seed' | 'seconds' | 'disturbances' | 'unconverged'>;

async function judge({ world, controller }: ClusterStorm): Promise<Judgement> {
  const audit = await world.audit();
  const names = world.policies.map(({ name }) => name);
  const records = await readLedger(`sqlite:${world.databaseFile}`, { namespace: stormNamespace, names });
  const differences = records.flatMap(({ name, entries, changes }) => {
    const made = audit.hpas.filter((write) => write.name === name && write.manager === controllerManager);
    const scaled = audit.replicas.filter(({ workload }) => workload === name);
    return [
      ...compareHpaWrites(made, recordedHpaWrites(entries)).map((text) => `${name}: ${text}`),
      ...compareRecords(scaled, changes).differences,
    ];
  });
  const own = audit.replicas.filter(({ manager }) => manager === controllerManager);
  return {
    starts: controller.starts,
    hpaWrites: audit.hpas.filter(({ manager }) => manager === controllerManager).length,
    ownScalings: own.length,
    foreignScalings: audit.replicas.length - own.length,
    ledgerEntries: records.reduce((sum, { entries }) => sum + entries.length, 0),
    accidents: own
      .filter(({ workload }) => workload === steadyPolicy)
      .map(({ workload, from, to }) => `${workload}: ${from} → ${to}, and nothing had changed`),
    recordDifferences: differences,
    chainFaults: records.flatMap(({ chainFaults }) => chainFaults),
    errors: controller.errors,
  };
}

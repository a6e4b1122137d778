import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject } from '#kernel';
import type { LedgerEntry } from '#ledger';
import { eventually } from '../../control-plane/poll.ts';
import { Random } from '../../support/random.ts';
import { compareRecords } from './compare-records.ts';
import { type Disturbance, disturbances, type Storm } from './disturbances.ts';
import { readLedger } from './read-ledger.ts';
import { controllerManager, recordReplicaWrites, type ReplicaWrite } from './replica-record.ts';
import { stormWorkloads, StormWorld } from './storm-world.ts';
import { StormedController } from './stormed-controller.ts';

/** How long a storm blows, and from which seed. */
export interface StormOptions {
  readonly seed: number;
  readonly seconds: number;
  /** Hears of each disturbance. */
  readonly onProgress?: (line: string) => void;
}

/** What a storm did, and what it found. */
export interface StormReport {
  readonly seed: number;
  readonly seconds: number;
  /** How often each disturbance ran. */
  readonly disturbances: Readonly<Record<string, number>>;
  readonly starts: number;
  /** Changes of replicas that the API server carried out: the controller's own, and others'. */
  readonly ownWrites: number;
  readonly foreignWrites: number;
  readonly ledgerEntries: number;
  readonly mergedChanges: number;
  readonly healthProbes: number;
  readonly healthMilliseconds: { readonly p50: number; readonly p99: number; readonly maximum: number };
  readonly residentMebibytes: { readonly first: number; readonly largest: number; readonly last: number };
  /** Sentences; each is a defect. */
  readonly accidents: readonly string[];
  readonly recordDifferences: readonly string[];
  /** Both records of each workload whose records differ, for who looks into it. */
  readonly differingRecords: Readonly<Record<string, DifferingRecords>>;
  readonly chainFaults: readonly string[];
  readonly unconverged: readonly string[];
  readonly errors: readonly string[];
}

interface DifferingRecords {
  readonly writes: readonly string[];
  readonly entries: readonly string[];
}

/** At most so many disturbances at a time: more only hide each other. */
const maximumConcurrency = 4;
const quietTimeoutMilliseconds = 240_000;
const healthIntervalMilliseconds = 250;
const memoryIntervalMilliseconds = 2_000;

/**
 * Disturbs a built controller at random for so many seconds, lets it come to rest, and judges what it did: no scale-in
 * below what the load allows, the ledger equal to the API server's own record, chains that verify, the right counts in
 * the end.
 */
export async function runStorm(options: StormOptions): Promise<StormReport> {
  const world = await StormWorld.start();
  const controller = new StormedController(world);
  const writes: ReplicaWrite[] = [];
  const accidents: string[] = [];
  recordReplicaWrites(world.simulator, (write) => {
    writes.push(write);
    const accident = accidentOf(world, write);
    if (accident !== undefined) accidents.push(accident);
  });
  let watch: Watch | undefined;
  try {
    const storm: Storm = { world, controller, random: new Random(options.seed) };
    await controller.start();
    watch = watchController(controller);
    const counts = await blow(storm, options);
    const unconverged = await comeToRest(storm);
    const watched = await watch.end();
    await controller.stop();
    const names = stormWorkloads.map(({ name }) => name);
    const records = await readLedger(`sqlite:${world.databaseFile}`, { namespace: 'shop', names });
    const compared = records.map(({ name, entries, changes }) => {
      const made = writes.filter(({ workload }) => workload === name);
      return { name, made, entries, ...compareRecords(made, changes) };
    });
    const own = writes.filter(({ manager }) => manager === controllerManager).length;
    return {
      seed: options.seed,
      seconds: options.seconds,
      disturbances: counts,
      starts: controller.starts,
      ownWrites: own,
      foreignWrites: writes.length - own,
      ledgerEntries: records.reduce((sum, { entries }) => sum + entries.length, 0),
      mergedChanges: compared.reduce((sum, { merged }) => sum + merged, 0),
      ...watched,
      accidents,
      recordDifferences: compared.flatMap(({ differences }) => differences),
      differingRecords: Object.fromEntries(
        compared
          .filter(({ differences }) => differences.length > 0)
          .map(({ name, made, entries }) => [
            name,
            { writes: made.map(describeWrite), entries: entries.flatMap(outlineOf) },
          ]),
      ),
      chainFaults: records.flatMap(({ chainFaults }) => chainFaults),
      unconverged,
      errors: controller.errors,
    };
  } finally {
    await watch?.end();
    await controller.kill().catch(() => undefined);
    await world.stop();
  }
}

/** A scale-in by the controller to fewer than any recent load allows. */
function accidentOf(world: StormWorld, { workload, manager, from, to }: ReplicaWrite): string | undefined {
  const fewest = world.fewestAllowed(workload);
  if (manager !== controllerManager || to >= from || to >= fewest) return undefined;
  return `${workload}: ${from} → ${to}, where the load of the last minutes allows no fewer than ${fewest}`;
}

/**
 * Starts disturbances until the time is over, and waits for the last.
 *
 * @throws what the first of them failed with; no other begins after it.
 */
async function blow(storm: Storm, options: StormOptions): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const underWay = new Map<Disturbance, Promise<void>>();
  const failures: unknown[] = [];
  const end = performance.now() + options.seconds * 1_000;
  while (performance.now() < end && failures.length === 0) {
    await sleep(50 + storm.random.below(1_000));
    const next = pickWeighted(storm.random);
    const isProcessBusy = [...underWay.keys()].some(({ isOfProcess }) => isOfProcess === true);
    const isBlocked = underWay.has(next) || (next.isOfProcess === true && isProcessBusy);
    if (isBlocked || underWay.size >= maximumConcurrency) continue;
    counts[next.name] = (counts[next.name] ?? 0) + 1;
    options.onProgress?.(next.name);
    underWay.set(
      next,
      next
        .run(storm)
        .catch((error: unknown) => failures.push(error))
        .then(() => void underWay.delete(next)),
    );
  }
  await Promise.all(underWay.values());
  if (failures.length > 0) throw failures[0];
  return counts;
}

function pickWeighted(random: Random): Disturbance {
  let left = random.below(disturbances.reduce((sum, { weight }) => sum + weight, 0));
  for (const disturbance of disturbances) {
    left -= disturbance.weight;
    if (left < 0) return disturbance;
  }
  throw new Error('the weights add up to more than their sum');
}

/** Takes every fault away and waits until each count suits its load; what does not is named. */
async function comeToRest({ world, controller }: Storm): Promise<readonly string[]> {
  world.simulator.faults.clear();
  await controller.setClockOffset(0);
  const unsettled = (): readonly string[] =>
    stormWorkloads.flatMap(({ name }) => {
      const { fewest, most } = world.wantedNow(name);
      const replicas = world.replicasOf(name);
      return replicas >= fewest && replicas <= most
        ? []
        : [`${name}: ${replicas} replicas, its load wants ${fewest} to ${most}`];
    });
  try {
    await eventually({
      description: 'counts that suit their loads',
      probe: async () => Promise.resolve(unsettled().length === 0 ? true : undefined),
      timeoutMilliseconds: quietTimeoutMilliseconds,
    });
    return [];
  } catch {
    return unsettled();
  }
}

interface Watch {
  readonly end: () => Promise<Pick<StormReport, 'healthProbes' | 'healthMilliseconds' | 'residentMebibytes'>>;
}

/** Probes health and memory until it is ended. */
function watchController(controller: StormedController): Watch {
  const ending = new AbortController();
  const resident: number[] = [];
  const repeat = async (milliseconds: number, work: () => Promise<void>): Promise<void> => {
    while (!ending.signal.aborted) {
      await work();
      await sleep(milliseconds);
    }
  };
  const loops = Promise.all([
    repeat(healthIntervalMilliseconds, () => controller.probeHealth()),
    repeat(memoryIntervalMilliseconds, async () => {
      const mebibytes = await controller.residentMebibytes();
      if (mebibytes !== undefined) resident.push(Math.round(mebibytes));
    }),
  ]);
  return {
    end: async () => {
      ending.abort();
      await loops;
      const sorted = [...controller.healthMilliseconds].sort((one, other) => one - other);
      const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
      return {
        healthProbes: sorted.length,
        healthMilliseconds: { p50: at(0.5), p99: at(0.99), maximum: at(1) },
        residentMebibytes: {
          first: resident[0] ?? 0,
          largest: Math.max(0, ...resident),
          last: resident.at(-1) ?? 0,
        },
      };
    },
  };
}

function describeWrite({ from, to, manager, time }: ReplicaWrite): string {
  return `${time} ${from} → ${to} by ${manager}`;
}

function outlineOf({ seq, time, kind, payload }: LedgerEntry): readonly string[] {
  const fields: unknown = payload;
  if (!kind.startsWith('Scaling') || !isJsonObject(fields)) return [];
  const { origin, manager, from, to, intent, code, resourceVersion } = fields;
  const shown = JSON.stringify({ origin, manager, from, to, intent, code, resourceVersion });
  return [`${seq} ${time} ${kind} ${shown}`];
}

import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Fault, FaultMatch } from '#simulator';
import type { Random } from '../../support/random.ts';
import { hostileFiles, strangerFiles } from './hostile-commits.ts';
import { sendHostileRequest } from './hostile-requests.ts';
import {
  deploymentName,
  policyText,
  scaledByOthers,
  stormWorkloads,
  type StormWorld,
} from './storm-world.ts';
import type { StormedController } from './stormed-controller.ts';

/** What a disturbance works on. */
export interface Storm {
  readonly world: StormWorld;
  readonly controller: StormedController;
  readonly random: Random;
}

/** Something that goes wrong, and how often beside the others. It resolves when it is over. */
export interface Disturbance {
  readonly name: string;
  readonly weight: number;
  /** Those of the process itself run one at a time. */
  readonly isOfProcess?: true;
  readonly run: (storm: Storm) => Promise<void>;
}

const managers = ['kubectl', 'kubectl-scale', 'argocd-controller', 'helm'];

const faults: readonly { readonly match: FaultMatch; readonly fault: Fault }[] = [
  { match: {}, fault: { kind: 'Latency', milliseconds: 700 } },
  { match: {}, fault: { kind: 'Error', code: 500 } },
  { match: {}, fault: { kind: 'Error', code: 429, retryAfterSeconds: 1 } },
  { match: {}, fault: { kind: 'Reset' } },
  { match: { verb: ['update', 'patch'] }, fault: { kind: 'Error', code: 409, reason: 'Conflict' } },
  { match: { verb: ['update', 'patch'] }, fault: { kind: 'Hang' } },
  { match: { verb: ['update', 'patch'] }, fault: { kind: 'Reset' } },
  { match: { verb: ['list', 'watch'] }, fault: { kind: 'Gone' } },
  { match: { verb: 'watch' }, fault: { kind: 'DropWatch', afterLines: 3 } },
  { match: { verb: 'list' }, fault: { kind: 'Truncate' } },
  { match: { path: '/apis/metrics.k8s.io' }, fault: { kind: 'Error', code: 503 } },
  { match: { path: '/apis/metrics.k8s.io' }, fault: { kind: 'Hang' } },
  { match: { path: '/apis/metrics.k8s.io' }, fault: { kind: 'Truncate' } },
];

const clockOffsetsMilliseconds = [0, 60_000, -60_000, 3_600_000, -3_600_000, 86_400_000, 0];

/** Everything that a storm is made of. */
export const disturbances: readonly Disturbance[] = [
  { name: 'load', weight: 10, run: changeLoad },
  { name: 'others scale', weight: 10, run: scaleByOthers },
  { name: 'API fault', weight: 8, run: failRequests },
  { name: 'watches dropped', weight: 3, run: dropWatches },
  { name: 'commit', weight: 4, run: commit },
  { name: 'hostile commit', weight: 4, run: commitHostile },
  { name: 'hostile requests', weight: 5, run: request },
  { name: 'database locked', weight: 3, run: lockDatabase },
  { name: 'clock', weight: 2, run: moveClock },
  { name: 'SIGKILL', weight: 2, isOfProcess: true, run: kill },
  { name: 'SIGTERM', weight: 1, isOfProcess: true, run: terminate },
  { name: 'SIGSTOP', weight: 1, isOfProcess: true, run: pause },
];

async function changeLoad({ world, random }: Storm): Promise<void> {
  const name = random.pick(['wave-labels', 'wave-owners']);
  world.setLoad(name, 2 + random.below(12));
  return Promise.resolve();
}

/** Steps in a row: up, down, and back. */
async function scaleByOthers({ world, random }: Storm): Promise<void> {
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    const name = random.pick([...scaledByOthers]);
    const now = world.replicasOf(name);
    const next = Math.max(1, now + random.pick([-2, -1, 1, 2, 5]));
    world.simulator.objects.scale(deploymentName(name), next, random.pick(managers));
    await sleep(random.below(800));
  }
}

async function failRequests({ world, random }: Storm): Promise<void> {
  const remove = world.simulator.faults.add(random.pick(faults));
  await sleep(200 + random.below(5_000));
  remove();
}

async function dropWatches({ world, random }: Storm): Promise<void> {
  if (random.chance(0.5)) world.simulator.compact();
  world.simulator.faults.dropWatches();
  return Promise.resolve();
}

async function commit({ world, random }: Storm): Promise<void> {
  const revision = random.below(1_000_000);
  world.repository.commit(`Note revision ${revision}`, {
    'teams/shop/policies.yaml': stormWorkloads.map((each) => policyText(each, revision)).join('---\n'),
  });
  return Promise.resolve();
}

async function commitHostile({ world, random }: Storm): Promise<void> {
  const { subject, files } = random.pick(hostileFiles);
  world.repository.commit(subject, files());
  await sleep(1_000 + random.below(3_000));
  world.repository.commit('Take it back', strangerFiles(files(), null));
}

async function request({ controller, random }: Storm): Promise<void> {
  for (let left = 1 + random.below(5); left > 0; left -= 1) {
    const { url } = controller;
    if (url !== undefined) await sendHostileRequest(url, random);
  }
}

/** Another process holds SQLite's write lock: every append waits, then fails. */
async function lockDatabase({ world, random }: Storm): Promise<void> {
  const database = new Database(world.databaseFile, { timeout: 2_000 });
  try {
    database.exec('BEGIN IMMEDIATE');
    await sleep(200 + random.below(8_000));
    database.exec('ROLLBACK');
  } catch {
    // The controller holds the lock, or has not made the file: as good as a lock that was not had.
  } finally {
    database.close();
  }
}

async function moveClock({ controller, random }: Storm): Promise<void> {
  await controller.setClockOffset(random.pick(clockOffsetsMilliseconds));
}

async function kill({ controller, random }: Storm): Promise<void> {
  await controller.kill();
  await sleep(random.below(2_000));
  await controller.start();
}

async function terminate({ controller }: Storm): Promise<void> {
  await controller.stop();
  await controller.start();
}

async function pause({ controller, random }: Storm): Promise<void> {
  controller.pause();
  await sleep(1_000 + random.below(15_000));
  controller.resume();
}

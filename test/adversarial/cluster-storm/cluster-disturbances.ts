import { setTimeout as sleep } from 'node:timers/promises';
import { badAnswers } from '../../e2e/support/bad-answers.ts';
import type { ProxiedRequest, ProxyFault } from '../../support/faulty-proxy.ts';
import type { Random } from '../../support/random.ts';
import type { StormedController } from '../storm/stormed-controller.ts';
import { hpaPath, scalePath, steadyPolicy, type StormCluster, type StormedPolicy } from './storm-cluster.ts';

/** What a disturbance works on. */
export interface ClusterStorm {
  readonly world: StormCluster;
  readonly controller: StormedController;
  readonly random: Random;
}

/** Something that goes wrong, and how often beside the others. It resolves when it is over. */
export interface ClusterDisturbance {
  readonly name: string;
  readonly weight: number;
  /** Those of the process itself run one at a time. */
  readonly isOfProcess?: true;
  readonly run: (storm: ClusterStorm) => Promise<void>;
}

const isWrite = ({ method, path }: ProxiedRequest): boolean =>
  method !== 'GET' && /horizontalpodautoscalers|\/scale/.test(path);
const isListOrWatch = ({ method, path }: ProxiedRequest): boolean => method === 'GET' && path.includes('?');
const isAny = (): boolean => true;

const faults: readonly { readonly match: typeof isWrite; readonly fault: ProxyFault }[] = [
  { match: isAny, fault: { kind: 'Slow', milliseconds: 700 } },
  { match: isAny, fault: { kind: 'Answer', status: 500 } },
  { match: isAny, fault: { kind: 'Answer', status: 429 } },
  { match: isWrite, fault: { kind: 'Answer', status: 409 } },
  { match: isWrite, fault: { kind: 'Answer', status: 403 } },
  { match: isWrite, fault: { kind: 'Cut' } },
  { match: isWrite, fault: { kind: 'Hang' } },
  { match: isWrite, fault: { kind: 'LoseAnswer' } },
  { match: isListOrWatch, fault: { kind: 'Answer', status: 410 } },
  { match: isAny, fault: { kind: 'Unauthenticated' } },
];

const clockOffsetsMilliseconds = [0, 60_000, -60_000, 3_600_000, -3_600_000, 86_400_000];

/** How long a write is waited for that a kill is to meet. */
const writeMilliseconds = 4_000;

/** Everything that a storm on a real control plane is made of. */
export const clusterDisturbances: readonly ClusterDisturbance[] = [
  { name: 'others edit an HPA', weight: 5, run: editHpa },
  { name: 'others delete an HPA', weight: 3, run: deleteHpa },
  { name: 'others scale', weight: 5, run: scaleByOthers },
  { name: 'load', weight: 4, run: changeLoad },
  { name: 'bad metrics', weight: 4, run: answerBadly },
  { name: 'bounds', weight: 3, run: changeBounds },
  { name: 'actuation', weight: 3, run: changeActuation },
  { name: 'disabled', weight: 2, run: disable },
  { name: 'API fault', weight: 6, run: failRequests },
  { name: 'watches dropped', weight: 2, run: dropWatches },
  { name: 'clock', weight: 1, run: moveClock },
  { name: 'SIGKILL in a write', weight: 5, isOfProcess: true, run: killInWrite },
  { name: 'SIGTERM', weight: 1, isOfProcess: true, run: terminate },
  { name: 'SIGSTOP', weight: 1, isOfProcess: true, run: pause },
];

/** Any policy but the one that nothing disturbs. */
function anyPolicy({ world, random }: ClusterStorm): StormedPolicy {
  return random.pick(world.policies.filter(({ name }) => name !== steadyPolicy));
}

async function editHpa(storm: ClusterStorm): Promise<void> {
  const body = { spec: { maxReplicas: 20 + storm.random.below(50) } };
  await storm.world.writeAs('argocd', { method: 'PATCH', path: hpaPath(anyPolicy(storm).name), body });
}

async function deleteHpa(storm: ClusterStorm): Promise<void> {
  await storm.world.writeAs('kubectl', { method: 'DELETE', path: hpaPath(anyPolicy(storm).name) });
}

async function scaleByOthers(storm: ClusterStorm): Promise<void> {
  const body = { spec: { replicas: 2 + storm.random.below(8) } };
  await storm.world.writeAs('kubectl', { method: 'PATCH', path: scalePath(anyPolicy(storm).name), body });
}

async function changeLoad(storm: ClusterStorm): Promise<void> {
  anyPolicy(storm).wanted = 2 + storm.random.below(8);
  return Promise.resolve();
}

async function answerBadly({ world, random }: ClusterStorm): Promise<void> {
  world.answerBadly(random.pick(badAnswers));
  await sleep(500 + random.below(3_000));
  world.answerBadly(null);
}

async function changeBounds(storm: ClusterStorm): Promise<void> {
  anyPolicy(storm).maxReplicas = 8 + storm.random.below(9);
  storm.world.commit();
  return Promise.resolve();
}

async function changeActuation({ world }: ClusterStorm): Promise<void> {
  for (const each of world.policies) {
    if (each.name === 'turn')
      each.actuation = each.actuation === 'Scale' ? 'HorizontalPodAutoscaler' : 'Scale';
  }
  world.commit();
  return Promise.resolve();
}

async function disable(storm: ClusterStorm): Promise<void> {
  const policy = anyPolicy(storm);
  policy.isEnabled = !policy.isEnabled;
  storm.world.commit();
  return Promise.resolve();
}

async function failRequests({ world, random }: ClusterStorm): Promise<void> {
  const { match, fault } = random.pick(faults);
  const remove = world.proxy.add(match, fault);
  await sleep(300 + random.below(4_000));
  remove();
}

async function dropWatches({ world }: ClusterStorm): Promise<void> {
  world.proxy.dropWatches();
  return Promise.resolve();
}

async function moveClock({ controller, random }: ClusterStorm): Promise<void> {
  await controller.setClockOffset(random.pick(clockOffsetsMilliseconds));
}

/** The write never arrives, or nothing is heard of it, and the process that sent it is gone. */
async function killInWrite({ world, controller, random }: ClusterStorm): Promise<void> {
  const { promise: isSent, resolve } = Promise.withResolvers<undefined>();
  const kind = random.chance(0.6) ? 'LoseAnswer' : 'Hang';
  const remove = world.proxy.add(
    (request) => {
      if (!isWrite(request)) return false;
      resolve(undefined);
      return true;
    },
    { kind },
  );
  await Promise.race([isSent, sleep(writeMilliseconds)]);
  await sleep(random.below(200));
  await controller.kill();
  remove();
  await sleep(random.below(1_000));
  await controller.start();
}

async function terminate({ controller }: ClusterStorm): Promise<void> {
  await controller.stop();
  await controller.start();
}

async function pause({ controller, random }: ClusterStorm): Promise<void> {
  controller.pause();
  await sleep(random.chance(0.3) ? 20_000 : random.below(4_000));
  controller.resume();
}

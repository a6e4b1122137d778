import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { kwokNodeName } from '../control-plane/components/kwok.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { type PodMetricsApi, type RunningPod, servePodMetrics } from '../support/pod-metrics-api.ts';
import { badAnswers, listOf, type UsageSample } from './support/bad-answers.ts';
import { type ControllerProcess, startControllerProcess } from './support/controller-process.ts';
import { createPolicyRepository } from './support/policy-repository.ts';
import { withPrintedRights } from './support/printed-rights.ts';
import { policyText } from './support/shop-world.ts';
import { soon } from './support/soon.ts';
import { untilSaid } from './support/until-said.ts';

jest.setTimeout(240_000);

const replicas = 4;
const labels = { app: 'checkout' };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'checkout', namespace: 'shop' },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        nodeName: kwokNodeName,
        containers: [{ name: 'app', image: 'none', resources: { requests: { cpu: '500m' } } }],
      },
    },
  },
};

let folder: string;
let cluster: ControlPlane;
let metrics: PodMetricsApi;
let controller: ControllerProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-bad-input-'));
  cluster = await startControlPlane({ components: ['kube-controller-manager', 'kwok'] });
  await cluster.kubectl(['create', 'namespace', 'shop']);
  metrics = await servePodMetrics(cluster, 'shop', (pods) => ({
    status: 200,
    body: listOf(samplesOf(pods, '290m')),
  }));
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(deployment));
  const repository = createPolicyRepository(join(folder, 'policies'));
  repository.commit('Add policy', { 'shop/checkout.yaml': policyText });
  const configuration = {
    cluster: { name: 'control-plane', kubeconfig: cluster.kubeconfigPath },
    mode: 'Act',
    namespaces: ['shop'],
    dataFolder: join(folder, 'data'),
    sources: [{ name: 'policies', url: repository.url, interval: '1s' }],
    database: { url: `sqlite:${join(folder, 'ledger.db')}` },
    settings: { cpuInitializationPeriodSeconds: 0, initialReadinessDelaySeconds: 0 },
  };
  const operands = [join(folder, 'policies')];
  const granted = await withPrintedRights(cluster, folder, { configuration, operands });
  controller = await startControllerProcess(folder, granted);
  await untilSaid(controller, /Done Unchanged .*cpu 58 % of request, target 60 %/);
});

afterAll(async () => {
  await controller.kill();
  await metrics.stop();
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

function samplesOf(pods: readonly RunningPod[], usage: string): readonly UsageSample[] {
  return pods.map(({ name }) => ({
    metadata: { name, namespace: 'shop', labels },
    timestamp: new Date().toISOString(),
    window: '15s',
    containers: [{ name: 'app', usage: { cpu: usage, memory: '1Mi' } }],
  }));
}

async function scale(): Promise<{ readonly replicas: number; readonly resourceVersion: string }> {
  const { body } = await cluster.api({ path: '/apis/apps/v1/namespaces/shop/deployments/checkout/scale' });
  const { spec, metadata } = body as {
    readonly spec: { readonly replicas: number };
    readonly metadata: { readonly resourceVersion: string };
  };
  return { replicas: spec.replicas, resourceVersion: metadata.resourceVersion };
}

describe('bad input from the metrics API of a real control plane', () => {
  it.each(badAnswers)('leaves the count as it is, and says why: $name', async ({ status, body, want }) => {
    const before = await soon('all pods of the target', async () => {
      const found = await scale();
      return found.replicas === replicas ? found : undefined;
    });
    metrics.answerWith((pods) => ({ status, body: body((usage) => samplesOf(pods, usage)) }));
    await untilSaid(controller, want);
    expect(await scale()).toEqual(before);
  });
});

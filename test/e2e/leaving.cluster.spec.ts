import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { eventually } from '../control-plane/poll.ts';
import { type ControllerProcess, startControllerProcess } from './support/controller-process.ts';
import { createPolicyRepository } from './support/policy-repository.ts';
import { withPrintedRights } from './support/printed-rights.ts';

/** Starting a control plane, scrapes of 10 s, the native controller's 15 s, and a machine that may be busy. */
const timeoutMilliseconds = 180_000;

const deploymentOf = (name: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers: [{name: app, image: "shop/app:1", resources: {requests: {cpu: 100m, memory: 64Mi}}}]
`;

const policyOf = (name: string, actuation: string) => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: ${name}, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}
  actuation: ${actuation}
  minReplicas: 2
  maxReplicas: 8
  interval: 2s
  metrics:
    - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}
`;

const names = ['checkout', 'web'];
const releaseAll = (
  terms: string,
) => `mutation { releaseAll(to: HorizontalPodAutoscaler, reason: "we leave", ${terms}) {
  ... on ActionPreview { effect { digest } }
  ... on LeaveReport { waiting policies { policy { name } result message } }
  ... on ActionRefusal { code message }
} }`;

let folder: string;
let cluster: ControlPlane;
let controller: ControllerProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-leaving-'));
  cluster = await startControlPlane({
    components: ['kube-controller-manager', 'kube-scheduler', 'kwok', 'metrics-server'],
  });
  await cluster.kubectl(['create', 'namespace', 'shop']);
  for (const name of names) await cluster.kubectl(['apply', '-f', '-'], deploymentOf(name));
  const repository = createPolicyRepository(join(folder, 'policies'));
  repository.commit('Scale the shop', {
    'checkout.yaml': policyOf('checkout', 'Scale'),
    'web.yaml': policyOf('web', 'HorizontalPodAutoscaler'),
  });
  const configuration = {
    cluster: { name: 'control-plane', kubeconfig: cluster.kubeconfigPath },
    mode: 'Act',
    namespaces: ['shop'],
    dataFolder: join(folder, 'data'),
    sources: [{ name: 'policies', url: repository.url, interval: '1s' }],
    database: { url: `sqlite:${join(folder, 'ledger.db')}` },
  };
  const operands = [join(folder, 'policies')];
  const granted = await withPrintedRights(cluster, folder, { configuration, operands });
  controller = await startControllerProcess(folder, granted);
}, timeoutMilliseconds);

afterAll(async () => {
  await controller.kill();
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

const until = <T>(description: string, probe: () => Promise<T | undefined>): Promise<T> =>
  eventually({ description, timeoutMilliseconds, probe });
const field = (kind: string, name: string, path: string): Promise<string> =>
  cluster.kubectl(['get', kind, name, '-n', 'shop', '-o', `jsonpath=${path}`]);

it(
  'leaves HPAs that the native controller goes on with after Plimsoll is gone',
  async () => {
    await until('the HPA of the rendered policy', async () => {
      const listed = await cluster.kubectl(['get', 'hpa', '-n', 'shop', '-o', 'name']);
      return listed.includes('/web') || undefined;
    });
    const { releaseAll: rehearsed } = await controller.query<{ releaseAll: { effect: { digest: string } } }>(
      releaseAll('dryRun: true'),
    );
    const confirm = `confirm: "${rehearsed.effect.digest}"`;
    const left = await until('everything left', async () => {
      const { releaseAll: answer } = await controller.query<{ releaseAll: { waiting: number } }>(
        releaseAll(confirm),
      );
      return answer.waiting === 0 ? answer : undefined;
    });
    expect(left).toMatchObject({
      policies: names.map((name) => ({ policy: { name }, result: 'Done' })),
    });
    expect(await controller.stop()).toBe(0);
    for (const name of names) {
      const path = '{.metadata.labels}{.metadata.annotations}{.metadata.ownerReferences}';
      expect(await field('hpa', name, path)).toBe('');
      expect(await field('deployment', name, '{.spec.replicas}')).toBe('2');
    }
    for (const name of names) {
      await cluster.setPodUsage({
        namespace: 'shop',
        labelSelector: `app=${name}`,
        cpu: '90m',
        memory: '50Mi',
      });
    }
    for (const name of names) {
      await until(`more replicas of ${name}`, async () =>
        Number(await field('deployment', name, '{.spec.replicas}')) >= 4 ? true : undefined,
      );
    }
  },
  3 * timeoutMilliseconds,
);

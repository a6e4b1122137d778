import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { eventually } from '../control-plane/poll.ts';
import { type ControllerProcess, startControllerProcess } from './support/controller-process.ts';
import { createPolicyRepository, type PolicyRepository } from './support/policy-repository.ts';
import { withPrintedRights } from './support/printed-rights.ts';

/** Starting a control plane, two scrapes of 10 s, and a machine that may have other things to do. */
const timeoutMilliseconds = 180_000;

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: checkout, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: checkout}}
  template:
    metadata: {labels: {app: checkout}}
    spec:
      containers: [{name: app, image: "shop/checkout:1", resources: {requests: {cpu: 100m, memory: 64Mi}}}]
`;

const policy = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: checkout, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: checkout}
  minReplicas: 2
  maxReplicas: 8
  interval: 2s
  selectionStrategy: OwnerReference
  metrics:
    - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}
`;

describe('the whole path on a real control plane', () => {
  let folder: string;
  let cluster: ControlPlane;
  let repository: PolicyRepository;
  let controller: ControllerProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-cluster-'));
    cluster = await startControlPlane({
      components: ['kube-controller-manager', 'kube-scheduler', 'kwok', 'metrics-server'],
    });
    await cluster.kubectl(['create', 'namespace', 'shop']);
    await cluster.kubectl(['apply', '-f', '-'], deployment);
    repository = createPolicyRepository(join(folder, 'policies'));
    const configuration = {
      cluster: { name: 'control-plane', kubeconfig: cluster.kubeconfigPath },
      mode: 'Act',
      namespaces: ['shop'],
      dataFolder: join(folder, 'data'),
      sources: [{ name: 'policies', url: repository.url, interval: '1s' }],
      database: { url: `sqlite:${join(folder, 'ledger.db')}` },
      settings: { cpuInitializationPeriodSeconds: 10, initialReadinessDelaySeconds: 5 },
    };
    const granted = await withPrintedRights(cluster, folder, { configuration });
    controller = await startControllerProcess(folder, granted);
  }, timeoutMilliseconds);

  afterAll(async () => {
    await controller.kill();
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it(
    'scales a Deployment on the usage of its pods, and says why and which commit allowed it',
    async () => {
      const hash = repository.commit('Add checkout policy', { 'shop/checkout.yaml': policy });
      await eventually({
        description: 'pods of the Deployment',
        timeoutMilliseconds,
        probe: async () => (await readyReplicas()) === 2 || undefined,
      });
      await cluster.setPodUsage({
        namespace: 'shop',
        labelSelector: 'app=checkout',
        cpu: '90m',
        memory: '50Mi',
      });
      // 2 pods × 90 % ÷ 50 % = 3.6 → 4.
      await eventually({
        description: 'four replicas',
        timeoutMilliseconds,
        probe: async () => (await specReplicas()) >= 4 || undefined,
      });
      const { decisions } = await controller.query<Decisions>(decisionsQuery);
      const first = decisions.edges.map(({ node }) => node).at(-1);
      expect(first).toMatchObject({
        currentReplicas: 2,
        desiredReplicas: 4,
        reason: 'cpu resource utilization (percentage of request) above target',
        selection: { requested: 'OwnerReference', effective: 'OwnerReference', fallback: null },
        commit: { hash, subject: 'Add checkout policy' },
      });
    },
    2 * timeoutMilliseconds,
  );

  it(
    'reports a change of strategy on the Deployment, as kubectl shows it',
    async () => {
      await untilTold("SelectionStrategyActive Pod selection strategy 'OwnerReference' is active");
      const text = policy.replace('selectionStrategy: OwnerReference', 'selectionStrategy: LabelSelector');
      const hash = repository.commit('Select by labels', { 'shop/checkout.yaml': text });
      await untilTold('StrategyChanged Pod selection strategy changed from OwnerReference to LabelSelector');
      const { strategyChanges } = await controller.query<StrategyChanges>(strategyChangesQuery);
      expect(strategyChanges.edges[0]?.node).toEqual({
        field: 'selectionStrategy',
        before: 'OwnerReference',
        after: 'LabelSelector',
        commit: { hash, subject: 'Select by labels' },
      });
      expect(await controller.stop()).toBe(0);
      expect(controller.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    },
    timeoutMilliseconds,
  );

  /** Waits for events of the Deployment: `kubectl events --for` asks by its uid too. */
  async function untilTold(...wanted: readonly string[]): Promise<void> {
    await eventually({
      description: wanted.join(', '),
      timeoutMilliseconds,
      probe: async () => {
        const lines = await cluster.kubectl([
          'events',
          '-n',
          'shop',
          '--for=deployment/checkout',
          '-o',
          'jsonpath={range .items[*]}{.type} {.source.component} {.reason} {.message}{"\\n"}{end}',
        ]);
        const found = lines.split('\n');
        return wanted.every((line) => found.includes(`Normal plimsoll ${line}`)) || undefined;
      },
    });
  }

  async function deploymentField(path: string): Promise<number> {
    const text = await cluster.kubectl([
      'get',
      'deployment',
      'checkout',
      '-n',
      'shop',
      '-o',
      `jsonpath={${path}}`,
    ]);
    return Number(text.trim());
  }
  const specReplicas = (): Promise<number> => deploymentField('.spec.replicas');
  const readyReplicas = (): Promise<number> => deploymentField('.status.readyReplicas');
});

const decisionsQuery = `{
  decisions(first: 100, where: { action: ScaleUp }) { edges { node {
    currentReplicas desiredReplicas reason
    selection { requested effective fallback { reason } }
    commit { hash subject }
  } } }
}`;

const strategyChangesQuery = `{
  strategyChanges(first: 1) { edges { node { field before after commit { hash subject } } } }
}`;

interface StrategyChanges {
  readonly strategyChanges: { readonly edges: readonly { readonly node: object }[] };
}

interface Decisions {
  readonly decisions: { readonly edges: readonly { readonly node: object }[] };
}

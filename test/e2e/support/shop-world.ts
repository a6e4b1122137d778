import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type Simulator, startSimulator } from '#simulator';
import { migratedAhead } from '../../support/migrated-ahead.ts';
import { type ControllerProcess, startControllerProcess, type StartOptions } from './controller-process.ts';
import { type HoldingProxy, startHoldingProxy } from './holding-proxy.ts';
import { createPolicyRepository, type PolicyRepository } from './policy-repository.ts';

/** A policy for the shop's Deployment, in a pass a second. */
export const policyText = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: checkout, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: checkout}
  minReplicas: 2
  maxReplicas: 12
  interval: 1s
  metrics:
    - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}
`;

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'checkout', namespace: 'shop' },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: 'checkout' } },
    template: {
      metadata: { labels: { app: 'checkout' } },
      spec: {
        containers: [{ name: 'app', image: 'shop/checkout:1', resources: { requests: { cpu: '500m' } } }],
      },
    },
  },
};

/** A simulated cluster with one Deployment behind a proxy, a policy repository, and a controller's configuration. */
export interface ShopWorld {
  readonly folder: string;
  readonly simulator: Simulator;
  readonly proxy: HoldingProxy;
  readonly repository: PolicyRepository;
  readonly configuration: object;
  /** Starts the built controller on the configuration, changed; it is killed when the world stops. */
  readonly startController: (changes?: object, options?: StartOptions) => Promise<ControllerProcess>;
  readonly stop: () => Promise<void>;
}

/** Starts it in a folder of its own. */
export async function startShopWorld(): Promise<ShopWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-e2e-'));
  const simulator = await startSimulator({ podTimings: { runningAfterSeconds: 0, readyAfterSeconds: 0 } });
  simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  simulator.objects.create(deployment);
  simulator.load.setWorkload(
    { namespace: 'shop', kind: 'Deployment', name: 'checkout' },
    { app: { cpu: { kind: 'Constant', value: 1_160 }, share: 'Total' } },
  );
  simulator.runPending();
  const proxy = await startHoldingProxy(simulator.url);
  const kubeconfig = join(folder, 'kubeconfig');
  const clusters = [{ name: 'simulator', cluster: { server: proxy.url } }];
  const contexts = simulator.kubeconfig.contexts.map((context) => ({
    ...context,
    context: { ...context.context, cluster: 'simulator' },
  }));
  await writeFile(kubeconfig, stringify({ ...simulator.kubeconfig, clusters, contexts }));
  const repository = createPolicyRepository(join(folder, 'policies'));
  const configuration = {
    cluster: { name: 'e2e', kubeconfig },
    mode: 'Act',
    namespaces: ['shop'],
    dataFolder: join(folder, 'data'),
    sources: [{ name: 'policies', url: repository.url, interval: '1s' }],
    database: { url: await migratedAhead(`sqlite:${join(folder, 'ledger.db')}`) },
    settings: { cpuInitializationPeriodSeconds: 0, initialReadinessDelaySeconds: 0 },
  };
  const controllers: ControllerProcess[] = [];
  const startController = async (
    changes: object = {},
    options: StartOptions = {},
  ): Promise<ControllerProcess> => {
    const controller = await startControllerProcess(folder, { ...configuration, ...changes }, options);
    controllers.push(controller);
    return controller;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(controllers.map((controller) => controller.kill()));
    await proxy.stop();
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, simulator, proxy, repository, configuration, startController, stop };
}

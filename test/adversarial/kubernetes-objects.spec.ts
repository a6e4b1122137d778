import { afterEach, describe, expect, it } from '@jest/globals';
import { type Kubernetes, openKubernetes } from '#adapter-kubernetes';
import { FakeLog } from '#reconciliation/testing';
import { type Simulator, startSimulator } from '#simulator';
import { aPod } from '../support/simulated-kubernetes.ts';

const query = { namespace: 'shop', selector: 'app=checkout' };
const never = new AbortController().signal;

let simulator: Simulator;
let kubernetes: Kubernetes;

afterEach(async () => {
  await kubernetes.stop();
  await simulator.stop();
});

describe("a tenant's objects", () => {
  it('that are as large as etcd takes do not keep the caches from being listed', async () => {
    const note = 'x'.repeat(1024 * 1024);
    await start(40, { note });
    const listing = kubernetes.pods.listPods(query);
    expect(listing.state === 'Synced' && listing.pods.length).toBe(40);
  });

  it('with thousands of owners cost a bounded number of requests', async () => {
    const owner = (index: number) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: `c${index}`,
      uid: String(index),
    });
    await start(
      1,
      {},
      Array.from({ length: 10_000 }, (_, index) => owner(index)),
    );
    const listing = kubernetes.pods.listPods(query);
    const pods = listing.state === 'Synced' ? listing.pods : [];
    await kubernetes.owners.resolveOwners({ policy: 'shop/checkout', namespace: 'shop', pods }, never);
    expect(kubernetes.health().ownerCache).toMatchObject({ misses: 64 });
  });
});

async function start(
  count: number,
  annotations: Readonly<Record<string, string>>,
  owners: Parameters<typeof aPod>[1] = [],
): Promise<void> {
  simulator = await startSimulator({ controllers: 'ApiOnly' });
  simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  for (let index = 0; index < count; index += 1) {
    const pod = aPod(`p${index}`, owners);
    simulator.objects.create({ ...pod, metadata: { ...pod.metadata, annotations } });
  }
  const connection = { kind: 'Explicit', kubeconfig: simulator.kubeconfigYaml } as const;
  kubernetes = openKubernetes({ connection, namespaces: ['*'], log: new FakeLog() });
  kubernetes.start();
  await kubernetes.whenSynced(45_000);
}

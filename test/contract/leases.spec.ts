import { expect, it } from '@jest/globals';
import { openKubernetes } from '#adapter-kubernetes';
import type { LeasePort } from '#coordination';
import { InMemoryLeases } from '#coordination/testing';
import { FakeLog } from '#reconciliation/testing';
import { type NewObject, startSimulator } from '#simulator';
import { describeLeases, type LeaseWorld } from './leases.suite.ts';

const place = { namespace: 'plimsoll-system', prefix: 'plimsoll', timeoutMilliseconds: 10_000 };

describeLeases('Leases in memory', () =>
  Promise.resolve({ leases: new InMemoryLeases(), stop: () => Promise.resolve() }),
);

describeLeases('Leases of the simulated API server', simulatedWorld);

it("leaves Leases of other prefixes alone, and reads those of another program's hand", async () => {
  const { leases, stop, create } = await simulatedWorld();
  try {
    create('kube-scheduler', { holderIdentity: 'x', leaseDurationSeconds: 15 });
    create('plimsoll-leader', { holderIdentity: 'y', leaseDurationSeconds: 15, leaseTransitions: 2 });
    create('plimsoll-shard-0', {});
    const empty = {
      acquireTime: null,
      renewTime: null,
      advertisedUrl: null,
      takesShards: true,
      reachesDatabase: true,
      version: null,
      settings: null,
    };
    expect((await leases.list()).map(({ name, record }) => ({ name, ...record }))).toEqual([
      { name: 'plimsoll-leader', holder: 'y', durationMilliseconds: 15_000, transitions: 2, ...empty },
      { name: 'plimsoll-shard-0', holder: null, durationMilliseconds: null, transitions: 0, ...empty },
    ]);
  } finally {
    await stop();
  }
});

it('rehearses no creation in a namespace that is not there', async () => {
  const { leasesIn, stop } = await simulatedWorld();
  try {
    const absent = leasesIn('nowhere');
    await expect(absent.rehearse('create', 'plimsoll-trial')).rejects.toMatchObject({ code: 'NotFound' });
    await absent.rehearse('update', 'plimsoll-trial');
  } finally {
    await stop();
  }
});

it('names the namespace where one that is not there keeps a Lease from being made', async () => {
  const { leases, leasesIn, create, stop } = await simulatedWorld();
  try {
    create('plimsoll-leader', { holderIdentity: 'y' });
    const [observed] = await leases.list();
    const absent = leasesIn('nowhere');
    await expect(absent.create('plimsoll-leader', observed!.record)).rejects.toMatchObject({
      code: 'NotFound',
      message: 'there is no namespace nowhere to make plimsoll-leader in (coordination.namespace)',
    });
    expect(await absent.update(observed!, observed!.record)).toEqual({ kind: 'Conflict' });
  } finally {
    await stop();
  }
});

async function simulatedWorld(): Promise<
  LeaseWorld & {
    readonly create: (name: string, spec: NewObject['spec']) => void;
    readonly leasesIn: (namespace: string) => LeasePort;
  }
> {
  const simulator = await startSimulator({ controllers: 'ApiOnly' });
  const { namespace } = place;
  simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const kubernetes = openKubernetes({
    connection: { kind: 'Explicit', kubeconfig: simulator.kubeconfigYaml },
    // Neither of them keeps the replicas from electing.
    namespaces: ['shop'],
    isReadOnly: true,
    log: new FakeLog(),
  });
  return {
    leases: kubernetes.leasesOf(place),
    leasesIn: (other) => kubernetes.leasesOf({ ...place, namespace: other }),
    create: (name, spec) => {
      const metadata = { name, namespace };
      simulator.objects.create({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
    },
    stop: async () => {
      await kubernetes.stop();
      await simulator.stop();
    },
  };
}

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KubeObject, textAt, withValueAt } from '../objects/kube-object.ts';
import { isActive, isReady } from '../objects/pod-status.ts';
import { aCluster, aWorkload, podsOf, type TestCluster, testNamespace } from '../simulator.fixture.ts';
import { neverReadyAnnotation, runSecondsAnnotation } from './kubelet.ts';

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: testNamespace, name: 'web' };

let cluster: TestCluster;

beforeEach(async () => {
  cluster = await aCluster();
});

afterEach(() => cluster.simulator.stop());

/** Lets the controllers act, and time pass. */
function pass(seconds: number): void {
  cluster.simulator.runPending();
  cluster.clock.advance(seconds * 1000);
}

function statusOf(name: typeof deployment): unknown {
  return cluster.simulator.objects.find(name)?.['status'];
}

function patchTemplate(change: (spec: KubeObject) => KubeObject): void {
  cluster.simulator.objects.update(deployment, change);
}

describe('a Deployment', () => {
  it('makes a ReplicaSet that makes pods, which run and then are ready', () => {
    cluster.simulator.objects.create(aWorkload('Deployment', 'web', { replicas: 3 }));
    pass(0);
    expect(podsOf(cluster).map((pod) => textAt(pod, 'status', 'phase'))).toEqual([
      'Pending',
      'Pending',
      'Pending',
    ]);
    pass(1);
    const [pod] = podsOf(cluster);
    expect(pod).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'ReplicaSet', controller: true }], labels: { app: 'web' } },
      status: {
        phase: 'Running',
        startTime: '2026-03-01T12:00:00Z',
        conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'False' })]),
      },
    });
    expect(statusOf(deployment)).toMatchObject({ replicas: 3, unavailableReplicas: 3 });
    pass(1);
    expect(podsOf(cluster).every(isReady)).toBe(true);
    expect(podsOf(cluster)[0]).toMatchObject({
      status: {
        conditions: expect.arrayContaining([
          expect.objectContaining({
            type: 'Ready',
            status: 'True',
            lastTransitionTime: '2026-03-01T12:00:02Z',
          }),
        ]),
      },
    });
    expect(statusOf(deployment)).toMatchObject({ observedGeneration: 1, replicas: 3, readyReplicas: 3 });
  });

  it('scales down by deleting pods, those first that are not ready', () => {
    cluster.simulator.objects.create(aWorkload('Deployment', 'web', { replicas: 2 }));
    pass(5);
    const ready = podsOf(cluster).map(({ metadata }) => metadata.name);
    cluster.simulator.objects.scale(deployment, 4);
    pass(0);
    cluster.simulator.objects.scale(deployment, 2);
    pass(0);
    const kept = podsOf(cluster).filter(isActive);
    expect(kept.map(({ metadata }) => metadata.name)).toEqual(ready);
    pass(1);
    expect(podsOf(cluster)).toHaveLength(2);
  });

  it('rolls a new template out with at most a quarter more pods and a quarter fewer ready', () => {
    cluster.simulator.objects.create(aWorkload('Deployment', 'web', { replicas: 8 }));
    pass(5);
    const labels = ['spec', 'template', 'metadata', 'labels'];
    patchTemplate((live) => withValueAt(live, [...labels, 'version'], '2') as KubeObject);
    let [most, fewest] = [0, 8];
    for (let step = 0; step < 20; step += 1) {
      pass(0.5);
      const active = podsOf(cluster).filter(isActive);
      most = Math.max(most, active.length);
      fewest = Math.min(fewest, active.filter(isReady).length);
    }
    expect({ most, fewest }).toEqual({ most: 10, fewest: 6 });
    expect(podsOf(cluster).map(({ metadata }) => metadata.labels?.['version'])).toEqual(Array(8).fill('2'));
    expect(statusOf(deployment)).toMatchObject({ replicas: 8, updatedReplicas: 8, readyReplicas: 8 });
  });

  it('takes its ReplicaSets and pods with it', () => {
    cluster.simulator.objects.create(aWorkload('Deployment', 'web', { replicas: 2 }));
    pass(5);
    cluster.simulator.objects.delete(deployment);
    pass(1);
    expect(podsOf(cluster)).toEqual([]);
    expect(cluster.simulator.store.list('apps/replicasets')).toEqual([]);
  });

  it.each([
    ['Orphan', 1, 2],
    ['Foreground', 0, 0],
  ])('leaves what a delete with %s leaves', async (propagationPolicy, sets, pods) => {
    cluster.simulator.objects.create(aWorkload('Deployment', 'web', { replicas: 2 }));
    pass(5);
    const { url, token, store } = cluster.simulator;
    await fetch(`${url}/apis/apps/v1/namespaces/${testNamespace}/deployments/web`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ propagationPolicy }),
    });
    pass(1);
    expect(cluster.simulator.objects.find(deployment)).toBeUndefined();
    expect(store.list('apps/replicasets')).toHaveLength(sets);
    expect(podsOf(cluster)).toHaveLength(pods);
  });

  it('stays unavailable while its pods never get ready', () => {
    const workload = aWorkload('Deployment', 'web', { replicas: 2 });
    const annotations = ['spec', 'template', 'metadata', 'annotations'];
    cluster.simulator.objects.create(
      withValueAt(workload, annotations, { [neverReadyAnnotation]: 'true' }) as KubeObject,
    );
    pass(60);
    expect(podsOf(cluster).map((pod) => textAt(pod, 'status', 'phase'))).toEqual(['Running', 'Running']);
    expect(statusOf(deployment)).toMatchObject({ replicas: 2, unavailableReplicas: 2 });
  });
});

describe('a StatefulSet', () => {
  it('starts one pod after the other, and takes the last one first', () => {
    cluster.simulator.objects.create(aWorkload('StatefulSet', 'db', { replicas: 3, serviceName: 'db' }));
    const names = (): string[] => podsOf(cluster).map(({ metadata }) => metadata.name);
    pass(1);
    expect(names()).toEqual(['db-0']);
    pass(6);
    expect(names()).toEqual(['db-0', 'db-1', 'db-2']);
    const name = { ...deployment, kind: 'StatefulSet', name: 'db' };
    cluster.simulator.objects.scale(name, 1);
    pass(1);
    expect(names()).toEqual(['db-0']);
    expect(statusOf(name)).toMatchObject({ replicas: 1, readyReplicas: 1 });
  });
});

describe('a Job', () => {
  it('runs so many pods at a time until enough have succeeded', () => {
    const job = aWorkload('Job', 'reindex', { parallelism: 2, completions: 3 });
    const annotations = ['spec', 'template', 'metadata', 'annotations'];
    cluster.simulator.objects.create(
      withValueAt(job, annotations, { [runSecondsAnnotation]: '10' }) as KubeObject,
    );
    pass(5);
    const name = { apiVersion: 'batch/v1', kind: 'Job', namespace: testNamespace, name: 'reindex' };
    expect(statusOf(name)).toMatchObject({ active: 2, ready: 2 });
    pass(30);
    expect(statusOf(name)).toMatchObject({
      succeeded: 3,
      conditions: [{ type: 'Complete', status: 'True' }],
    });
    expect(podsOf(cluster).filter(isActive)).toEqual([]);
  });
});

describe('a Namespace', () => {
  it('goes once everything in it is gone', () => {
    cluster.simulator.objects.create(aWorkload('Deployment', 'web', { replicas: 2 }));
    pass(5);
    const name = { apiVersion: 'v1', kind: 'Namespace', name: testNamespace };
    cluster.simulator.objects.delete(name);
    pass(0);
    expect(cluster.simulator.objects.find(name)).toMatchObject({ status: { phase: 'Terminating' } });
    expect(() => cluster.simulator.objects.create(aWorkload('Deployment', 'late'))).toThrow(
      'being terminated',
    );
    pass(1);
    expect(cluster.simulator.objects.find(name)).toBeUndefined();
  });
});

describe('an Event', () => {
  const event = { apiVersion: 'v1', kind: 'Event', namespace: testNamespace, name: 'web.1' };

  it('is gone an hour after it was written last', () => {
    const { objects } = cluster.simulator;
    const { namespace, name, ...type } = event;
    const involvedObject = { kind: 'Deployment', namespace, name: 'web' };
    objects.create({ ...type, metadata: { namespace, name }, involvedObject, count: 1 });
    pass(3_000);
    objects.update(event, (known) => ({ ...known, count: 2 }));
    pass(3_599);
    expect(objects.find(event)).toMatchObject({ count: 2 });
    pass(1);
    expect(objects.find(event)).toBeUndefined();
  });
});

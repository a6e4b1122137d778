import { describe, expect, it } from '@jest/globals';
import { parseKubeObject } from '../api/kube-object.ts';
import { Interner } from './interner.ts';
import { slimPod } from './slim-pod.ts';

const reference = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: 'r',
  uid: 'ru',
  controller: true,
  blockOwnerDeletion: true,
};

function pod(name: string): unknown {
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-of-${name}`,
      resourceVersion: '5',
      labels: { app: 'checkout' },
      annotations: { large: 'x'.repeat(1000) },
      ownerReferences: [reference],
      managedFields: [{ manager: 'kubelet' }],
      deletionTimestamp: '2026-11-20T12:00:30Z',
    },
    spec: {
      nodeName: 'n',
      containers: [
        {
          name: 'application',
          image: 'i',
          env: [],
          resources: { requests: { cpu: '100m' }, limits: { cpu: '1' } },
        },
      ],
      initContainers: [
        { name: 'mesh', restartPolicy: 'Always', resources: { requests: { cpu: '10m' } } },
        { name: 'setup' },
      ],
      resources: { requests: { memory: '1Gi' } },
    },
    status: {
      phase: 'Running',
      startTime: '2026-11-20T12:00:00Z',
      conditions: [
        { type: 'Initialized', status: 'True', lastTransitionTime: '2026-11-20T12:00:01Z' },
        { type: 'Ready', status: 'False', lastTransitionTime: '2026-11-20T12:00:05Z', reason: 'x' },
      ],
    },
  };
}

describe('slimPod', () => {
  it('keeps what the decision contract reads, and nothing else', () => {
    const { apiVersion, kind, name, uid, controller } = reference;
    expect(slimPod(parseKubeObject(pod('a')), { interner: new Interner() })).toEqual({
      name: 'a',
      uid: 'uid-of-a',
      labels: { app: 'checkout' },
      ownerReferences: [{ apiVersion, kind, name, uid, controller }],
      phase: 'Running',
      startTime: '2026-11-20T12:00:00Z',
      deletionTimestamp: '2026-11-20T12:00:30Z',
      ready: { status: 'False', lastTransitionTime: '2026-11-20T12:00:05Z' },
      containers: [{ name: 'application', requests: { cpu: '100m' } }],
      initContainers: [
        { name: 'mesh', restartPolicy: 'Always', requests: { cpu: '10m' } },
        { name: 'setup', requests: {} },
      ],
      resources: { requests: { memory: '1Gi' } },
    });
  });

  it('shares between pods what is equal in them', () => {
    const interner = new Interner();
    const [a, b] = ['a', 'b'].map((name) => slimPod(parseKubeObject(pod(name)), { interner }));
    expect(a?.labels).toBe(b?.labels);
    expect(a?.ownerReferences).toBe(b?.ownerReferences);
    expect(a?.containers).toBe(b?.containers);
    expect(interner.size).toBe(5);
  });

  it('shares with the pod before it what is equal, without looking for it elsewhere', () => {
    const interner = new Interner();
    const before = slimPod(parseKubeObject(pod('a')), { interner: new Interner() });
    const after = slimPod(parseKubeObject(pod('b')), { interner, before });
    expect(after).toEqual({ ...before, name: 'b', uid: 'uid-of-b' });
    expect(after.labels).toBe(before.labels);
    expect(after.ownerReferences).toBe(before.ownerReferences);
    expect(after.ready).toBe(before.ready);
    expect(after.containers).toBe(before.containers);
    expect(after.initContainers).toBe(before.initContainers);
    expect(after.resources).toBe(before.resources);
    expect(interner.size).toBe(0);
  });

  it('keeps of a pod what the pod before it has otherwise', () => {
    const interner = new Interner();
    const bare = parseKubeObject({ metadata: { name: 'a' }, spec: { containers: [] }, status: {} });
    const alone = slimPod(parseKubeObject(pod('b')), { interner });
    const before = slimPod(bare, { interner });
    expect(slimPod(parseKubeObject(pod('b')), { interner, before })).toEqual(alone);
    expect(slimPod(bare, { interner, before: alone })).toEqual(before);
  });

  it('takes a pod that the scheduler has not seen yet', () => {
    const bare = parseKubeObject({ metadata: { name: 'a' }, spec: { containers: [] }, status: {} });
    expect(slimPod(bare, { interner: new Interner() })).toEqual({
      name: 'a',
      uid: '',
      labels: {},
      ownerReferences: [],
      ready: null,
      containers: [],
      initContainers: [],
    });
  });
});

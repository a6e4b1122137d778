import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { parseKubeObject } from '../api/kube-object.ts';
import { slimWorkload } from './workload.ts';

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment' };
const stated = { replicas: 4, readyReplicas: 3, updatedReplicas: 2, observedGeneration: 7 };

function rolloutOf(spec: JsonObject, status: JsonObject = stated) {
  const metadata = { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '9', generation: 7 };
  return slimWorkload(parseKubeObject({ metadata, spec, status }), deployment).scale.rollout;
}

describe('slimWorkload', () => {
  it.each([
    {
      name: 'the status, and the deadline of the spec',
      spec: { progressDeadlineSeconds: 60 },
      want: { readyReplicas: 3, updatedReplicas: 2, isObserved: true, progressDeadlineSeconds: 60 },
    },
    {
      name: "Kubernetes' deadline where the spec has none",
      spec: {},
      want: { progressDeadlineSeconds: 600 },
    },
    {
      name: 'a controller that is behind',
      spec: {},
      status: { observedGeneration: 6 },
      want: { isObserved: false },
    },
    {
      name: 'a status without counts as none',
      spec: {},
      status: {},
      want: { readyReplicas: 0, updatedReplicas: 0 },
    },
    {
      name: 'why pods cannot be made',
      spec: {},
      status: {
        conditions: [
          { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'timed out' },
          { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota: pods' },
        ],
      },
      want: { failure: 'FailedCreate: exceeded quota: pods' },
    },
    {
      name: 'no failure that is over',
      spec: {},
      status: { conditions: [{ type: 'ReplicaFailure', status: 'False', reason: 'FailedCreate' }] },
      want: { failure: null },
    },
    {
      name: 'the beginning of what a webhook says at length',
      spec: {},
      status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'no'.repeat(1_000) }] },
      want: { failure: 'no'.repeat(150) },
    },
    { name: 'no update of a paused rollout', spec: { paused: true }, want: { updatedReplicas: null } },
    {
      name: 'no update on delete',
      spec: { updateStrategy: { type: 'OnDelete' } },
      want: { updatedReplicas: null },
    },
    {
      name: 'no update of a partition',
      spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
      want: { updatedReplicas: null },
    },
    {
      name: 'the update of a rolling StatefulSet',
      spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } },
      want: { updatedReplicas: 2 },
    },
  ])('takes $name', ({ spec, status, want }) => {
    expect(rolloutOf(spec, status)).toMatchObject(want);
  });
});

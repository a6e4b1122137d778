import { describe, expect, it } from '@jest/globals';
import { PolicyConditions } from '../outcome/policy-conditions.ts';
import type { ScaleState } from '../ports/scale.port.ts';
import {
  availableState,
  degradedState,
  progressingState,
  type TargetProgress,
  targetProgress,
} from './target-conditions.ts';

const settled: TargetProgress = {
  desired: 4,
  ready: 4,
  updated: 4,
  isObserved: true,
  progressDeadlineSeconds: 600,
  failure: null,
  pending: 0,
  isNative: false,
};

const quota = 'FailedCreate: pods "web-1" is forbidden: exceeded quota: pods';

const scale: ScaleState = {
  uid: 'uid',
  resourceVersion: '7',
  specReplicas: 4,
  statusReplicas: 5,
  selector: 'app=checkout',
};

describe('targetProgress', () => {
  const rollout = {
    ...{ readyReplicas: 2, updatedReplicas: 3, isObserved: false, progressDeadlineSeconds: 60 },
    failure: quota,
  };
  const pods = [
    { name: 'a', ready: { status: 'True' } },
    { name: 'b', ready: { status: 'True' }, deletionTimestamp: '2026-11-20T12:00:00Z' },
    { name: 'c', ready: { status: 'False' } },
    { name: 'd', phase: 'Pending' },
    { name: 'e', phase: 'Pending', deletionTimestamp: '2026-11-20T12:00:00Z' },
  ];
  it.each([
    {
      name: "the status of a workload, and wants the scale's replicas",
      given: { scale: { ...scale, rollout }, pods, isNative: false },
      want: {
        desired: 4,
        ready: 2,
        updated: 3,
        isObserved: false,
        progressDeadlineSeconds: 60,
        failure: quota,
        pending: 1,
        isNative: false,
      },
    },
    {
      name: "the replicas of the target's status where the native controller scales",
      given: { scale: { ...scale, rollout }, pods, isNative: true },
      want: { desired: 5, isNative: true },
    },
    {
      name: 'ready pods that are not deleted where the scale says nothing of a rollout',
      given: { scale, pods, isNative: false },
      want: { ready: 1, updated: null, isObserved: true, progressDeadlineSeconds: 600 },
    },
    {
      name: 'nothing where no pods were looked at either',
      given: { scale, pods: null, isNative: false },
      want: { ready: null },
    },
  ])('takes $name', ({ given, want }) => {
    expect(targetProgress(given.scale, given)).toMatchObject(want);
  });
});

describe('availableState', () => {
  it.each([
    [{}, 'True', 'ReplicasReady', '4 of 4 replicas are ready'],
    [{ ready: 1 }, 'True', 'ReplicasReady', '1 of 4 replicas are ready'],
    [{ ready: 0 }, 'False', 'NoReplicaReady', '0 of 4 replicas are ready'],
    [{ ready: 0, desired: 1 }, 'False', 'NoReplicaReady', '0 of 1 replica is ready'],
    [{ ready: 0, desired: 0 }, 'True', 'ScaledToZero', 'no replica is wanted'],
    [{ ready: null }, 'Unknown', 'ReplicasUnknown', 'how many of 4 replicas are ready is not known'],
    [{ isNative: true }, 'True', 'ReplicasReady', '4 of 4 replicas are ready (HPA-managed)'],
    [{ isNative: true, ready: 0 }, 'False', 'NoReplicaReady', '0 of 4 replicas are ready (HPA-managed)'],
    [{ isNative: true, desired: 0, ready: 0 }, 'True', 'ScaledToZero', 'no replica is wanted (HPA-managed)'],
  ])('of %j is %s, %s', (changes, ...want) => {
    const [status, reason, message] = want;
    expect(availableState({ ...settled, ...changes })).toEqual({
      type: 'Available',
      status,
      reason,
      message,
    });
  });
});

describe('progressingState', () => {
  it.each([
    [{}, 'False', 'ReplicasReady', '4 of 4 replicas are ready'],
    [{ ready: 5 }, 'False', 'ReplicasReady', '5 of 4 replicas are ready'],
    [{ ready: 3 }, 'True', 'ReplicasNotReady', '3 of 4 replicas are ready'],
    [{ ready: 3, pending: 1 }, 'True', 'ReplicasNotReady', '3 of 4 replicas are ready: 1 pod is Pending'],
    [{ ready: 1, pending: 2 }, 'True', 'ReplicasNotReady', '1 of 4 replicas are ready: 2 pods are Pending'],
    [{ pending: 1 }, 'False', 'ReplicasReady', '4 of 4 replicas are ready'],
    [{ ready: 3, failure: quota }, 'True', 'ReplicaFailure', `3 of 4 replicas are ready: ${quota}`],
    [{ updated: 2, failure: quota }, 'True', 'ReplicaFailure', `2 of 4 replicas are up to date: ${quota}`],
    [{ failure: quota }, 'False', 'ReplicasReady', '4 of 4 replicas are ready'],
    [{ updated: 2 }, 'True', 'ReplicasNotUpdated', '2 of 4 replicas are up to date'],
    [{ updated: null }, 'False', 'ReplicasReady', '4 of 4 replicas are ready'],
    [
      { isObserved: false },
      'True',
      'GenerationNotObserved',
      'the latest change of the target has not been observed yet',
    ],
    [{ ready: null }, 'Unknown', 'ReplicasUnknown', 'how many of 4 replicas are ready is not known'],
    [{ desired: 0, ready: 0, updated: 0 }, 'False', 'ReplicasReady', '0 of 0 replicas are ready'],
  ])('of %j is %s, %s', (changes, ...want) => {
    const [status, reason, message] = want;
    expect(progressingState({ ...settled, ...changes })).toEqual({
      type: 'Progressing',
      status,
      reason,
      message,
    });
  });
});

describe('degradedState', () => {
  const since = '2026-11-20T12:00:00.000Z';
  const progressing = progressingState({ ...settled, ready: 3 });
  const obstacle = (type: string, status: 'True' | 'False' = 'True') =>
    ({ type, status, reason: type, message: `${type} is in the way` }) as const;
  it.each([
    {
      name: 'while all is as expected',
      states: [progressingState(settled)],
      after: 9_999,
      want: 'False/AsExpected',
    },
    {
      name: 'while progress lasts for the deadline',
      states: [progressing],
      after: 600,
      want: 'False/AsExpected',
    },
    {
      name: 'once progress lasts for longer',
      states: [progressing],
      after: 601,
      want: 'True/ProgressDeadlineExceeded',
    },
    { name: 'on a conflict', states: [obstacle('Conflict')], after: 0, want: 'True/Conflict' },
    { name: 'on a contest', states: [obstacle('Contested')], after: 0, want: 'True/Contested' },
    {
      name: 'where a field is not supported',
      states: [obstacle('FieldNotSupported')],
      after: 0,
      want: 'True/FieldNotSupported',
    },
    {
      name: 'on a conflict rather than on slow progress',
      states: [progressing, obstacle('Conflict')],
      after: 601,
      want: 'True/Conflict',
    },
    {
      name: 'once the conflict is over',
      states: [obstacle('Conflict', 'False')],
      after: 0,
      want: 'False/AsExpected',
    },
    {
      name: 'where the progress is not known',
      states: [progressingState({ ...settled, ready: null })],
      after: 0,
      want: 'Unknown/ReplicasUnknown',
    },
  ])('is $want $name', ({ states, after, want }) => {
    const conditions = new PolicyConditions();
    for (const state of states) conditions.set(state, since);
    const time = new Date(Date.parse(since) + after * 1_000).toISOString();
    const { status, reason } = degradedState(conditions, { time, progressDeadlineSeconds: 600 });
    expect(`${status}/${reason}`).toBe(want);
  });
});

import { expect, it } from '@jest/globals';
import { stateDetails } from './state-details.ts';

const since = '2026-11-22T03:12:00Z';
const condition = (type: string, status: 'True' | 'False', message: string) => ({
  type,
  status,
  message,
  lastTransitionTime: since,
});
const rejection = { by: 'ann', reason: 'too low', time: since };
const hold = { digest: 'd', commit: 'c', source: 'policies', causes: [] };
const policy = {
  rejectedCommit: null,
  holds: [
    { ...hold, isRejected: false, rejection: null },
    { ...hold, isRejected: true, rejection },
  ],
  windows: [
    {
      ...{ kind: 'Schedule' as const, name: 'night', minReplicas: 4, maxReplicas: null, direction: null },
      ...{ since, until: '2026-11-22T05:00:00Z' },
    },
    {
      ...{ kind: 'Freeze' as const, name: 'sale', minReplicas: null, maxReplicas: null },
      ...{ direction: 'Down' as const, since: null, until: null },
    },
  ],
  staleSince: '2026-11-22T02:00:00Z',
  status: {
    time: since,
    outcome: 'Stalled' as const,
    reason: 'Conflict',
    message: '',
    replicas: 4,
    statusReplicas: 4,
    ...{ evaluatedBy: 'ThisReplica' as const, shard: 0 },
    conditions: [
      condition(
        'Conflict',
        'True',
        'shop/web 3 → 4 not written: HorizontalPodAutoscaler web scales the same target',
      ),
      condition('Contested', 'False', 'nobody undoes what is written'),
      condition('Degraded', 'True', 'for more than 600 s 4 of 6 replicas are ready: exceeded quota'),
    ],
  },
};

it('of what is overdue, the cluster’s own reason is said', () => {
  expect(stateDetails('Overdue', policy)).toEqual({
    message: 'for more than 600 s 4 of 6 replicas are ready: exceeded quota',
    since,
  });
});

it('a commit with errors is named with its tenant and the first of them', () => {
  const rejectedCommit = {
    commit: '0123456789',
    tenant: 'shop',
    message: '1 error: a.yaml:3:1: bad',
    notVisible: null,
  };
  expect(stateDetails('Rejected', { ...policy, rejectedCommit })).toEqual({
    message: 'Commit 0123456 is not in force: tenant shop: 1 error: a.yaml:3:1: bad',
    since: null,
  });
  const notVisible = 'needs viewer of all namespaces of source policies';
  const root = { ...rejectedCommit, tenant: '', message: null, notVisible };
  expect(stateDetails('Rejected', { ...policy, rejectedCommit: root }).message).toBe(
    'Commit 0123456 is not in force: it has errors (not visible to you: needs viewer of all namespaces of source policies)',
  );
});

it('a conflict names the other autoscaler, and since when it is there', () => {
  expect(stateDetails('Conflict', policy)).toEqual({
    message: 'HorizontalPodAutoscaler web scales the same target',
    since,
  });
});

it('a stale source says since when it is one', () => {
  expect(stateDetails('StaleSource', policy)).toEqual({ message: null, since: policy.staleSince });
});

it('a rejection says whose it is, why, and since when', () => {
  expect(stateDetails('Rejected', policy)).toEqual({ message: 'ann: too low', since });
});

it.each(['Contested', 'AtMaximum', 'Waiting'] as const)(
  'nothing is added to %s, which no condition states',
  (state) => {
    expect(stateDetails(state, policy)).toEqual({ message: null, since: null });
    expect(stateDetails(state, { ...policy, status: null })).toEqual({ message: null, since: null });
  },
);

it('says which window acts, what it does, and until when', () => {
  expect(stateDetails('Scheduled', policy)).toEqual({
    message: expect.stringMatching(/^Schedule night: at least 4, until .*05:00/),
    since,
  });
  expect(stateDetails('Frozen', policy)).toEqual({ message: 'sale', since: null });
});

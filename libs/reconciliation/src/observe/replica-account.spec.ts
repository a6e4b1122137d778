import { describe, expect, it } from '@jest/globals';
import { accountFor, isLater } from './replica-account.ts';

const target = { namespace: 'shop', apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const account = (replicas: number, resourceVersion: string, uid = 'u') => ({
  uid,
  replicas,
  resourceVersion,
});
const scale = (specReplicas: number, resourceVersion: string, uid = 'u') => ({
  uid,
  resourceVersion,
  specReplicas,
  statusReplicas: specReplicas,
  selector: 'app=web',
  writer: { manager: 'kubectl', time: '2026-11-20T12:00:05Z' },
});
const seen = (from: number, to: number, resourceVersion: string) => ({
  target,
  uid: 'u',
  from,
  to,
  manager: 'helm',
  time: '2026-11-20T12:00:01Z',
  resourceVersion,
});
const byHelm = { manager: 'helm', time: '2026-11-20T12:00:01Z' };
const byKubectl = { manager: 'kubectl', time: '2026-11-20T12:00:05Z' };

describe('accountFor', () => {
  it.each([
    { name: 'nothing on the first sight', before: null, changes: [], now: scale(4, '9'), want: [] },
    {
      name: 'nothing where nothing changed',
      before: account(4, '9'),
      changes: [],
      now: scale(4, '12'),
      want: [],
    },
    {
      name: 'what the watch saw, step by step',
      before: account(4, '9'),
      changes: [seen(4, 6, '10'), seen(6, 5, '11')],
      now: scale(5, '11'),
      want: [
        { from: 4, to: 6, ...byHelm },
        { from: 6, to: 5, ...byHelm },
      ],
    },
    {
      name: 'what no watch saw, by the difference',
      before: account(4, '9'),
      changes: [],
      now: scale(7, '15'),
      want: [{ from: 4, to: 7, ...byKubectl }],
    },
    {
      name: 'our own write not at all, though the watch saw it too',
      before: account(6, '10'),
      changes: [seen(4, 6, '10')],
      now: scale(6, '10'),
      want: [],
    },
    {
      name: 'a change later than the scale in the next pass only',
      before: account(4, '9'),
      changes: [seen(4, 6, '100')],
      now: scale(4, '99'),
      want: [],
    },
    {
      name: 'what happened while the controller was down, by the restored count',
      before: { uid: null, replicas: 4, resourceVersion: null },
      changes: [],
      now: scale(7, '15'),
      want: [{ from: 4, to: 7, ...byKubectl }],
    },
    {
      name: 'a target made again as a new account',
      before: account(4, '9', 'old'),
      changes: [],
      now: scale(1, '20'),
      want: [],
    },
  ])('records $name', ({ before, changes, now, want }) => {
    const accounting = accountFor(before, changes, now);
    expect(accounting.changes).toEqual(want);
    expect(accounting.account).toEqual(account(now.specReplicas, now.resourceVersion));
  });
});

describe('isLater', () => {
  it.each([
    ['10', '9', true],
    ['9', '10', false],
    ['10', '10', false],
    ['18446744073709551616', '18446744073709551615', true],
  ])('%s after %s: %s', (left, right, want) => {
    expect(isLater(left, right)).toBe(want);
  });
});

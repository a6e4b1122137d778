import { describe, expect, it } from '@jest/globals';
import { type Accounting, isLater, ReplicaAccount } from './replica-account.ts';

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
/** Seen without a gap: the version before is the one that the count before was at. */
const seen = (from: number, to: number, resourceVersion: string) => ({
  target,
  uid: 'u',
  from,
  fromVersion: String(Number(resourceVersion) - 1),
  to,
  manager: 'helm',
  time: '2026-11-20T12:00:01Z',
  resourceVersion,
});
/** Seen after a gap that began at the version. */
const seenSince = (fromVersion: string, change: ReturnType<typeof seen>) => ({ ...change, fromVersion });

describe('ReplicaAccount', () => {
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
        { uid: 'u', from: 4, to: 6, manager: 'helm', resourceVersion: '10' },
        { uid: 'u', from: 6, to: 5, manager: 'helm', resourceVersion: '11' },
      ],
    },
    {
      name: 'what no watch saw, by the difference',
      before: account(4, '9'),
      changes: [],
      now: scale(7, '15'),
      want: [{ uid: 'u', from: 4, to: 7, manager: 'kubectl', resourceVersion: '15' }],
    },
    {
      name: 'nothing where the watch, after a gap, ends at the count accounted for',
      before: account(6, '20'),
      changes: [seenSince('11', seen(4, 6, '25'))],
      now: scale(6, '25'),
      want: [],
    },
    {
      name: 'the difference to what is accounted for where the watch, after a gap, begins before it',
      before: account(6, '20'),
      changes: [seenSince('11', seen(4, 5, '25'))],
      now: scale(5, '25'),
      want: [{ uid: 'u', from: 6, to: 5, manager: 'helm', resourceVersion: '25' }],
    },
    {
      name: 'nothing at or before what is accounted for',
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
      want: [{ uid: 'u', from: 4, to: 7, manager: 'kubectl', resourceVersion: '15' }],
    },
    {
      name: 'a target made again as a new account',
      before: account(4, '9', 'old'),
      changes: [],
      now: scale(1, '20'),
      want: [],
    },
  ])('records $name', ({ before, changes, now, want }) => {
    const replicas = new ReplicaAccount();
    replicas.restore(before);
    for (const change of changes) replicas.note(change);
    const accounting = replicas.accountFor(now, 'CaughtUp');
    expect(accounting.changes).toEqual(want);
    expect(accounting.accounted).toEqual(account(now.specReplicas, now.resourceVersion));
  });

  const at4 = (): ReplicaAccount => {
    const replicas = new ReplicaAccount();
    replicas.restore(account(4, '9'));
    return replicas;
  };
  const fromTo = ({ changes }: Accounting) => changes.map(({ from, to }) => `${from} → ${to}`);

  it('keeps a change that is later than the scale for the next pass', () => {
    const replicas = at4();
    replicas.note(seen(4, 6, '11'));
    replicas.accept(replicas.accountFor(scale(4, '10'), 'CaughtUp'));
    expect(fromTo(replicas.accountFor(scale(6, '11'), 'CaughtUp'))).toEqual(['4 → 6']);
  });

  it('takes a report after a gap that holds a write of ours for no change back and forth', () => {
    const replicas = at4();
    replicas.noteOwn(4, scale(6, '10'));
    replicas.note(seenSince('8', seen(4, 6, '13')));
    for (const progress of ['Behind', 'CaughtUp'] as const)
      expect(fromTo(replicas.accountFor(scale(6, '13'), progress))).toEqual([]);
  });

  it('keeps a change by others before a write of ours, where a report after a gap ends at that write', () => {
    const replicas = at4();
    replicas.noteOwn(5, scale(6, '11'));
    replicas.note(seenSince('8', seen(4, 6, '11')));
    expect(fromTo(replicas.accountFor(scale(6, '11'), 'CaughtUp'))).toEqual(['4 → 5']);
  });

  it('takes a change there and back for two', () => {
    const replicas = at4();
    replicas.note(seen(4, 7, '10'));
    replicas.note(seen(7, 4, '11'));
    expect(fromTo(replicas.accountFor(scale(4, '11'), 'CaughtUp'))).toEqual(['4 → 7', '7 → 4']);
  });

  it.each([
    { name: 'that the watch reported', reports: [seen(4, 6, '10')] },
    { name: 'that no watch reported', reports: [] },
  ])('takes our own write $name for no step, and goes on from it', ({ reports }) => {
    const replicas = at4();
    replicas.noteOwn(4, scale(6, '10'));
    for (const change of [...reports, seen(6, 5, '12')]) replicas.note(change);
    expect(replicas.accounted).toEqual(account(6, '10'));
    expect(fromTo(replicas.accountFor(scale(5, '12'), 'CaughtUp'))).toEqual(['6 → 5']);
  });

  it('tells the steps again until they are accepted, and then no more', () => {
    const replicas = at4();
    replicas.note(seen(4, 6, '10'));
    const accounting = replicas.accountFor(scale(6, '10'), 'CaughtUp');
    expect(replicas.accountFor(scale(6, '10'), 'CaughtUp')).toEqual(accounting);
    replicas.accept(accounting);
    expect(fromTo(replicas.accountFor(scale(6, '10'), 'CaughtUp'))).toEqual([]);
  });

  it('leaves what a watch that is behind has not reported, and records it when it has', () => {
    const replicas = at4();
    replicas.note(seen(4, 6, '10'));
    replicas.noteOwn(7, scale(8, '12'));
    const behind = replicas.accountFor(scale(8, '12'), 'Behind');
    expect(fromTo(behind)).toEqual(['4 → 6']);
    replicas.accept(behind);
    expect(replicas.accounted).toEqual(account(8, '12'));
    replicas.note(seen(6, 7, '11'));
    replicas.note(seen(7, 8, '12'));
    expect(fromTo(replicas.accountFor(scale(8, '12'), 'CaughtUp'))).toEqual(['6 → 7']);
  });

  it('fills a gap that no watch saw by a step of nobody known', () => {
    const replicas = at4();
    replicas.note(seen(6, 5, '12'));
    expect(replicas.accountFor(scale(5, '12'), 'CaughtUp').changes).toEqual([
      { uid: 'u', from: 4, to: 6, manager: null, resourceVersion: null },
      { uid: 'u', from: 6, to: 5, manager: 'helm', resourceVersion: '12' },
    ]);
  });

  it('keeps a bounded number of changes, whose sum stays right', () => {
    const replicas = at4();
    for (let index = 0; index < 1_000; index += 1)
      replicas.note(seen(4 + (index % 2), 5 - (index % 2), String(10 + index)));
    const { changes } = replicas.accountFor(scale(4, '1009'), 'CaughtUp');
    expect(changes.length).toBeLessThanOrEqual(256);
    expect(changes.reduce((count, { from, to }) => count + to - from, 4)).toBe(4);
    expect(changes.at(-1)?.to).toBe(4);
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

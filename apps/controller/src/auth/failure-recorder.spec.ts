import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Json } from '#kernel';
import type { EntryDraft } from '#ledger';
import type { LeaderHandler } from '../replicas/shard-requests.ts';
import { FailureRecorder } from './failure-recorder.ts';

describe('failed authentications', () => {
  let recorded: EntryDraft[];
  let recorder: FailureRecorder;
  /** Those that were told, and by which the leader hears of them. */
  let told: Json[];
  let hear: LeaderHandler;
  let isLeaderThere: boolean;

  const aRecorder = (isLeader: () => boolean): FailureRecorder =>
    new FailureRecorder({
      writer: {
        append: ({ drafts }) => {
          recorded.push(...drafts);
          return Promise.resolve({ ok: true, value: [] });
        },
      },
      clock: { now: () => '2026-11-22T12:00:00Z' },
      leadership: { isLeader },
      requests: {
        askLeader: async (request) => {
          told.push(request);
          if (!isLeaderThere) return false;
          await hear(request);
          return true;
        },
        handleAsLeader: (handler) => {
          if (isLeader()) hear = handler;
        },
      },
    });

  beforeEach(() => {
    recorded = [];
    told = [];
    isLeaderThere = true;
    recorder = aRecorder(() => true);
  });

  it('are one entry a minute over all addresses, with the count and where most came from', async () => {
    jest.useFakeTimers();
    try {
      for (let index = 0; index < 5_000; index += 1) recorder.note(`10.0.${index % 250}.0`);
      for (let index = 0; index < 100; index += 1) recorder.note('192.0.2.1');
      await jest.advanceTimersByTimeAsync(60_000);
      recorder.note('192.0.2.2');
      await jest.advanceTimersByTimeAsync(59_000);
      expect(recorded).toHaveLength(1);
      await jest.advanceTimersByTimeAsync(1_000);
      expect(recorded).toHaveLength(2);
    } finally {
      jest.useRealTimers();
    }
    const [first] = recorded;
    expect(first?.payload).toMatchObject({
      actor: 'nobody',
      action: 'Authenticate',
      outcome: 'Refused',
      arguments: { count: 5_100 },
    });
    const { addresses } = (first?.payload as { arguments: { addresses: readonly object[] } }).arguments;
    expect(addresses).toHaveLength(10);
    expect(addresses[0]).toEqual({ address: '192.0.2.1', count: 100 });
  });

  it('are none where nothing failed, and are recorded at the end', async () => {
    await recorder.flush();
    expect(recorded).toEqual([]);
    recorder.note('192.0.2.1');
    await recorder.flush();
    expect(recorded).toHaveLength(1);
  });

  it('at other replicas are recorded by the leader, with its own: one entry a minute over all of them', async () => {
    jest.useFakeTimers();
    try {
      const others = [aRecorder(() => false), aRecorder(() => false)];
      for (let minute = 0; minute < 3; minute += 1) {
        recorder.note('192.0.2.1');
        for (let second = 0; second < 60; second += 1) {
          others.forEach((other, index) => other.note(`10.0.0.${index}`));
          await jest.advanceTimersByTimeAsync(1_000);
        }
      }
      await jest.advanceTimersByTimeAsync(75_000);
    } finally {
      jest.useRealTimers();
    }
    const given = recorded.map(({ payload }) => (payload as unknown as Refused).arguments);
    expect(given.length).toBeLessThanOrEqual(4);
    expect(given.reduce((sum, { count }) => sum + count, 0)).toBe(363);
    expect(given[0]?.addresses.map(({ address }) => address).toSorted()).toEqual([
      '10.0.0.0',
      '10.0.0.1',
      '192.0.2.1',
    ]);
  });

  it('are told again until a leader has heard of them, and counted once', async () => {
    const other = aRecorder(() => false);
    isLeaderThere = false;
    for (let index = 0; index < 150; index += 1) other.note(`10.0.0.${index}`);
    await other.flush();
    isLeaderThere = true;
    await other.flush();
    expect(told).toHaveLength(2);
    expect(told[0]).toEqual(told[1]);
    await hear(told[0]!);
    await other.flush();
    await recorder.flush();
    expect(told).toHaveLength(2);
    expect(recorded).toMatchObject([{ payload: { arguments: { count: 150 } } }]);
  });

  it('that no leader has heard of are recorded by the replica that comes to lead', async () => {
    let isLeader = false;
    const other = aRecorder(() => isLeader);
    isLeaderThere = false;
    other.note('192.0.2.1');
    await other.flush();
    isLeader = true;
    other.note('192.0.2.1');
    await other.flush();
    expect(recorded).toMatchObject([
      { payload: { arguments: { count: 2, addresses: [{ address: '192.0.2.1', count: 2 }] } } },
    ]);
  });
});

interface Refused {
  readonly arguments: {
    readonly count: number;
    readonly addresses: readonly { readonly address: string; readonly count: number }[];
  };
}

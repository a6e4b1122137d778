import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Json } from '#kernel';
import type { EntryDraft } from '#ledger';
import type { LeaderHandler } from '../../coordination/shards/shard-requests.ts';
import { FailureRecorder } from './failure-recorder.ts';

describe('failed authentications', () => {
  let recorded: EntryDraft[];
  let logged: object[];
  let recorder: FailureRecorder;
  /** Those that were told, and by which the leader hears of them. */
  let told: Json[];
  let hear: LeaderHandler;
  /** Of all recorders, in the order in which they were made. */
  let handlers: LeaderHandler[];
  let isLeaderThere: boolean;

  const aRecorder = (isLeader: () => boolean): FailureRecorder =>
    new FailureRecorder({
      writer: {
        append: ({ drafts }) => {
          recorded.push(...drafts);
          return Promise.resolve({ ok: true, value: [] });
        },
      },
      clock: { now: () => new Date().toISOString(), monotonicMilliseconds: () => performance.now() },
      log: (fields) => logged.push(fields),
      leadership: { isLeader },
      requests: {
        askLeader: async (request) => {
          told.push(request);
          if (!isLeaderThere) return false;
          await hear(request);
          return true;
        },
        handleAsLeader: (handler) => {
          handlers.push(handler);
          if (isLeader()) hear = handler;
        },
      },
    });

  beforeEach(() => {
    jest.useFakeTimers();
    recorded = [];
    logged = [];
    told = [];
    handlers = [];
    isLeaderThere = true;
    recorder = aRecorder(() => true);
    recorder.lead();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are one entry a minute over all addresses, with the count and where most came from', async () => {
    for (let index = 0; index < 5_000; index += 1) recorder.note(`10.0.${index % 250}.0`);
    for (let index = 0; index < 100; index += 1) recorder.note('192.0.2.1');
    await jest.advanceTimersByTimeAsync(60_000);
    recorder.note('192.0.2.2');
    await jest.advanceTimersByTimeAsync(59_000);
    expect(recorded).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(recorded).toHaveLength(2);
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
    await jest.advanceTimersByTimeAsync(90_000);
    recorder.note('192.0.2.1');
    await recorder.end();
    expect([recorded.length, logged]).toEqual([1, []]);
  });

  it('are in the log alone where the process ends within a minute of the last entry', async () => {
    await jest.advanceTimersByTimeAsync(90_000);
    recorder.note('192.0.2.1');
    await recorder.flush();
    recorder.note('192.0.2.1');
    await jest.advanceTimersByTimeAsync(30_000);
    await recorder.end();
    expect([recorded.length, logged]).toEqual([1, [{ count: 1 }]]);
  });

  it('are one entry a minute also while another replica comes to lead', async () => {
    handlers = [];
    let leader = 0;
    const replicas = [0, 1, 2].map((index) => aRecorder(() => leader === index));
    replicas[leader]!.lead();
    let failures = 0;
    const failFor = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        for (const replica of replicas) replica.note('192.0.2.1');
        failures += replicas.length;
        await jest.advanceTimersByTimeAsync(1_000);
      }
    };
    await failFor(95);
    for (const next of [1, 2, 0, 1]) {
      const before = replicas[leader]!;
      await before.flush();
      leader = next;
      hear = handlers[next]!;
      replicas[next]!.lead();
      await before.flush();
      await failFor(35);
    }
    await failFor(75);
    await jest.advanceTimersByTimeAsync(90_000);
    const times = recorded.map(({ time }) => Date.parse(time));
    const gaps = times.slice(1).map((time, index) => time - times[index]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(60_000);
    const counts = recorded.map(({ payload }) => (payload as unknown as Refused).arguments.count);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(failures);
  });

  it('at other replicas are recorded by the leader, with its own: one entry a minute over all of them', async () => {
    const others = [aRecorder(() => false), aRecorder(() => false)];
    for (let minute = 0; minute < 3; minute += 1) {
      recorder.note('192.0.2.1');
      for (let second = 0; second < 60; second += 1) {
        others.forEach((other, index) => other.note(`10.0.0.${index}`));
        await jest.advanceTimersByTimeAsync(1_000);
      }
    }
    await jest.advanceTimersByTimeAsync(75_000);
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
    await jest.advanceTimersByTimeAsync(60_000);
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
    other.lead();
    other.note('192.0.2.1');
    await jest.advanceTimersByTimeAsync(60_000);
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

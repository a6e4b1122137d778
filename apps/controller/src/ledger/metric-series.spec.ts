import { describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { configurationSchema } from '#configuration';
import { defaultShardCount, shardOf } from '#coordination';
import { decide, type DecideInput, type Decision, parseDecideInput } from '#decision';
import { AdapterError } from '#kernel';
import {
  administrationScope,
  type CountsQuery,
  decodePassColumns,
  decodeSeriesChunk,
  type Fence,
  HeldFences,
  type PolicyCounts,
  type RecordedChunk,
  type SeriesChunk,
  type SeriesQuery,
  type SeriesStorePort,
  shardScope,
} from '#ledger';
import { InMemoryLedger, InMemoryShardLayout } from '#ledger/testing';
import { FakeClock } from '#reconciliation/testing';
import { Shards } from '../coordination/shards/shards.ts';
import { DeletionTime } from '../database/deletion-time.ts';
import { MetricSeries } from './metric-series.ts';

const scopes = [
  administrationScope,
  ...Array.from({ length: defaultShardCount }, (_, shard) => shardScope(shard)),
];
const fences = new HeldFences(scopes.map((scope) => ({ scope, epoch: 1n, holder: 'a' })));
const holdings = {
  isLeader: true,
  of: (scope: string) => fences.of(scope),
  holds: (scope: string) => fences.has(scope),
  mayWrite: () => true,
};

/** As the holdings of a process have it, which throw for what is not held. */
function fencesIn(held: ReadonlySet<string>): (scope: string) => Fence {
  return (scope) => new HeldFences(fences.all.filter((fence) => held.has(fence.scope))).of(scope);
}

/** A store whose database may be away. */
class FakeStore implements SeriesStorePort {
  readonly chunks: RecordedChunk[] = [];
  readonly joins: number[] = [];
  readonly deletions: number[] = [];
  /** The scopes whose fences are in force. */
  readonly held = new Set(scopes);
  isAway = false;
  hangs = false;
  /** What an answer, and a join, wait for. */
  answers: Promise<unknown> = Promise.resolve();
  joined: Promise<unknown> = Promise.resolve();

  async store(chunks: readonly RecordedChunk[], given: readonly Fence[]): Promise<void> {
    if (this.hangs) await new Promise<never>(() => undefined);
    await this.answers;
    if (given.some(({ scope }) => !this.held.has(scope)))
      throw new AdapterError({ code: 'Fenced', message: 'a fence is given up', retryable: true });
    this.#answer();
    this.chunks.push(...chunks);
  }

  #answer(): void {
    if (this.isAway)
      throw new AdapterError({ code: 'Unavailable', message: 'the database is away', retryable: true });
  }

  async joinHours(before: number): Promise<number> {
    this.joins.push(before);
    await this.joined;
    this.#answer();
    return 0;
  }

  deleteBefore(time: number): Promise<{ readonly deleted: number; readonly after: null }> {
    this.deletions.push(time);
    return Promise.resolve({ deleted: 0, after: null });
  }

  async *read({ policy }: SeriesQuery): AsyncGenerator<SeriesChunk> {
    await Promise.resolve();
    for (const chunk of this.chunks)
      if (chunk.policy.name === policy.name) yield decodeSeriesChunk(chunk.bytes);
  }

  readCounts({ policies }: CountsQuery): Promise<readonly PolicyCounts[]> {
    const names = new Set(policies.map(({ name }) => name));
    const chunks = this.chunks.filter(({ policy }) => names.has(policy.name));
    return Promise.resolve(
      chunks.map(({ policy, bytes }) => {
        const [times, specReplicas] = decodePassColumns(bytes);
        return { policy, times: times!, specReplicas: specReplicas! };
      }),
    );
  }
}

function aPass(clock: FakeClock, name = 'web'): [DecideInput, Decision] {
  const input = parseDecideInput({
    policy: {
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'AutoscalingPolicy',
      metadata: { name, namespace: 'shop' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name }, maxReplicas: 9 },
    },
    observation: {
      time: clock.now(),
      scale: { specReplicas: 4, statusReplicas: 4, selector: 'app=web' },
      pods: [],
    },
  });
  if (!input.ok) throw new Error(input.error.message);
  return [input.value, decide(input.value).decision];
}

function aSeries({
  series = {},
  retention = {},
  holdings: held = holdings,
  databaseTime = null,
}: {
  readonly series?: object;
  readonly retention?: object;
  readonly holdings?: typeof holdings;
  readonly databaseTime?: number | null;
} = {}) {
  const clock = new FakeClock();
  const store = new FakeStore();
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg) });
  const configuration = configurationSchema.parse({
    cluster: { name: 'test' },
    mode: 'Observe',
    namespaces: ['*'],
    sources: [{ name: 'policies', url: 'https://example.com/policies.git' }],
    series,
    retention,
  });
  const metricSeries = new MetricSeries({
    configuration,
    store,
    shards: new Shards(held, new InMemoryShardLayout(new InMemoryLedger())),
    holdings: held,
    time: new DeletionTime({ clock, databaseTime: () => Promise.resolve(databaseTime) }),
    clock,
    logger,
  });
  metricSeries.start();
  const pass = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  const run = async (seconds: number): Promise<void> => {
    for (let left = seconds; left > 0; left -= 5) await pass(5_000);
  };
  return { clock, store, lines, metricSeries, run };
}

const rowsIn = ({ chunks }: FakeStore) => chunks.reduce((sum, { rows }) => sum + rows, 0);

describe('MetricSeries', () => {
  it('stores the rows of passes when the first of them is four minutes old', async () => {
    const { clock, store, metricSeries, run } = aSeries();
    metricSeries.record(...aPass(clock));
    await run(235);
    expect(store.chunks).toEqual([]);
    metricSeries.record(...aPass(clock));
    await run(5);
    expect(store.chunks.map(({ rows }) => rows)).toEqual([2]);
  });

  it('reads what is stored and what waits as one, each pass once', async () => {
    const { clock, store, metricSeries, run } = aSeries();
    const policy = { namespace: 'shop', name: 'web' };
    const times: number[] = [];
    for (const seconds of [240, 240, 60, 0]) {
      times.push(Date.parse(clock.now()));
      metricSeries.record(...aPass(clock));
      metricSeries.record(...aPass(clock, 'api'));
      await run(seconds);
    }
    const read: number[] = [];
    for await (const { columns } of metricSeries.read({ policy, from: times[1]!, until: Number.MAX_VALUE }))
      read.push(...columns[0]!);
    expect([store.chunks.length, read]).toEqual([4, times.slice(0, 2).concat(times.slice(2))]);
    const counts = await metricSeries.readCounts({ policies: [policy], from: 0, until: Number.MAX_VALUE });
    expect(counts.flatMap((each) => [...each.times])).toEqual(times);
    expect(counts.flatMap(({ specReplicas }) => [...specReplicas])).toEqual([4, 4, 4, 4]);
  });

  it('stores what is left when the process ends', async () => {
    const { clock, store, lines, metricSeries } = aSeries();
    metricSeries.record(...aPass(clock));
    metricSeries.record(...aPass(clock, 'api'));
    await metricSeries.stop();
    await metricSeries.stop();
    expect([rowsIn(store), lines]).toEqual([2, []]);
  });

  it('joins hours only once their last part must be stored, and deletes after 90 days', async () => {
    const { clock, store, run } = aSeries();
    await run(10);
    const now = Date.parse(clock.now());
    expect(store.joins.at(-1)).toBe(now - 600_000);
    expect(store.deletions).toEqual([now - 5_000 - 90 * 86_400_000]);
    await run(6 * 3_600);
    expect(store.deletions).toHaveLength(2);
  });

  it('deletes nothing by a clock that is ahead, until it has stayed so for six hours', async () => {
    const { clock, store, run } = aSeries();
    await run(10);
    clock.setBack(-400 * 86_400_000);
    await run(6 * 3_600);
    expect(store.deletions).toEqual([store.deletions[0], store.deletions[0]! + 6 * 3_600_000]);
    await run(6 * 3_600);
    expect(store.deletions.at(-1)).toBe(store.deletions[0]! + 12 * 3_600_000 + 400 * 86_400_000);
  });

  it('deletes by the time of the database where that is earlier', async () => {
    const databaseTime = Date.parse(new FakeClock().now()) - 400 * 86_400_000;
    const { store, run } = aSeries({ databaseTime });
    await run(10);
    expect(store.deletions).toEqual([databaseTime - 90 * 86_400_000]);
  });

  it('deletes on time where the clock was set back', async () => {
    const { clock, store, run } = aSeries();
    await run(10);
    clock.setBack(400 * 86_400_000);
    await run(6 * 3_600);
    expect(store.deletions).toHaveLength(2);
  });

  it('leaves joining and deleting to the leader', async () => {
    const { store, run } = aSeries({ holdings: { ...holdings, isLeader: false } });
    await run(10);
    expect([store.joins, store.deletions]).toEqual([[], []]);
  });

  it('stores what there is of a shard that is left, and nothing of policies that another process records', async () => {
    const held = new Set([administrationScope, shardScope(13), shardScope(4)]);
    const { clock, store, metricSeries, run } = aSeries({
      holdings: { ...holdings, holds: (scope) => held.has(scope), mayWrite: () => true },
    });
    const shards = ['billing', 'web', 'checkout'].map((name) =>
      shardOf({ namespace: 'shop', name }, defaultShardCount),
    );
    expect(shards).toEqual([13, 4, 3]);
    for (const name of ['billing', 'web', 'checkout']) metricSeries.record(...aPass(clock, name));
    await metricSeries.leave(13);
    const namesIn = () => store.chunks.map(({ policy }) => policy.name);
    expect(namesIn()).toEqual(['billing']);
    await run(300);
    expect(namesIn()).toEqual(['billing', 'web']);
  });

  describe('of shards that are given up together', () => {
    const names = ['billing', 'web', 'checkout'];
    const isShardOf = (name: string) => shardOf({ namespace: 'shop', name }, defaultShardCount);

    it.each([
      { name: 'in memory', seconds: 0, want: ['billing 1', 'checkout 1', 'web 2'] },
      {
        name: 'on its way to the database',
        seconds: 245,
        want: ['billing 1', 'checkout 1', 'web 1', 'web 1'],
      },
    ])('stores what there is of each before its fence is given up, where it is $name', async (row) => {
      const { clock, store, metricSeries, run } = aSeries({ holdings: { ...holdings, isLeader: false } });
      const { promise: answered, resolve } = Promise.withResolvers<undefined>();
      metricSeries.record(...aPass(clock, 'web'));
      store.answers = answered;
      await run(row.seconds);
      for (const name of names) metricSeries.record(...aPass(clock, name));
      const given = names.map(async (name) => {
        await metricSeries.leave(isShardOf(name));
        store.held.delete(shardScope(isShardOf(name)));
      });
      // Those that wait for nothing have been given up by then.
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      resolve(undefined);
      await Promise.all(given);
      const stored = store.chunks.map(({ policy, rows }) => `${policy.name} ${rows}`);
      expect(stored.toSorted()).toEqual(row.want);
    });

    it('stores it although hours are being joined', async () => {
      const { clock, store, metricSeries, run } = aSeries();
      store.joined = new Promise(() => undefined);
      await run(5);
      metricSeries.record(...aPass(clock));
      await metricSeries.leave(isShardOf('web'));
      expect(rowsIn(store)).toBe(1);
    });

    it('shows it until it is stored, and says how much could not be', async () => {
      const { clock, store, lines, metricSeries } = aSeries();
      metricSeries.record(...aPass(clock));
      const { promise: answered, resolve } = Promise.withResolvers<undefined>();
      store.answers = answered;
      const given = metricSeries.leave(isShardOf('web'));
      await Promise.resolve();
      const policies = [{ namespace: 'shop', name: 'web' }];
      const shown = await metricSeries.readCounts({ policies, from: 0, until: Number.MAX_VALUE });
      expect(shown).toHaveLength(1);
      store.isAway = true;
      resolve(undefined);
      await given;
      await metricSeries.stop();
      expect([rowsIn(store), lines]).toEqual([
        0,
        [
          'metric series cannot be stored; they wait in memory',
          'the last rows of metric series could not be stored',
        ],
      ]);
    });
  });

  it('does not call it an outage where a shard was lost before it is left, and says how many rows are', async () => {
    const held = new Set(scopes);
    const { clock, store, lines, metricSeries } = aSeries({
      holdings: { ...holdings, holds: (scope) => held.has(scope), of: fencesIn(held) },
    });
    metricSeries.record(...aPass(clock));
    held.delete(shardScope(shardOf({ namespace: 'shop', name: 'web' }, defaultShardCount)));
    await metricSeries.leave(shardOf({ namespace: 'shop', name: 'web' }, defaultShardCount));
    await metricSeries.stop();
    expect([rowsIn(store), lines]).toEqual([0, ['the last rows of metric series could not be stored']]);
  });

  it('deletes nothing under a legal hold', async () => {
    const { store, run } = aSeries({ retention: { legalHold: true } });
    await run(10);
    expect([store.joins.length, store.deletions]).toEqual([2, []]);
  });

  it('keeps nothing where its days are 0', async () => {
    const { clock, store, metricSeries, run } = aSeries({ series: { retentionDays: 0 } });
    metricSeries.record(...aPass(clock));
    await run(600);
    await metricSeries.stop();
    expect(store.chunks).toEqual([]);
  });

  it('keeps rows while the database is away, says so once, and stores them in their order', async () => {
    const { clock, store, lines, metricSeries, run } = aSeries();
    store.isAway = true;
    for (let minute = 0; minute < 30; minute += 1) {
      metricSeries.record(...aPass(clock));
      await run(60);
    }
    expect([rowsIn(store), lines]).toEqual([0, ['metric series cannot be stored; they wait in memory']]);
    store.isAway = false;
    await run(300);
    expect([rowsIn(store), lines.at(-1)]).toEqual([30, 'metric series are stored again']);
    expect(store.chunks.map(({ start }) => start)).toEqual(store.chunks.map(({ start }) => start).toSorted());
  });

  it('does not say that the database answers again where there was nothing to store', async () => {
    const { clock, store, lines, run, metricSeries } = aSeries();
    store.isAway = true;
    await run(600);
    const failing = 'metric series cannot be stored; they wait in memory';
    expect(lines).toEqual([failing]);
    metricSeries.record(...aPass(clock));
    await run(600);
    expect(lines).toEqual([failing]);
    store.isAway = false;
    await run(600);
    expect(lines).toEqual([failing, 'metric series are stored again']);
  });

  it('drops the oldest rows where an outage is longer than its memory, and says how many', async () => {
    const { clock, store, metricSeries, run } = aSeries();
    store.isAway = true;
    const recorded = 2_000;
    const [input, decision] = aPass(clock);
    // Each chunk is of one row, and of 10 kB by the name of its metric.
    const metrics = decision.metrics.map((metric) => ({ ...metric, name: 'x'.repeat(10_240) }));
    for (let count = 0; count < recorded; count += 1)
      metricSeries.record(input, { ...decision, metrics, policy: { namespace: 'shop', name: `p${count}` } });
    await run(600);
    store.isAway = false;
    await run(600);
    expect(rowsIn(store)).toBeGreaterThan(1_500);
    expect(rowsIn(store)).toBeLessThan(recorded);
    expect(store.chunks.at(-1)?.policy.name).toBe(`p${recorded - 1}`);
  });

  it('ends although the database never answers', async () => {
    const { clock, store, lines, metricSeries, run } = aSeries();
    store.hangs = true;
    metricSeries.record(...aPass(clock));
    await run(240);
    const stopped = metricSeries.stop();
    clock.advance(4_000);
    await stopped;
    expect(lines).toEqual(['the last rows of metric series could not be stored']);
  });
});

import { describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { CronWindows, type EffectivePolicy } from '#policy';
import type { ActivePolicy } from '#reconciliation';
import { FakeClock } from '#reconciliation/testing';
import type { Principal } from '../../auth/callers/principal.ts';
import { grantEverywhere } from '../../auth/callers/principal.ts';
import { PolicyCharts } from './policy-charts.ts';

const caller: Principal = { name: 'somebody', grants: grantEverywhere('viewer') };
const minute = 60_000;

type Minutes = readonly [complete: number, last: number, until: number];

describe('until when a chart is known', () => {
  const clock = new FakeClock();
  const now = Date.parse(clock.now());
  const at = (minutesAgo: number): string => new Date(now - minutesAgo * minute).toISOString();
  /** Of a policy whose rows are all there until so many minutes ago, and some later ones. */
  const chartOf = ([completeMinutesAgo, lastMinutesAgo, untilMinutesAgo]: Minutes) => {
    const columns = [[50, lastMinutesAgo].map((minutes) => now - minutes * minute), [4, 4], [4, 4]];
    const charts = new PolicyCharts({
      clock,
      windows: new CronWindows(),
      activePolicies: { listActivePolicies: () => [] },
      sources: { listVersions: () => Promise.resolve([[]]) },
      series: {
        completeUntil: () => now - completeMinutesAgo * minute,
        readCounts: () => Promise.resolve([]),
        unstored: () => [],
        read: async function* () {
          await Promise.resolve();
          yield {
            layout: { metrics: [] },
            rows: 2,
            columns: columns.map((column) => Float64Array.from(column)),
          };
        },
      },
    });
    const range = { from: at(60), until: at(untilMinutesAgo), steps: 10 };
    return charts.chart(caller, { namespace: 'shop', name: 'a' }, range);
  };

  it.each([
    { name: 'its end, where this process runs the passes', given: [0, 1, 0], want: [true, 0] },
    { name: 'its end, where another has stored all of it', given: [7, 12, 10], want: [true, 10] },
    { name: 'the last row that another has stored', given: [7, 4, 0], want: [false, 4] },
    {
      name: 'when another has stored everything, where its last row is older',
      given: [7, 20, 0],
      want: [false, 7],
    },
  ] as const)('is $name', async ({ given, want: [isComplete, minutesAgo] }) => {
    expect(await chartOf(given)).toMatchObject({ isComplete, knownUntil: at(minutesAgo) });
  });
});

it('the bounds of a chart are those of the schedules, while they last', async () => {
  const clock = new FakeClock('2026-11-20T12:00:00.000Z');
  const document = {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name: 'a', namespace: 'shop' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
      minReplicas: 2,
      maxReplicas: 20,
      schedules: [
        {
          name: 'noon',
          cron: '20 11 * * *',
          timeZone: 'UTC',
          duration: '20m',
          minReplicas: 6,
          maxReplicas: 8,
        },
      ],
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
        },
      ],
    },
  };
  const version = { document, validFrom: '2026-11-01T00:00:00.000Z', validTo: null };
  const charts = new PolicyCharts({
    clock,
    windows: new CronWindows(),
    activePolicies: { listActivePolicies: () => [] },
    sources: {
      listVersions: () => Promise.resolve([[{ version, place: { time: '', revision: 1 } }]]),
    } as unknown as ConstructorParameters<typeof PolicyCharts>[0]['sources'],
    series: {
      completeUntil: () => Date.parse(clock.now()),
      readCounts: () => Promise.resolve([]),
      unstored: () => [],
      read: async function* () {
        await Promise.resolve();
        yield* [];
      },
    },
  });
  const range = { from: '2026-11-20T11:00:00Z', until: '2026-11-20T12:00:00Z', steps: 6 };
  expect(await charts.chart(caller, { namespace: 'shop', name: 'a' }, range)).toMatchObject({
    minReplicas: [2, 2, 6, 6, 2, 2],
    maxReplicas: [20, 20, 8, 8, 20, 20],
  });
});

describe('a chart while the database does not answer', () => {
  const clock = new FakeClock('2026-11-20T12:00:00.000Z');
  const now = Date.parse(clock.now());
  const away = new AdapterError({
    code: 'ConnectionFailed',
    message: 'refused',
    retryable: true,
    system: 'Database',
  });
  const policy = { namespace: 'shop', name: 'a', minReplicas: 2, maxReplicas: 9, schedules: [], freeze: [] };
  /** Of a policy that had a pass with four replicas so many minutes ago, each of them not stored yet. */
  const chartsWith = (minutesAgo: readonly number[], error: Error = away) => {
    const columns = [
      minutesAgo.map((each) => now - each * minute),
      minutesAgo.map(() => 4),
      minutesAgo.map(() => 4),
    ];
    const rows = minutesAgo.length;
    const chunk = { layout: { metrics: [] }, rows, columns: columns.map((each) => Float64Array.from(each)) };
    return new PolicyCharts({
      clock,
      windows: { windowsInForce: () => [] },
      activePolicies: {
        listActivePolicies: () => [{ policy: policy as unknown as EffectivePolicy } as ActivePolicy],
      },
      sources: { listVersions: () => Promise.reject(error) },
      series: {
        completeUntil: () => now,
        readCounts: () => Promise.resolve([]),
        unstored: () => (rows === 0 ? [] : [chunk]),

        read: async function* () {
          await Promise.resolve();
          throw error;
        },
      },
    });
  };
  const lastHour = { from: '2026-11-20T11:00:00Z', until: '2026-11-20T12:00:00Z', steps: 4 };
  const chartOf = (charts: PolicyCharts) => charts.chart(caller, { namespace: 'shop', name: 'a' }, lastHour);

  it('is what this process has in memory, says from when on it is, and claims nothing of the time before', async () => {
    expect(await chartOf(chartsWith([20, 5]))).toMatchObject({
      knownFrom: '2026-11-20T11:40:00.000Z',
      knownUntil: '2026-11-20T12:00:00.000Z',
      isComplete: false,
      specReplicas: { mean: [null, null, 4, 4] },
      minReplicas: [null, null, 2, 2],
      maxReplicas: [null, null, 9, 9],
    });
  });

  it.each([
    { name: 'nothing is in memory', charts: chartsWith([]), error: away },
    { name: 'all that is in memory is of another time', charts: chartsWith([-1]), error: away },
    {
      name: 'it is something else that fails',
      charts: chartsWith([20], new TypeError('a bug')),
      error: new TypeError('a bug'),
    },
  ])('is refused where $name', async ({ charts, error }) => {
    await expect(chartOf(charts)).rejects.toEqual(error);
  });
});

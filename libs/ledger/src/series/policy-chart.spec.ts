import { describe, expect, it } from '@jest/globals';
import { type EffectivePolicy, parsePolicyJson } from '#policy';
import { ChartBuilder } from './policy-chart.ts';
import { type SeriesChunk, seriesColumns, type SeriesMetric } from './series-chunk.ts';

function aPolicy(metrics: readonly object[]): EffectivePolicy {
  const policy = parsePolicyJson({
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 100,
      metrics,
    },
  });
  if (!policy.ok) throw new Error(JSON.stringify(policy.error));
  return policy.value;
}

/** Rows by the names of their columns; what is not named is absent. */
function aChunk(
  metrics: readonly SeriesMetric[],
  rows: readonly Readonly<Record<string, number>>[],
): SeriesChunk {
  const layout = { metrics };
  const columns = seriesColumns(layout).map((name) =>
    Float64Array.from(rows, (row) => row[name] ?? Number.NaN),
  );
  return { layout, rows: rows.length, columns };
}

const cpu = (target: object) => ({ type: 'Resource', resource: { name: 'cpu', target } });
const queue = (target: object) => ({ type: 'External', external: { metric: { name: 'queue' }, target } });
const cpuColumns = { type: 'Resource', name: 'cpu', containers: ['app', 'proxy'] };
const queueColumns = { type: 'External', name: 'queue', containers: [] };
const usage = {
  'metrics[0].ready': 4,
  'metrics[0].containers[0].usage': 300,
  'metrics[0].containers[0].requests': 900,
  'metrics[0].containers[1].usage': 100,
  'metrics[0].containers[1].requests': 100,
};
const depth = { 'metrics[0].ready': 2, 'metrics[0].value': 12_000, statusReplicas: 3 };
const noMarks = { targets: [null], lowWatermarks: [null], highWatermarks: [null] };
const single = (value: number) => ({ mean: [value], lowest: [value], highest: [value] });

describe('ChartBuilder', () => {
  it.each([
    {
      name: 'percent of the requests of all containers',
      metric: cpu({ type: 'Utilization', averageUtilization: 60 }),
      columns: cpuColumns,
      row: usage,
      want: { measure: 'Utilization', ...single(40), targets: [60] },
    },
    {
      name: 'percent of the requests of pod level, where there are any',
      metric: cpu({ type: 'Utilization', averageUtilization: 60 }),
      columns: { ...cpuColumns, containers: ['app', ''] },
      row: { ...usage, 'metrics[0].containers[1].requests': 2_000 },
      want: { measure: 'Utilization', ...single(20), targets: [60] },
    },
    {
      name: 'usage per ready pod',
      metric: cpu({ type: 'AverageValue', averageValue: '200m' }),
      columns: cpuColumns,
      row: usage,
      want: { measure: 'AverageValue', ...single(0.1), targets: [0.2] },
    },
    {
      name: 'a value per replica of the target',
      metric: queue({ type: 'AverageValue', averageValue: '5' }),
      columns: queueColumns,
      row: depth,
      want: { measure: 'AverageValue', ...single(4), targets: [5] },
    },
    {
      name: 'a value',
      metric: queue({ type: 'Value', value: '500m' }),
      columns: queueColumns,
      row: depth,
      want: { measure: 'Value', ...single(12), targets: [0.5] },
    },
    {
      name: 'a value between watermarks',
      metric: queue({ type: 'Watermark', lowWatermark: '5', highWatermark: '20', algorithm: 'absolute' }),
      columns: queueColumns,
      row: depth,
      want: { measure: 'Value', ...single(12), lowWatermarks: [5], highWatermarks: [20] },
    },
    {
      name: 'a value per ready pod between watermarks',
      metric: queue({ type: 'Watermark', lowWatermark: '5', highWatermark: '20', algorithm: 'average' }),
      columns: queueColumns,
      row: depth,
      want: { measure: 'AverageValue', ...single(6), lowWatermarks: [5], highWatermarks: [20] },
    },
  ])('draws $name as the policy compares it', ({ metric, columns, row, want }) => {
    const policy = aPolicy([metric]);
    const builder = new ChartBuilder({ from: 0, until: 10, steps: 1 }, () => policy);
    builder.add(aChunk([columns], [{ time: 5, ...row }]));
    const { type, name } = columns;
    expect(builder.finish().metrics).toEqual([{ type, name, ...noMarks, ...want }]);
  });

  it('draws what a recommender recommends, and no other metric of another version', () => {
    const builder = new ChartBuilder({ from: 0, until: 10, steps: 1 }, () =>
      aPolicy([queue({ type: 'Value', value: '1' })]),
    );
    const recommender = { type: 'Recommender', name: 'recommender', containers: [] };
    builder.add(aChunk([recommender], [{ time: 1, 'metrics[0].value': 7_000 }]));
    builder.add(aChunk([cpuColumns], [{ time: 2, ...usage }]));
    expect(builder.finish().metrics).toEqual([
      { type: 'Recommender', name: 'recommender', measure: 'Replicas', ...noMarks, ...single(7) },
    ]);
  });

  it('folds passes into steps, and leaves what no pass saw without a value', () => {
    const builder = new ChartBuilder({ from: 0, until: 40, steps: 4 }, () => null);
    const rows = [
      { time: -1, specReplicas: 99 },
      { time: 0, specReplicas: 2, statusReplicas: 1 },
      { time: 9, specReplicas: 6 },
      { time: 10 },
      { time: 39, specReplicas: 3, statusReplicas: 3 },
      { time: 40, specReplicas: 99 },
    ];
    builder.add(aChunk([], rows));
    expect(builder.finish()).toEqual({
      specReplicas: { mean: [4, null, null, 3], lowest: [2, null, null, 3], highest: [6, null, null, 3] },
      statusReplicas: { mean: [1, null, null, 3], lowest: [1, null, null, 3], highest: [1, null, null, 3] },
      metrics: [],
    });
  });

  it('has a line for each way in which versions compare a metric, and the marks of each step', () => {
    const versions = [
      aPolicy([queue({ type: 'Value', value: '10' })]),
      aPolicy([queue({ type: 'Value', value: '20' })]),
      aPolicy([queue({ type: 'AverageValue', averageValue: '4' })]),
    ];
    const builder = new ChartBuilder({ from: 0, until: 3, steps: 3 }, (time) => versions[time] ?? null);
    builder.add(
      aChunk(
        [queueColumns],
        [0, 1, 2].map((time) => ({ time, ...depth })),
      ),
    );
    expect(builder.finish().metrics).toMatchObject([
      { measure: 'Value', mean: [12, 12, null], targets: [10, 20, null] },
      { measure: 'AverageValue', mean: [null, null, 4], targets: [null, null, 4] },
    ]);
  });

  it('leaves out a share of no pods', () => {
    const policy = aPolicy([queue({ type: 'AverageValue', averageValue: '5' })]);
    const builder = new ChartBuilder({ from: 0, until: 10, steps: 1 }, () => policy);
    builder.add(aChunk([queueColumns], [{ time: 1, ...depth, statusReplicas: 0 }]));
    expect(builder.finish().metrics).toMatchObject([{ mean: [null], targets: [5] }]);
  });
});

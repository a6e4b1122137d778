import { describe, expect, it } from '@jest/globals';
import { decide, type DecideInput, parseDecideInput } from '#decision';
import { decodeSeriesChunk, seriesColumns } from './series-chunk.ts';
import { SeriesRecorder } from './series-recorder.ts';
import type { RecordedChunk } from './series-store.port.ts';

const start = Date.parse('2026-11-20T12:00:00.000Z');
const at = (seconds: number): string => new Date(start + seconds * 1_000).toISOString();

const container = (name: string, cpu: string) => ({ name, requests: { cpu } });
const aPod = (name: string, changes: object = {}) => ({
  name,
  phase: 'Running',
  startTime: at(-9_000),
  ready: { status: 'True', lastTransitionTime: at(-8_000) },
  containers: [container('app', '100m'), container('proxy', '50m')],
  ...changes,
});
const aSample = (pod: string, app: string, proxy: string) => ({
  pod,
  containers: [
    { name: 'app', usage: { cpu: app } },
    { name: 'proxy', usage: { cpu: proxy } },
  ],
});
const usage = { pods: [aSample('a', '80m', '1m'), aSample('b', '60m', '2m')] };
const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
};
const queue = {
  type: 'External',
  external: { metric: { name: 'queue' }, target: { type: 'Value', value: '10' } },
};

function anInput({ seconds = 0, spec = {}, observation = {} }): DecideInput {
  const input = parseDecideInput({
    policy: {
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'AutoscalingPolicy',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 100,
        metrics: [cpu, queue],
        ...spec,
      },
    },
    observation: {
      time: at(seconds),
      scale: { specReplicas: 4, statusReplicas: 3, selector: 'app=web' },
      pods: [aPod('a'), aPod('b'), aPod('c', { phase: 'Pending' })],
      metrics: 'metrics' in spec ? [usage] : [usage, { values: ['7', '1500m'] }],
      ...observation,
    },
    memory: {},
    settings: {},
  });
  if (!input.ok) throw new Error(`${input.error.path}: ${input.error.message}`);
  return input.value;
}

function record(recorder: SeriesRecorder, input: DecideInput): void {
  recorder.record(input, decide(input).decision);
}

/** Rows as objects; what has no value is left out. */
function rowsOf(chunks: readonly RecordedChunk[]) {
  return chunks.flatMap(({ bytes }) => {
    const { layout, rows, columns } = decodeSeriesChunk(bytes);
    const names = seriesColumns(layout);
    return Array.from({ length: rows }, (_, row) =>
      Object.fromEntries(
        names
          .map((name, column) => [name, columns[column]![row]!] as const)
          .filter(([, value]) => !Number.isNaN(value)),
      ),
    );
  });
}

describe('SeriesRecorder', () => {
  it('has the sums of what a pass saw, by metric and container', () => {
    const recorder = new SeriesRecorder();
    record(recorder, anInput({}));
    const [chunk] = recorder.takeAll();
    expect(decodeSeriesChunk(chunk!.bytes).layout.metrics).toEqual([
      { type: 'Resource', name: 'cpu', containers: ['app', 'proxy'] },
      { type: 'External', name: 'queue', containers: [] },
    ]);
    expect(chunk).toMatchObject({ policy: { namespace: 'shop', name: 'web' }, start, end: start, rows: 1 });
    expect(rowsOf([chunk!])).toEqual([
      {
        time: start,
        specReplicas: 4,
        statusReplicas: 3,
        'metrics[0].ready': 2,
        'metrics[0].unready': 1,
        'metrics[0].missing': 0,
        'metrics[0].ignored': 0,
        'metrics[0].filteredOut': 0,
        'metrics[0].containers[0].usage': 140,
        'metrics[0].containers[0].requests': 200,
        'metrics[0].containers[1].usage': 3,
        'metrics[0].containers[1].requests': 100,
        'metrics[1].ready': 2,
        'metrics[1].unready': 1,
        'metrics[1].missing': 0,
        'metrics[1].ignored': 0,
        'metrics[1].filteredOut': 0,
        'metrics[1].value': 8_500,
      },
    ]);
  });

  it('keeps the pods that selection left out apart', () => {
    const recorder = new SeriesRecorder();
    const owned = {
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u1', controller: true },
      ],
    };
    record(
      recorder,
      anInput({
        spec: { metrics: [cpu], selectionStrategy: 'OwnerReference' },
        observation: {
          target: { uid: 'u1' },
          owners: [],
          pods: [aPod('a', owned), aPod('b'), aPod('d')],
        },
      }),
    );
    expect(rowsOf(recorder.takeAll())).toMatchObject([
      {
        'metrics[0].ready': 1,
        'metrics[0].filteredOut': 2,
        'metrics[0].containers[0].usage': 80,
        'metrics[0].containers[0].requests': 100,
        'metrics[0].containers[0].filteredUsage': 60,
        // The pod without a sample adds no request, so that the two belong together.
        'metrics[0].containers[0].filteredRequests': 100,
      },
    ]);
  });

  it('has rows without values where no metric was evaluated, and where the scale could not be read', () => {
    const recorder = new SeriesRecorder();
    record(recorder, anInput({}));
    record(recorder, anInput({ seconds: 15, spec: { enabled: false } }));
    record(recorder, anInput({ seconds: 30, observation: { scale: { error: { message: 'gone' } } } }));
    const chunks = recorder.takeAll();
    expect(chunks).toHaveLength(1);
    expect(rowsOf(chunks).slice(1)).toEqual([
      { time: start + 15_000, specReplicas: 4, statusReplicas: 3 },
      { time: start + 30_000 },
    ]);
  });

  it('begins a chunk where a container comes, and keeps its columns when it is gone again', () => {
    const recorder = new SeriesRecorder();
    const injected = { pods: [{ pod: 'a', containers: [{ name: 'side', usage: { cpu: '5m' } }] }] };
    record(recorder, anInput({ spec: { metrics: [cpu] } }));
    record(
      recorder,
      anInput({ seconds: 15, spec: { metrics: [cpu] }, observation: { metrics: [injected] } }),
    );
    record(recorder, anInput({ seconds: 30, spec: { metrics: [cpu] } }));
    const chunks = recorder.takeAll();
    expect(chunks.map(({ rows }) => rows)).toEqual([1, 2]);
    expect(rowsOf(chunks).map((row) => row['metrics[0].containers[2].usage'])).toEqual([
      undefined,
      5,
      undefined,
    ]);
    expect(rowsOf(chunks).map((row) => row['metrics[0].containers[0].usage'])).toEqual([140, undefined, 140]);
  });

  it('has a row of its own time for each pass, also of those that saw what the one before saw', () => {
    const recorder = new SeriesRecorder();
    const more = { metrics: [usage, { values: ['9'] }] };
    for (const [seconds, observation] of [
      [0, {}],
      [15, {}],
      [30, more],
      [45, more],
      [60, {}],
    ] as const)
      record(recorder, anInput({ seconds, observation }));
    const [chunk] = recorder.takeAll();
    expect(chunk).toMatchObject({ start, end: start + 60_000, rows: 5 });
    expect(
      rowsOf(chunk === undefined ? [] : [chunk]).map((row) => [row['time'], row['metrics[1].value']]),
    ).toEqual([
      [start, 8_500],
      [start + 15_000, 8_500],
      [start + 30_000, 9_000],
      [start + 45_000, 9_000],
      [start + 60_000, 8_500],
    ]);
  });

  it('gives a chunk away when its first row is four minutes old, so many at a time', () => {
    const recorder = new SeriesRecorder();
    for (let seconds = 0; seconds < 240; seconds += 15) record(recorder, anInput({ seconds }));
    expect(recorder.takeDue(start + 239_999, 10)).toEqual([]);
    const [chunk] = recorder.takeDue(start + 240_000, 10);
    expect(chunk).toMatchObject({ start, end: start + 225_000, rows: 16 });
    expect(recorder.takeDue(start + 480_000, 10)).toEqual([]);
    for (const name of ['x', 'y', 'z']) {
      const input = anInput({});
      const { decision } = decide(input);
      recorder.record(input, { ...decision, policy: { namespace: 'shop', name } });
    }
    expect(recorder.takeDue(start + 240_000, 2).map(({ policy }) => policy.name)).toEqual(['x', 'y']);
    expect(recorder.takeDue(start + 240_000, 2).map(({ policy }) => policy.name)).toEqual(['z']);
  });
});

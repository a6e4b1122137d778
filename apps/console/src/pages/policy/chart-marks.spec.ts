import { describe, expect, it } from '@jest/globals';
import type { TimelineEntryFragment } from '../audit/audit.generated.ts';
import { chartMarks, type ChartSteps, heldOver, stepsOfOutage } from './chart-marks.ts';
import { windowMarks } from './window-marks.ts';

const web = { namespace: 'shop', name: 'web', intervalSeconds: 15 };
const minute = (count: number): string =>
  new Date(Date.parse('2026-11-22T03:00:00Z') + count * 60_000).toISOString();
const minutes = Array.from({ length: 60 }, (_, index) => index);

const quiet: ChartSteps = {
  times: minutes.map(minute),
  minReplicas: minutes.map(() => 2),
  maxReplicas: minutes.map(() => 9),
  specReplicas: { mean: minutes.map(() => 4) },
};

const frame = (at: number, kind: TimelineEntryFragment['kind']) => ({
  id: `entry ${at}`,
  time: minute(at),
  hash: 'aa',
  policy: web,
  kind,
});

const scaling: TimelineEntryFragment = {
  ...frame(12, 'ScalingEvent'),
  __typename: 'ScalingEvent',
  from: 4,
  to: 6,
  origin: 'Plimsoll',
  manager: null,
  decisionId: 'policy:shop/web#7',
  scalingReason: 'cpu 83 %',
};

const change: TimelineEntryFragment = {
  ...frame(20, 'PolicyChange'),
  __typename: 'PolicyChange',
  source: 'policies',
  commit: { hash: 'abc', subject: 'Raise it', author: 'Ann' },
};

const action: TimelineEntryFragment = {
  ...frame(30, 'OperatorAction'),
  __typename: 'OperatorAction',
  actor: 'ann',
  operatorAction: 'SuspendScaling',
  outcome: 'Accepted',
  operatorReason: 'a sale',
  operatorArguments: {},
};

describe('marks on the time axis of a policy', () => {
  it('say what happened, and lead there', () => {
    expect(chartMarks([scaling, change, action], quiet, web)).toMatchObject([
      {
        kind: 'operator',
        path: expect.stringMatching(/^\/audit\?kind=OperatorAction&from=2026-11-22T03%3A30/),
      },
      {
        kind: 'policy',
        title: 'policy changed: policies abc Raise it (Ann)',
        path: '/sources/policies/revisions/abc',
      },
      { kind: 'up', title: '4 → 6: cpu 83 %', path: '/decisions/policy%3Ashop%2Fweb%237' },
    ]);
  });

  it('leave out other policies, refusals, and what was only read', () => {
    const others: readonly TimelineEntryFragment[] = [
      { ...scaling, policy: { namespace: 'shop', name: 'api' } },
      { ...action, outcome: 'Refused' },
      { ...action, operatorAction: 'ReadReport' },
    ];
    expect(chartMarks(others, quiet, web)).toEqual([]);
    expect(chartMarks([{ ...action, policy: null }], quiet, web)).toHaveLength(1);
  });

  it('show where bounds became others, and where no pass was', () => {
    const steps: ChartSteps = {
      ...quiet,
      minReplicas: minutes.map((each) => (each < 15 ? 2 : 5)),
      specReplicas: { mean: minutes.map((each) => (each >= 30 && each < 42 ? null : 4)) },
    };
    expect(chartMarks([], steps, web)).toMatchObject([
      { kind: 'outage', title: 'No pass for 12 minutes', time: Date.parse(minute(30)) / 1_000 },
      { kind: 'bounds', title: 'Bounds become 5 to 9', time: Date.parse(minute(15)) / 1_000 },
    ]);
  });

  it('are one where they would cover each other', () => {
    const burst = [0, 1, 2].map((second) => ({
      ...scaling,
      id: `${second}`,
      time: `2026-11-22T03:12:0${second}Z`,
    }));
    expect(chartMarks(burst, quiet, web)).toMatchObject([
      { id: '2', title: '4 → 6: cpu 83 %; and 2 others, such as 4 → 6: cpu 83 %' },
    ]);
  });
});

describe('a line on the time axis of a policy', () => {
  const seconds = (step: number) => ({
    times: [0, 1].map((index) => new Date(index * step * 1_000).toISOString()),
  });

  it.each([
    { name: 'steps longer than its interval', step: 60, interval: 15, want: 5 },
    { name: 'steps of a part of its interval', step: 4, interval: 60, want: 45 },
  ])('goes on until the pass that is due, with $name', ({ step, interval, want }) => {
    expect(stepsOfOutage(seconds(step), interval)).toBe(want);
  });

  it('ends where passes do not come', () => {
    expect(heldOver([null, 4, null, 6, null, null, null, 5], 3)).toEqual([null, 4, 4, 6, 6, 6, null, 5]);
  });
});

describe('schedules and freezes of a policy', () => {
  const document = {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { namespace: 'shop', name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 9,
      schedules: [{ name: 'sale', cron: '0 3 * * *', timeZone: 'UTC', duration: '1h', minReplicas: 6 }],
      freeze: [
        { name: 'release', cron: '20 3 * * *', timeZone: 'UTC', duration: '10m', direction: 'Down' },
        { name: 'night', cron: '0 0 * * *', timeZone: 'UTC', duration: '210m', direction: 'Both' },
      ],
    },
  };

  it('are marked where they begin, and at the edge where they began before', () => {
    const marks = windowMarks(document, minute(10), minute(70));
    expect(marks.map(({ kind, time, title }) => [kind, new Date(time * 1_000).toISOString(), title])).toEqual(
      [
        ['schedule', minute(10), 'Schedule sale: at least 6, until 2026-11-22 04:00:00 UTC'],
        ['freeze', minute(10), 'Freeze night: the count stays, until 2026-11-22 03:30:00 UTC'],
        ['freeze', minute(20), 'Freeze release: nothing shrinks, until 2026-11-22 03:30:00 UTC'],
      ],
    );
    expect(windowMarks(document, minute(120), minute(180))).toEqual([]);
  });
});

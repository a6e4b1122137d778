import { describe, expect, it } from '@jest/globals';
import type { TimelineEntryFragment } from '../audit/audit.generated.ts';
import { chartMarks, type ChartSteps } from './chart-marks.ts';

const web = { namespace: 'shop', name: 'web' };
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

import { describe, expect, it } from '@jest/globals';
import { formatTime } from '../../components/time/format-time.ts';
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

/** Without the marks that isolate names. */
const plain = (text: string): string => text.replaceAll(/[\u2066-\u2069]/g, '');

const scaling: Extract<TimelineEntryFragment, { __typename: 'ScalingEvent' }> = {
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
  changeOperator: null,
};

const action: Extract<TimelineEntryFragment, { __typename: 'OperatorAction' }> = {
  ...frame(30, 'OperatorAction'),
  __typename: 'OperatorAction',
  actor: 'ann',
  operatorAction: 'SyncNow',
  outcome: 'Accepted',
  operatorReason: 'a sale',
  givenReason: null,
  operatorArguments: {},
  end: null,
};

describe('marks on the time axis of a policy', () => {
  it('say what happened, and lead there', () => {
    expect(chartMarks([scaling, change, action], quiet, web)).toMatchObject([
      {
        kind: 'operator',
        path: '/audit/entry%2030',
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

  it.each([
    {
      name: 'up by a manager',
      to: 6,
      manager: 'kubectl-edit',
      want: { kind: 'upByOthers', title: '4 → 6 by kubectl-edit: cpu 83 %' },
    },
    {
      name: 'down by nobody that is known',
      to: 2,
      manager: null,
      want: { kind: 'downByOthers', title: '4 → 2 by somebody else: cpu 83 %' },
    },
  ])('tell what others did to the count from what Plimsoll did: $name', ({ to, manager, want }) => {
    const entry = { ...scaling, origin: 'External' as const, decisionId: null, to, manager };
    expect(chartMarks([entry], quiet, web).map(({ kind, title }) => ({ kind, title: plain(title) }))).toEqual(
      [want],
    );
  });

  const suspension = {
    intervention: {
      id: 'one',
      kind: 'Suspend' as const,
      actor: 'ann',
      reason: 'a sale',
      since: minute(-5),
      expires: minute(50),
      against: [],
      direction: 'Both' as const,
      minReplicas: null,
      maxReplicas: null,
      replicas: null,
      viewerRoles: [],
      scope: { kind: 'Cluster' as const, namespace: null, name: null, source: null, metricSource: null },
    },
    end: null,
  };

  it('show an intervention of any scope where it begins, or at the edge, and where it ends', () => {
    const marks = (interventions: NonNullable<ChartSteps['interventions']>) =>
      chartMarks([], { ...quiet, interventions }, web).map(({ kind, time, title }) => [
        kind,
        new Date(time * 1_000).toISOString(),
        plain(title),
      ]);
    const begunUntil = (time: string) => [
      'begun',
      minute(0),
      `Scaling is suspended (both directions), every policy, until ${formatTime(time, 'utc')}, by ann: a sale`,
    ];
    const begun = begunUntil(minute(50));
    const what = 'Ended: Scaling is suspended (both directions), every policy,';
    const ended = (end: { time: string; actor: string; reason: string | null }) => ({ ...suspension, end });
    expect(marks([suspension])).toEqual([begun]);
    expect(marks([ended({ time: minute(20), actor: 'bob', reason: 'it is over' })])).toEqual([
      ['ended', minute(20), `${what} by bob: it is over`],
      begunUntil(minute(20)),
    ]);
    expect(marks([ended({ time: minute(50), actor: 'plimsoll', reason: 'it has expired' })])).toEqual([
      ['ended', minute(50), `${what} since it has expired`],
      begun,
    ]);
  });

  it('lead to what operators did then in the namespace of the intervention, or everywhere', () => {
    const pathOf = (namespace: string | null) => {
      const { intervention } = suspension;
      const within = { ...intervention, scope: { ...intervention.scope, namespace } };
      return chartMarks([], { ...quiet, interventions: [{ intervention: within, end: null }] }, web)[0]?.path;
    };
    expect(pathOf(null)).toMatch(/^\/audit\?kind=OperatorAction&from=2026-11-22T02%3A55/);
    expect(pathOf('shop')).toMatch(/^\/audit\?kind=OperatorAction&namespace=shop&from=/);
  });

  it('do not show the entries of interventions a second time', () => {
    expect(chartMarks([{ ...action, operatorAction: 'SuspendScaling' }], quiet, web)).toEqual([]);
  });

  it('show where bounds became others, and where no pass was', () => {
    const steps: ChartSteps = {
      ...quiet,
      minReplicas: minutes.map((each) => (each < 15 ? 2 : 5)),
      specReplicas: { mean: minutes.map((each) => (each >= 30 && each < 42 ? null : 4)) },
    };
    expect(chartMarks([], steps, web)).toMatchObject([
      {
        kind: 'outage',
        title: 'No pass for 12 minutes',
        time: Date.parse(minute(30)) / 1_000,
        path: expect.stringMatching(/^\/audit\?policy=shop%2Fweb&from=2026-11-22T03%3A30/),
      },
      { kind: 'bounds', title: 'Bounds become 5 to 9', time: Date.parse(minute(15)) / 1_000 },
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
    { name: 'steps of a part of a second', step: 0.25, interval: 5, want: 60 },
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
        [
          'schedule',
          minute(10),
          `Schedule sale: at least 6, until ${formatTime('2026-11-22T04:00:00Z', 'utc')}`,
        ],
        [
          'freeze',
          minute(10),
          `Freeze night: the count stays, until ${formatTime('2026-11-22T03:30:00Z', 'utc')}`,
        ],
        [
          'freeze',
          minute(20),
          `Freeze release: nothing shrinks, until ${formatTime('2026-11-22T03:30:00Z', 'utc')}`,
        ],
      ],
    );
    expect(marks[0]?.path).toMatch(/^\/audit\?policy=shop%2Fweb&from=2026-11-22T03%3A10/);
    expect(windowMarks(document, minute(120), minute(180))).toEqual([]);
  });
});

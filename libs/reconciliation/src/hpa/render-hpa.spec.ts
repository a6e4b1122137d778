import { describe, expect, it } from '@jest/globals';
import type { Intervention, ObservedWindow } from '#decision';
import type { BehaviorRules, EffectivePolicy } from '#policy';
import { aPolicy } from '../testing/a-policy.ts';
import { managedPartOf } from './managed-part.ts';
import { type RenderedHpa, renderHpa } from './render-hpa.ts';

const time = '2026-11-20T12:00:00Z';
const expires = '2026-11-20T13:00:00Z';
const none: BehaviorRules = { isSet: false, scaleUp: {}, scaleDown: {} };

function render(
  changes: Partial<EffectivePolicy> = {},
  {
    windows = [],
    interventions = [],
  }: { readonly windows?: readonly ObservedWindow[]; readonly interventions?: readonly Intervention[] } = {},
): RenderedHpa {
  const policy = aPolicy({ actuation: 'HorizontalPodAutoscaler', minReplicas: 2, ...changes });
  return renderHpa(policy, 'uid-of-target', { time, windows, interventions });
}

const freeze = (direction: 'Up' | 'Down' | 'Both', until?: string): ObservedWindow => ({
  kind: 'Freeze',
  name: 'release',
  direction,
  ...(until !== undefined && { until }),
});

describe('renderHpa', () => {
  it('renders a policy with every default filled in', () => {
    expect(render({ behavior: none })).toEqual({
      namespace: 'shop',
      name: 'checkout',
      labels: {
        'app.kubernetes.io/name': 'checkout',
        'app.kubernetes.io/instance': 'checkout',
        'app.kubernetes.io/managed-by': 'plimsoll',
      },
      annotations: { 'plimsoll.dev/policy': 'shop/checkout' },
      owner: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout', uid: 'uid-of-target' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
        minReplicas: 2,
        maxReplicas: 10,
        metrics: [
          {
            type: 'External',
            external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '1' } },
          },
        ],
      },
      inForce: [],
      departures: [],
    });
  });

  it('renders both directions of a behavior, tolerances as written, and nothing of ours', () => {
    const { spec } = render({
      behavior: {
        isSet: true,
        scaleUp: {
          stabilizationWindowSeconds: 0,
          selectPolicy: 'Min',
          policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }],
          tolerance: { text: '50m', fraction: 0.05 },
        },
        scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 10, periodSeconds: 60 }] },
      },
    });
    expect(spec['behavior']).toEqual({
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Min',
        policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }],
        tolerance: '50m',
      },
      scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 10, periodSeconds: 60 }] },
    });
  });

  it.each([
    { name: 'a'.repeat(64), want: {} },
    { name: 'web.shop', want: { 'app.kubernetes.io/instance': 'web.shop' } },
  ])('leaves a label out where $name is no value', ({ name, want }) => {
    const { labels } = render({ name, target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a:b' } });
    expect(labels).toEqual({ ...want, 'app.kubernetes.io/managed-by': 'plimsoll' });
  });

  it.each<{
    readonly name: string;
    readonly windows?: readonly ObservedWindow[];
    readonly interventions?: readonly Intervention[];
    readonly want: readonly [number, number];
    readonly until?: string;
  }>([
    { name: 'the policy’s bounds', want: [2, 10] },
    {
      name: 'the tightest bounds of schedules, until the first of them ends',
      windows: [
        { kind: 'Schedule', name: 'evening', minReplicas: 4, until: '2026-11-20T22:00:00Z' },
        { kind: 'Schedule', name: 'peak', minReplicas: 6, maxReplicas: 8, until: expires },
      ],
      want: [6, 8],
      until: expires,
    },
    {
      name: 'the maximum, where bounds cross',
      windows: [{ kind: 'Schedule', name: 'night', maxReplicas: 1 }],
      want: [1, 1],
    },
    {
      name: 'the bounds of an override before those of a schedule',
      windows: [{ kind: 'Schedule', name: 'evening', minReplicas: 4 }],
      interventions: [{ kind: 'Override', minReplicas: 3, expires }],
      want: [3, 10],
      until: expires,
    },
    {
      name: 'a pin as minimum = maximum',
      interventions: [{ kind: 'Override', replicas: 7, expires }],
      want: [7, 7],
      until: expires,
    },
    {
      name: 'a pin within the bounds',
      interventions: [{ kind: 'Override', replicas: 70, expires }],
      want: [10, 10],
      until: expires,
    },
    {
      name: 'nothing of an override that has expired',
      interventions: [{ kind: 'Override', replicas: 7, expires: time }],
      want: [2, 10],
    },
  ])('renders $name', ({ windows = [], interventions = [], want, until }) => {
    const { spec, annotations } = render({}, { windows, interventions });
    expect([spec['minReplicas'], spec['maxReplicas']]).toEqual(want);
    expect(annotations['plimsoll.dev/until']).toBe(until);
  });

  it('renders a pin of no replicas as at most one, and says so', () => {
    const interventions: Intervention[] = [{ kind: 'Override', replicas: 0, expires }];
    const { spec, departures } = render({ minReplicas: 0 }, { interventions });
    expect([spec['minReplicas'], spec['maxReplicas']]).toEqual([0, 1]);
    expect(departures).toEqual(['a pin of 0 replicas is rendered as at most 1']);
  });
});

describe('a stop', () => {
  const rules = aPolicy().behavior;

  it.each([
    { direction: 'Up', want: ['Disabled', 'Max'] },
    { direction: 'Down', want: ['Max', 'Disabled'] },
    { direction: 'Both', want: ['Disabled', 'Disabled'] },
  ] as const)(
    '$direction disables its direction beside the behavior of the policy',
    ({ direction, want }) => {
      const { spec, departures, annotations } = render({}, { windows: [freeze(direction, expires)] });
      expect(spec['behavior']).toEqual({
        scaleUp: { ...rules.scaleUp, selectPolicy: want[0] },
        scaleDown: { ...rules.scaleDown, selectPolicy: want[1] },
      });
      expect(departures).toEqual([
        'freeze "release": the native controller still corrects a count outside minimum and maximum',
      ]);
      expect(annotations['plimsoll.dev/until']).toBe(expires);
    },
  );

  it('of scaling down leaves a policy without behavior nearly its rules up, and says how they differ', () => {
    const interventions: Intervention[] = [{ kind: 'Suspend', direction: 'Down', actor: 'ada', expires }];
    const rendered = render({ behavior: none }, { interventions });
    expect(managedPartOf(rendered)['spec']).toMatchObject({
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 0,
          policies: [
            { type: 'Pods', value: 3, periodSeconds: 15 },
            { type: 'Percent', value: 100, periodSeconds: 15 },
          ],
        },
        scaleDown: { selectPolicy: 'Disabled' },
      },
    });
    expect(rendered.departures).toEqual([
      'a suspension by ada: the native controller still corrects a count outside minimum and maximum',
      expect.stringContaining('the policy has no behavior, and a stop needs one'),
    ]);
  });

  it('of scaling up leaves a policy without behavior its rules down: the controller’s window, no rate', () => {
    const { spec, departures } = render({ behavior: none }, { windows: [freeze('Up')] });
    expect(spec['behavior']).toMatchObject({
      scaleUp: { selectPolicy: 'Disabled' },
      scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
    });
    expect(spec['behavior']).not.toHaveProperty(['scaleDown', 'stabilizationWindowSeconds']);
    expect(departures).toHaveLength(1);
  });
});

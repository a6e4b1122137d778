import { describe, expect, it } from '@jest/globals';
import { ago, decideFor, marked, queue } from '../testing/decide-for.ts';

interface Given {
  /** Windows as written. */
  readonly up?: number;
  readonly down?: number;
  readonly wanted: number;
  /** Remembered counts by the seconds since. */
  readonly remembered: readonly (readonly [seconds: number, replicas: number])[];
  readonly family?: 'hpa' | 'watermark';
}

/** Ten replicas; rates and velocity allow everything. */
function stabilized({ up, down, wanted, remembered, family = 'hpa' }: Given): object {
  const free = {
    selectPolicy: 'Max',
    policies: [{ type: 'Pods', value: 100, periodSeconds: 15 }],
    limitPercent: 99,
  };
  const { decision, memory } = decideFor({
    current: 10,
    spec: {
      metrics: family === 'hpa' ? [queue] : [queue, marked],
      behavior: {
        scaleUp: {
          ...free,
          limitPercent: 1_000,
          ...(up === undefined ? {} : { stabilizationWindowSeconds: up }),
        },
        scaleDown: { ...free, ...(down === undefined ? {} : { stabilizationWindowSeconds: down }) },
      },
    },
    observation: {
      metrics: [{ values: [String(wanted)] }, { values: ['1'] }].slice(0, family === 'hpa' ? 1 : 2),
    },
    memory: { recommendations: remembered.map(([seconds, replicas]) => ({ replicas, time: ago(seconds) })) },
  });
  const kept = memory.recommendations?.map(({ replicas, time }) => [
    (Date.parse(decision.time) - Date.parse(time)) / 1000,
    replicas,
  ]);
  return { to: decision.desiredReplicas, kept };
}

describe('stabilization', () => {
  it.each<{ name: string; given: Given; to: number; kept: readonly (readonly number[])[] }>([
    {
      name: 'grows no further than the lowest recommendation within the window',
      given: { up: 60, down: 0, wanted: 20, remembered: [[59.999, 13]] },
      to: 13,
      kept: [
        [59.999, 13],
        [0, 20],
      ],
    },
    {
      name: 'leaves out a recommendation exactly at the start of the upwards window, and keeps it',
      given: { up: 60, down: 0, wanted: 20, remembered: [[60, 13]] },
      to: 20,
      kept: [
        [60, 13],
        [0, 20],
      ],
    },
    {
      name: 'overwrites the last that is older than both windows, not one that is older than one of them',
      given: {
        up: 300,
        down: 60,
        wanted: 12,
        remembered: [
          [400, 12],
          [350, 12],
          [200, 12],
        ],
      },
      to: 12,
      kept: [
        [400, 12],
        [0, 12],
        [200, 12],
      ],
    },
    {
      name: 'takes an unwritten downwards window for the controller’s own',
      given: { wanted: 5, remembered: [[299, 9]] },
      to: 9,
      kept: [
        [299, 9],
        [0, 5],
      ],
    },
  ])('$name', ({ given, to, kept }) => {
    expect(stabilized(given)).toEqual({ to, kept });
  });

  it('takes an unwritten downwards window for none in a watermark policy', () => {
    const metric = {
      ...marked,
      external: {
        ...marked.external,
        target: { type: 'Watermark', lowWatermark: '10', highWatermark: '20', algorithm: 'absolute' },
      },
    };
    const { decision } = decideFor({
      current: 10,
      spec: {
        metrics: [metric],
        behavior: { scaleUp: { stabilizationWindowSeconds: 60 }, scaleDown: { limitPercent: 99 } },
      },
      observation: { metrics: [{ values: ['5'] }] },
      memory: { recommendations: [{ replicas: 9, time: ago(100) }] },
    });
    expect(decision.desiredReplicas).toBe(5);
  });
});

import { describe, expect, it } from '@jest/globals';
import { decide } from '../decide.ts';
import { parseDecideInput } from '../input/parse-decide-input.ts';
import type { Decision } from '../model/decision.ts';

interface Given {
  readonly current: number;
  readonly step: number;
  readonly towards: 'HighWatermark' | 'LowWatermark';
  readonly value: string;
}

/** One External metric between marks of 10 and 20 per workload, all replicas ready, nothing else in the way. */
function decideBetweenMarks({ current, step, towards, value }: Given): Decision {
  const input = parseDecideInput({
    policy: {
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'AutoscalingPolicy',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 30,
        replicaStep: step,
        convergeTowards: towards,
        metrics: [
          {
            type: 'External',
            external: {
              metric: { name: 'queue' },
              target: { type: 'Watermark', lowWatermark: '10', highWatermark: '20', tolerance: 0 },
            },
          },
        ],
        behavior: { scaleUp: { limitPercent: 1000 }, scaleDown: { limitPercent: 99 } },
      },
    },
    observation: {
      time: '2026-11-20T12:00:00Z',
      scale: { specReplicas: current, statusReplicas: current, selector: 'app=web' },
      pods: Array.from({ length: current }, (_, index) => ({
        name: `pod-${index}`,
        phase: 'Running',
        startTime: '2026-11-20T09:00:00Z',
        ready: { status: 'True', lastTransitionTime: '2026-11-20T09:00:00Z' },
      })),
      metrics: [{ values: [value] }],
    },
  });
  if (!input.ok) throw new Error(input.error.message);
  return decide(input.value).decision;
}

describe('converging to a watermark', () => {
  it.each<{ name: string; given: Given; want: number }>([
    {
      name: 'takes a step down where the high mark allows it',
      given: { current: 4, step: 1, towards: 'HighWatermark', value: '15' },
      want: 3,
    },
    {
      name: 'refuses a step beyond the high mark',
      given: { current: 4, step: 2, towards: 'HighWatermark', value: '15' },
      want: 4,
    },
    {
      name: 'ends a step down at one replica, however large the step',
      given: { current: 2, step: 5, towards: 'HighWatermark', value: '10' },
      want: 1,
    },
    {
      name: 'takes a step up where the low mark allows it',
      given: { current: 4, step: 2, towards: 'LowWatermark', value: '15' },
      want: 6,
    },
    {
      name: 'refuses a step beyond the low mark',
      given: { current: 4, step: 3, towards: 'LowWatermark', value: '15' },
      want: 4,
    },
  ])('$name', ({ given, want }) => {
    const { metrics, steps } = decideBetweenMarks(given);
    expect(metrics[0]?.proposedReplicas).toBe(want);
    expect(steps.map(({ rule }) => rule).slice(0, 3)).toEqual(['proposal', 'tolerance', 'converge']);
  });
});

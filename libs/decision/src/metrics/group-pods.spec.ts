import { describe, expect, it } from '@jest/globals';
import { decide } from '../decide.ts';
import { parseDecideInput } from '../input/parse-decide-input.ts';

const now = Date.parse('2026-11-20T12:00:00.000Z');
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

interface Given {
  readonly pod?: Readonly<Record<string, unknown>>;
  /** Seconds since the start; the initialization period is 300 s, the initial readiness delay 30 s. */
  readonly started: number;
  readonly ready: string;
  /** Seconds since readiness last changed. */
  readonly changed: number;
  /** Seconds since the sample was taken, over a window of 30 s. */
  readonly taken?: number;
  readonly resource?: string;
}

/** The group of a pod beside an ordinary ready one. */
function groupOf({ pod, started, ready, changed, taken = 5, resource = 'cpu' }: Given): string | undefined {
  const ordinary = { started: 5000, ready: 'True', changed: 4900 };
  const aPod = (name: string, state: { started: number; ready: string; changed: number }): object => ({
    name,
    phase: 'Running',
    startTime: ago(state.started),
    ready: { status: state.ready, lastTransitionTime: ago(state.changed) },
    containers: [{ name: 'app', requests: { cpu: '100m', memory: '1Gi' } }],
  });
  const sample = (name: string, age: number): object => ({
    pod: name,
    timestamp: ago(age),
    windowSeconds: 30,
    containers: [{ name: 'app', usage: { [resource]: '50m' } }],
  });
  const input = parseDecideInput({
    policy: {
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'AutoscalingPolicy',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 9,
        metrics: [
          {
            type: 'Resource',
            resource: { name: resource, target: { type: 'AverageValue', averageValue: '50m' } },
          },
        ],
      },
    },
    observation: {
      time: ago(0),
      scale: { specReplicas: 2, statusReplicas: 2, selector: 'app=web' },
      pods: [aPod('other', ordinary), { ...aPod('pod', { started, ready, changed }), ...pod }],
      metrics: [{ pods: [sample('other', 5), sample('pod', taken)] }],
    },
  });
  if (!input.ok) throw new Error(input.error.message);
  const groups = decide(input.value).decision.metrics[0]?.pods;
  return (['ready', 'unready', 'missing', 'ignored'] as const).find((group) =>
    groups?.[group].includes('pod'),
  );
}

describe('groupPods', () => {
  it.each<{ name: string; given: Given; want: string }>([
    { name: 'a ready pod', given: { started: 900, ready: 'True', changed: 800 }, want: 'ready' },
    {
      name: 'a young pod that is unready',
      given: { started: 299, ready: 'False', changed: 200 },
      want: 'unready',
    },
    {
      name: 'a young pod sampled for a whole window',
      given: { started: 299, ready: 'True', changed: 35 },
      want: 'ready',
    },
    {
      name: 'a young pod sampled for less than a window',
      given: { started: 299, ready: 'True', changed: 34 },
      want: 'unready',
    },
    {
      name: 'a young pod whose readiness is unknown, sampled for a whole window',
      given: { started: 299, ready: 'Unknown', changed: 200 },
      want: 'ready',
    },
    {
      name: 'a pod at the end of the period, sampled for less than a window',
      given: { started: 300, ready: 'True', changed: 34 },
      want: 'ready',
    },
    {
      name: 'a pod that was never ready',
      given: { started: 900, ready: 'False', changed: 871 },
      want: 'unready',
    },
    {
      name: 'a pod that became unready at the end of the readiness delay',
      given: { started: 900, ready: 'False', changed: 870 },
      want: 'ready',
    },
    {
      name: 'a pod whose readiness became unknown at once',
      given: { started: 900, ready: 'Unknown', changed: 900 },
      want: 'ready',
    },
    {
      name: 'a pod without Ready condition',
      given: { pod: { ready: null }, started: 900, ready: 'True', changed: 800 },
      want: 'unready',
    },
    {
      name: 'a pod without start time',
      given: { pod: { startTime: null }, started: 900, ready: 'True', changed: 800 },
      want: 'unready',
    },
    {
      name: 'an unready pod under a memory metric',
      given: { started: 100, ready: 'False', changed: 99, resource: 'memory' },
      want: 'ready',
    },
    {
      name: 'a pending pod, also under a memory metric',
      given: { pod: { phase: 'Pending' }, started: 900, ready: 'True', changed: 800, resource: 'memory' },
      want: 'unready',
    },
    {
      name: 'a failed pod',
      given: { pod: { phase: 'Failed' }, started: 900, ready: 'True', changed: 800 },
      want: 'ignored',
    },
    {
      name: 'a pod that is being deleted, before it is pending',
      given: {
        pod: { phase: 'Pending', deletionTimestamp: ago(1) },
        started: 900,
        ready: 'True',
        changed: 800,
      },
      want: 'ignored',
    },
    {
      name: 'a pod without deletion time',
      given: { pod: { deletionTimestamp: null }, started: 900, ready: 'True', changed: 800 },
      want: 'ready',
    },
    {
      name: 'a young pod of which is not known since when it is ready',
      given: { pod: { ready: { status: 'True' } }, started: 100, ready: 'True', changed: 99 },
      want: 'ready',
    },
    {
      name: 'an unready pod of which is not known since when it is not',
      given: { pod: { ready: { status: 'False' } }, started: 900, ready: 'False', changed: 99 },
      want: 'unready',
    },
    {
      name: 'a pod of which no readiness was observed',
      given: { pod: { ready: undefined }, started: 900, ready: 'True', changed: 800 },
      want: 'unready',
    },
    {
      name: 'a pod without phase',
      given: { pod: { phase: null }, started: 900, ready: 'True', changed: 800 },
      want: 'ready',
    },
  ])('puts $name among the $want', ({ given, want }) => {
    expect(groupOf(given)).toBe(want);
  });
});

import { decide } from '../decide.ts';
import { parseDecideInput } from '../input/parse-decide-input.ts';
import type { DecideInput } from '../model/decide-input.ts';
import type { DecideOutput } from '../model/decision.ts';

/** The parts of an input that matter to a test; the rest has valid defaults. */
export interface Situation {
  /** Fields of an AutoscalingPolicy's spec. */
  readonly spec?: object;
  readonly current?: number;
  readonly observation?: object;
  readonly memory?: object;
  readonly settings?: object;
}

const now = Date.parse('2026-11-20T12:00:00.000Z');

/** So many seconds before the moment of the observation. */
export function ago(seconds: number): string {
  return new Date(now - seconds * 1000).toISOString();
}

/** A ready pod. */
export function aPod(name: string, changes: object = {}): object {
  return {
    name,
    phase: 'Running',
    startTime: ago(9_000),
    ready: { status: 'True', lastTransitionTime: ago(8_900) },
    containers: [{ name: 'app', requests: { cpu: '100m' } }],
    ...changes,
  };
}

/** Decides in a situation; each replica has a ready pod. */
export function decideFor(situation: Situation): DecideOutput {
  return decide(inputFor(situation));
}

export function inputFor({
  spec = {},
  current = 4,
  observation = {},
  memory = {},
  settings = {},
}: Situation): DecideInput {
  const input = parseDecideInput({
    policy: {
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'AutoscalingPolicy',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 100,
        ...spec,
      },
    },
    observation: {
      time: ago(0),
      scale: { specReplicas: current, statusReplicas: current, selector: 'app=web' },
      pods: Array.from({ length: current }, (_, index) => aPod(`pod-${index}`)),
      ...observation,
    },
    memory,
    settings,
  });
  if (!input.ok) throw new Error(`${input.error.path}: ${input.error.message}`);
  return input.value;
}

/** A metric that proposes as many replicas as its value says. */
export const queue = {
  type: 'External',
  external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '1' } },
};

/** A metric that puts a policy into the watermark family, and a proposal of the present count with it. */
export const marked = {
  type: 'External',
  external: {
    metric: { name: 'marked' },
    target: { type: 'Watermark', lowWatermark: '1', highWatermark: '1000' },
  },
};

import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '#kernel';
import { anInput } from './an-input.fake.ts';
import { changedInput, type Changes, noChanges, readChanges, withChange, writeChanges } from './changes.ts';
import type { RecordedDecisionFragment } from './decision-record.generated.ts';
import { evaluate, type Evaluated } from './evaluate.ts';
import { knobsOf } from './knobs.ts';
import { observedPods } from './observed-pods.ts';
import { replay } from './replay.ts';

/** What the metric is held to. */
const target = '/policy/spec/metrics/0/resource/target/averageUtilization';

describe('a replay in the browser', () => {
  it('comes to the recorded decision', () => {
    expect(replay(aRecord())).toEqual({ kind: 'Same' });
  });

  it('names every place where it does not, and whether another version of the rules recorded it', () => {
    expect(replay({ ...aRecord(), desiredReplicas: 5, engineVersion: '0.9.0' })).toEqual({
      kind: 'Different',
      differences: [{ path: '/desiredReplicas', recorded: 5, recomputed: 4 }],
      isOtherEngine: true,
    });
  });

  it('says what cannot be read where the observation is left out', () => {
    expect(replay({ ...aRecord(), input: { ...anInput(), observation: null } })).toEqual({
      kind: 'Unusable',
      message: '/observation: null is not an object',
    });
  });
});

describe('changes of an input', () => {
  it.each<{ readonly name: string; readonly changes: Changes; readonly want: number }>([
    { name: 'none', changes: noChanges, want: 4 },
    { name: 'the load', changes: { ...noChanges, loadPercent: 150 }, want: 6 },
    { name: 'a bound', changes: changing('/policy/spec/minReplicas', 6), want: 6 },
    { name: 'a target', changes: changing(target, 80), want: 3 },
    { name: 'a tolerance', changes: changing('/settings/tolerance', 0.5), want: 3 },
    { name: 'the present count', changes: changing('/observation/scale/specReplicas', 12), want: 10 },
    {
      name: 'the usage of a pod',
      changes: changing('/observation/metrics/0/pods/1/containers/0/usage/cpu', '180m'),
      want: 6,
    },
    {
      name: 'a place that is not there',
      changes: changing('/observation/pods/7/ready/status', 'True'),
      want: 4,
    },
    { name: 'a prototype', changes: changing('/__proto__/maxReplicas', 1), want: 4 },
  ])('$name', ({ changes, want }) => {
    expect(decided(evaluate(changedInput(anInput(), changes))).output.decision.desiredReplicas).toBe(want);
  });

  it('count a pod that is not ready as such', () => {
    const { rows } = observedPods(anInput(), decided(evaluate(anInput())).input.policy);
    const [first] = rows;
    const changed = changing(first?.ready?.pointer ?? '', first?.ready?.otherwise ?? null);
    const { decision } = decided(evaluate(changedInput(anInput(), changed))).output;
    expect(decision.metrics[0]?.pods.ready).toEqual(['checkout-b', 'checkout-c']);
  });

  it('leave the recorded input as it is', () => {
    const input = anInput();
    changedInput(input, { loadPercent: 50, values: new Map([[target, 1]]) });
    expect(input).toEqual(anInput());
  });

  it('stand in the address, and are read from it', () => {
    const changes: Changes = {
      loadPercent: 150,
      values: new Map<string, Json>([
        [target, 70],
        ['/observation/pods/0/ready', { status: 'False' }],
      ]),
    };
    const address = writeChanges(new URLSearchParams('set=/old=1&tv'), changes).toString();
    expect(new URLSearchParams(address).getAll('set')).toEqual([
      `${target}=70`,
      '/observation/pods/0/ready={"status":"False"}',
    ]);
    expect(readChanges(new URLSearchParams(address))).toEqual(changes);
  });

  it('that cannot be read from an address are left out', () => {
    const address = new URLSearchParams('load=-5&set=/a=nothing&set=no-pointer=1&set=/b=');
    expect(readChanges(address)).toEqual(noChanges);
  });

  it('end where the recorded value is set again', () => {
    const changed = withChange(noChanges, { pointer: target, recorded: 60 }, 61);
    expect(changed.values.get(target)).toBe(61);
    expect(withChange(changed, { pointer: target, recorded: 60 }, 60)).toEqual(noChanges);
  });
});

describe('what can be changed', () => {
  it('is the count, the bounds, each target, the tolerance of all and the limits, defaults among them', () => {
    const found = knobsOf(anInput(), decided(evaluate(anInput())).input.policy);
    expect(found.map(({ pointer, value }) => [pointer, value])).toEqual([
      ['/observation/scale/specReplicas', 3],
      ['/policy/spec/minReplicas', 1],
      ['/policy/spec/maxReplicas', 10],
      [target, 60],
      ['/settings/tolerance', 0.1],
      ['/policy/spec/behavior/scaleDown/stabilizationWindowSeconds', 30],
    ]);
  });

  it('is of each pod whether it is ready, and what was measured of it', () => {
    const { rows, count } = observedPods(anInput(), decided(evaluate(anInput())).input.policy);
    expect(count).toBe(3);
    expect(rows[1]).toEqual({
      name: 'checkout-b',
      ready: {
        pointer: '/observation/pods/1/ready',
        isReady: true,
        recorded: { status: 'True', lastTransitionTime: '2026-11-20T09:01:00Z' },
        otherwise: { status: 'False', lastTransitionTime: '2026-11-20T09:00:00Z' },
      },
      usages: [
        {
          pointer: '/observation/metrics/0/pods/1/containers/0/usage/cpu',
          of: 'cpu',
          container: 'web',
          value: '80m',
        },
      ],
    });
  });
});

function changing(pointer: string, value: Json): Changes {
  return { loadPercent: 100, values: new Map([[pointer, value]]) };
}

function decided(evaluated: Evaluated): Extract<Evaluated, { kind: 'Decided' }> {
  if (evaluated.kind === 'Unusable') throw new Error(evaluated.error.message);
  return evaluated;
}

function aRecord(): RecordedDecisionFragment {
  const input: JsonObject = anInput();
  const { decision } = decided(evaluate(input)).output;
  return { id: 'policy:shop/checkout#1', engineVersion: '1.6.0', input, ...decision };
}

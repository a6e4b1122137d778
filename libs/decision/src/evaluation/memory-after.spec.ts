import { describe, expect, it } from '@jest/globals';
import { decide } from '../decide.ts';
import { ago, decideFor, inputFor, queue } from '../testing/decide-for.ts';
import { memoryAfterFailedWrite, memoryWithoutWrite } from './memory-after.ts';

describe('the memory after a pass', () => {
  it('overwrites the last event that the longest period of its direction has left behind', () => {
    const { memory } = decideFor({
      spec: {
        metrics: [queue],
        behavior: {
          scaleUp: {
            policies: [
              { type: 'Pods', value: 9, periodSeconds: 600 },
              { type: 'Pods', value: 9, periodSeconds: 15 },
            ],
          },
          scaleDown: { policies: [{ type: 'Pods', value: 9, periodSeconds: 1800 }] },
        },
      },
      observation: { metrics: [{ values: ['6'] }] },
      memory: {
        recommendations: [],
        scaleUpEvents: [
          { replicas: 1, time: ago(601) },
          { replicas: 2, time: ago(600.001) },
          { replicas: 3, time: ago(600) },
        ],
        scaleDownEvents: [{ replicas: 4, time: ago(5000) }],
      },
    });
    expect(memory.scaleUpEvents).toEqual([
      { replicas: 1, time: ago(601) },
      { replicas: 2, time: ago(0) },
      { replicas: 3, time: ago(600) },
    ]);
    expect(memory.scaleDownEvents).toEqual([{ replicas: 4, time: ago(5000) }]);
  });

  it('keeps events as long as the longest period of their own direction', () => {
    const { memory } = decideFor({
      spec: {
        metrics: [queue],
        behavior: {
          scaleUp: { policies: [{ type: 'Pods', value: 9, periodSeconds: 60 }] },
          scaleDown: {
            stabilizationWindowSeconds: 0,
            policies: [{ type: 'Pods', value: 9, periodSeconds: 600 }],
          },
        },
      },
      observation: { metrics: [{ values: ['2'] }] },
      memory: {
        recommendations: [],
        scaleUpEvents: [{ replicas: 3, time: ago(599) }],
        scaleDownEvents: [{ replicas: 1, time: ago(599) }],
      },
    });
    expect(memory.scaleUpEvents).toEqual([{ replicas: 3, time: ago(599) }]);
    expect(memory.scaleDownEvents).toEqual([
      { replicas: 1, time: ago(599) },
      { replicas: 2, time: ago(0) },
    ]);
  });

  it('starts with the first event of a direction', () => {
    const { memory } = decideFor({
      spec: { metrics: [queue], behavior: { scaleUp: { stabilizationWindowSeconds: 0 } } },
      observation: { metrics: [{ values: ['6'] }] },
    });
    expect(memory).toMatchObject({ scaleUpEvents: [{ replicas: 2, time: ago(0) }], scaleDownEvents: [] });
  });

  it('has no parts of which nothing is known', () => {
    const output = decideFor({
      spec: { metrics: [queue], enabled: false },
      observation: { scale: { error: {} } },
    });
    const empty = { scaleUpEvents: [], scaleDownEvents: [], conditions: [] };
    expect(output.memory).toStrictEqual(empty);
    const input = inputFor({ memory: { lastScaleTime: null } });
    expect(memoryWithoutWrite(input, output)).toStrictEqual(empty);
  });

  it.each([
    { name: 'a pass that decides', spec: {}, want: 'OwnerReference' },
    { name: 'a disabled one', spec: { enabled: false }, want: 'LabelSelector' },
    {
      name: 'a blocked one',
      spec: {
        lifecycle: {
          blockedBy: { apiVersion: 'v1', kind: 'ConfigMap', name: 'brake', jsonPath: '{.data.on}' },
        },
      },
      want: 'LabelSelector',
    },
  ])('has $want as the last strategy after $name', ({ spec, want }) => {
    const { memory } = decideFor({
      spec: { metrics: [queue], selectionStrategy: 'OwnerReference', ...spec },
      observation: { metrics: [{ values: ['4'] }] },
      memory: { selectionStrategy: 'LabelSelector' },
    });
    expect(memory.selectionStrategy).toBe(want);
  });
});

describe('the memory without the write', () => {
  const situation = {
    spec: { metrics: [queue], selectionStrategy: 'OwnerReference' },
    observation: { metrics: [{ values: ['8'] }], owners: { error: {} } },
    memory: {
      recommendations: [],
      lastScaleTime: ago(900),
      scaleUpEvents: [{ replicas: 1, time: ago(900) }],
      scaleDownEvents: [{ replicas: 2, time: ago(900) }],
    },
  };

  it('is what was recommended now and what was written before', () => {
    const input = inputFor(situation);
    const { memory, decision } = decide(input);
    expect(memory.lastScaleTime).toBe(ago(0));
    expect(memoryWithoutWrite(input, { memory, decision })).toStrictEqual({
      recommendations: [{ replicas: 8, time: ago(0) }],
      scaleUpEvents: [{ replicas: 1, time: ago(900) }],
      scaleDownEvents: [{ replicas: 2, time: ago(900) }],
      lastScaleTime: ago(900),
      selectionStrategy: 'OwnerReference',
      conditions: decision.conditions.map(({ type, status, reason, lastTransitionTime }) => ({
        type,
        status,
        reason,
        lastTransitionTime,
      })),
    });
  });

  it.each([
    { name: 'succeeded before', known: { status: 'True', lastTransitionTime: ago(70) }, since: ago(0) },
    { name: 'was not known before', known: undefined, since: ago(0) },
    { name: 'failed before', known: { status: 'False', lastTransitionTime: ago(70) }, since: ago(70) },
  ])('says that a write failed where scaling $name', ({ known, since }) => {
    const conditions = [
      { type: 'First', status: 'True', reason: 'Kept', lastTransitionTime: ago(5) },
      ...(known === undefined ? [] : [{ type: 'AbleToScale', reason: 'Known', ...known }]),
    ];
    const input = inputFor({ ...situation, memory: { ...situation.memory, conditions } });
    const output = decide(input);
    const after = memoryAfterFailedWrite(input, output);
    const failed = {
      type: 'AbleToScale',
      status: 'False',
      reason: 'FailedUpdateScale',
      lastTransitionTime: since,
    };
    const without = memoryWithoutWrite(input, output);
    expect(after).toStrictEqual({
      ...without,
      conditions: without.conditions?.map((each) => (each.type === 'AbleToScale' ? failed : each)),
    });
    expect(after.conditions?.map(({ type }) => type)).toEqual([
      'First',
      'AbleToScale',
      'ScalingActive',
      'ScalingLimited',
    ]);
  });

  it('adds that a write failed where the decision has no word on it', () => {
    const input = inputFor({ ...situation, memory: {} });
    const output = decide(input);
    const decision = { ...output.decision, conditions: [] };
    expect(memoryAfterFailedWrite(input, { ...output, decision }).conditions).toEqual([
      { type: 'AbleToScale', status: 'False', reason: 'FailedUpdateScale', lastTransitionTime: ago(0) },
    ]);
  });

  it('keeps since when writes fail', () => {
    const input = inputFor(situation);
    const output = decide(input);
    const conditions = output.decision.conditions.map((each) =>
      each.type === 'AbleToScale' ? { ...each, status: 'False' as const, lastTransitionTime: ago(30) } : each,
    );
    const after = memoryAfterFailedWrite(input, { ...output, decision: { ...output.decision, conditions } });
    expect(after.conditions?.find(({ type }) => type === 'AbleToScale')).toMatchObject({
      reason: 'FailedUpdateScale',
      lastTransitionTime: ago(30),
    });
  });
});

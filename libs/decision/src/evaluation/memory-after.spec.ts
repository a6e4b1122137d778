import { describe, expect, it } from '@jest/globals';
import { ago, decideFor, queue } from '../testing/decide-for.ts';

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

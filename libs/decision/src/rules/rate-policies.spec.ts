import { expect, it } from '@jest/globals';
import { ago, decideFor, queue } from '../testing/decide-for.ts';

const two = [
  { type: 'Pods', value: 3, periodSeconds: 60 },
  { type: 'Percent', value: 50, periodSeconds: 60 },
];

interface Given {
  readonly wanted: number;
  readonly select: 'Max' | 'Min' | 'Disabled';
  /** Pods that came and went within the period. */
  readonly added?: number;
  readonly removed?: number;
}

it.each<{ name: string; given: Given; to: number }>([
  { name: 'grows by the larger of two policies under Max', given: { wanted: 50, select: 'Max' }, to: 15 },
  { name: 'grows by the smaller of two under Min', given: { wanted: 50, select: 'Min' }, to: 13 },
  { name: 'does not grow under Disabled', given: { wanted: 50, select: 'Disabled' }, to: 10 },
  { name: 'shrinks by the larger of two policies under Max', given: { wanted: 1, select: 'Max' }, to: 5 },
  { name: 'shrinks by the smaller of two under Min', given: { wanted: 1, select: 'Min' }, to: 7 },
  { name: 'does not shrink under Disabled', given: { wanted: 1, select: 'Disabled' }, to: 10 },
  {
    name: 'counts from where the period began, additions taken off',
    given: { wanted: 50, select: 'Max', added: 4 },
    to: 10,
  },
  {
    name: 'counts from where the period began, removals put back',
    given: { wanted: 50, select: 'Max', removed: 4 },
    to: 21,
  },
  { name: 'never shrinks on the way up', given: { wanted: 50, select: 'Min', added: 8 }, to: 10 },
  { name: 'never grows on the way down', given: { wanted: 9, select: 'Min', removed: 8 }, to: 10 },
])('$name', ({ given, to }) => {
  const { wanted, select, added = 0, removed = 0 } = given;
  const direction = { stabilizationWindowSeconds: 0, selectPolicy: select, policies: two };
  const { decision } = decideFor({
    current: 10,
    spec: { metrics: [queue], behavior: { scaleUp: direction, scaleDown: direction } },
    observation: { metrics: [{ values: [String(wanted)] }] },
    memory: {
      recommendations: [],
      scaleUpEvents: [{ replicas: added, time: ago(59) }],
      scaleDownEvents: [{ replicas: removed, time: ago(59) }],
    },
  });
  expect(decision.desiredReplicas).toBe(to);
});

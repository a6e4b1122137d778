import { describe, expect, it } from '@jest/globals';
import { boundsOf } from './bounds-of.ts';
import { metricValues } from './metric-values.ts';

const cases = [
  {
    name: 'a share of the request',
    given: {
      current: { averageUtilization: 55, averageValue: '277m' },
      target: { type: 'Utilization', averageUtilization: 60 },
    },
    want: {
      value: { text: '55 % of request', number: 55 },
      target: { text: '60 % of request', marks: [60] },
    },
  },
  {
    name: 'watermarks, in the unit of the value',
    given: {
      current: { averageValue: '31327m' },
      target: { type: 'Watermark', lowWatermark: '20', highWatermark: '60' },
    },
    want: {
      value: { text: '31327m per pod', number: 31.327 },
      target: { text: '20 to 60', marks: [20, 60] },
    },
  },
  {
    name: 'no value: the metric is invalid',
    given: { current: {}, target: { type: 'AverageValue', averageValue: 5 } },
    want: { value: null, target: { text: '5 per pod', marks: [5] } },
  },
  {
    name: 'shapes that it does not know',
    given: { current: null, target: 'much' },
    want: { value: null, target: null },
  },
];

describe('metricValues', () => {
  it.each(cases)('$name', ({ given, want }) => {
    const { value, target } = metricValues(given);
    expect({
      value: value && { ...value, number: Math.round(value.number * 1_000) / 1_000 },
      target,
    }).toEqual(want);
  });
});

describe('boundsOf', () => {
  it.each([
    { name: 'both', given: { spec: { minReplicas: 2, maxReplicas: 9 } }, want: { minimum: 2, maximum: 9 } },
    { name: 'the default minimum', given: { spec: { maxReplicas: 9 } }, want: { minimum: 1, maximum: 9 } },
    { name: 'no document', given: null, want: undefined },
  ])('$name', ({ given, want }) => {
    expect(boundsOf(given)).toEqual(want);
  });
});

import { describe, expect, it } from '@jest/globals';
import { axisLabel, type ChartedMetric, metricKeys, metricShown } from './chart-metric.ts';

const cpu: ChartedMetric = { name: 'cpu', measure: 'Utilization', type: 'Resource' };
const queue: ChartedMetric = { name: 'queue', measure: 'AverageValue', type: 'External' };
const other: ChartedMetric = { name: 'queue', measure: 'Value', type: 'External' };
const metrics = [cpu, queue, other];
const decided = (name: string, type: string, proposedReplicas: number | null) => ({
  name,
  type,
  proposedReplicas,
});

describe('the metric that a chart shows', () => {
  it.each([
    {
      name: 'the one that proposed the most',
      asked: null,
      decisions: [decided('cpu', 'Resource', 3), decided('queue', 'External', 7)],
      want: 1,
    },
    {
      name: 'the first of those that propose the same',
      asked: null,
      decisions: [decided('cpu', 'Resource', 3), decided('queue', 'External', 3)],
      want: 0,
    },
    {
      name: 'not one without a value',
      asked: null,
      decisions: [decided('cpu', 'Resource', null), decided('queue', 'External', 0)],
      want: 1,
    },
    { name: 'the first where nothing was decided', asked: null, decisions: [], want: 0 },
    {
      name: 'the one that is asked for',
      asked: 'cpu',
      decisions: [decided('queue', 'External', 7)],
      want: 0,
    },
    { name: 'the second of a name', asked: 'queue 2', decisions: [], want: 2 },
    {
      name: 'what decided, where the address names none',
      asked: 'gone',
      decisions: [decided('queue', 'External', 7)],
      want: 1,
    },
  ])('is $name', ({ asked, decisions, want }) => {
    expect(metricShown(metrics, asked, decisions)).toBe(want);
  });

  it('is none where there is none', () => {
    expect(metricShown([], 'cpu', [decided('cpu', 'Resource', 3)])).toBe(-1);
  });

  it('has a name in the address that no other has, and its unit beside it', () => {
    expect(metricKeys(metrics)).toEqual(['cpu', 'queue', 'queue 2']);
    expect(metrics.map(axisLabel)).toEqual(['cpu, % of request', 'queue, per pod', 'queue']);
  });
});

import { describe, expect, it } from '@jest/globals';
import { parseMetricValue } from './metric-values.ts';
import { groupUsages, podMetricsParser, podUsagesOf } from './pod-metrics.ts';

const item = {
  metadata: { name: 'a', labels: { app: 'web' } },
  timestamp: '2026-03-01T12:00:00Z',
  window: '15s',
  containers: [{ name: 'web', usage: { cpu: '1' } }],
};

describe('podUsagesOf', () => {
  it('takes the later of two samples of one pod, and none without a name', () => {
    const list = { items: [item, { ...item, window: '20s' }, { ...item, metadata: {} }] };
    const items = list.items.map(podMetricsParser('shop'));
    expect(podUsagesOf({ items })).toMatchObject([{ pod: 'a', windowSeconds: 20 }]);
  });

  it.each([
    { name: 'a time that is none', changes: { timestamp: 'yesterday' } },
    { name: 'another namespace', changes: { metadata: { ...item.metadata, namespace: 'other' } } },
  ])('takes no sample with $name', ({ changes }) => {
    expect(podMetricsParser('shop')({ ...item, ...changes })).toBeNull();
  });

  it.each([
    { name: 'no time', changes: { timestamp: undefined } },
    { name: 'its namespace', changes: { metadata: { ...item.metadata, namespace: 'shop' } } },
  ])('takes a sample with $name', ({ changes }) => {
    expect(podMetricsParser('shop')({ ...item, ...changes })).toMatchObject({ pod: 'a' });
  });

  it('keeps the place of a container that is none: without it the sum would be lower', () => {
    const containers = [...item.containers, null];
    expect(podMetricsParser('shop')({ ...item, containers })).toMatchObject({
      containers: [{ name: 'web' }, {}],
    });
  });

  it('refuses a list of which the server has more', () => {
    expect(() => podUsagesOf({ metadata: { continue: 'token' }, items: [] })).toThrow('incomplete');
  });
});

describe('groupUsages', () => {
  it('keeps pods together that stand side by side and have the same labels', () => {
    const aPod = (name: string, app: string) => ({ ...item, metadata: { name, labels: { app } } });
    const pods = [aPod('a', 'web'), aPod('b', 'web'), aPod('c', 'api'), aPod('d', 'web')];
    const groups = groupUsages(podUsagesOf({ items: pods.map(podMetricsParser('shop')) }));
    expect(groups.map(({ labels, usages }) => [labels, usages.map(({ pod }) => pod)])).toEqual([
      [{ app: 'web' }, ['a', 'b']],
      [{ app: 'api' }, ['c']],
      [{ app: 'web' }, ['d']],
    ]);
  });
});

describe('parseMetricValue', () => {
  it.each([
    { name: 'a text', value: '150m', want: '150m' },
    { name: 'a number', value: 7, want: 7 },
    { name: 'no quantity', value: {}, want: '' },
    { name: 'a megabyte of digits', value: '0'.repeat(1_000_000), want: '' },
  ])('reads $name as a quantity that parses only where it is one', ({ value, want }) => {
    expect(parseMetricValue({ timestamp: item.timestamp, value })).toMatchObject({ value: want });
  });

  it('keeps of a time no more than a time can have', () => {
    const read = parseMetricValue({ timestamp: '1'.repeat(1_000_000), value: 1 });
    expect(read?.timestamp).toHaveLength(64);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { MetricSpec } from '#policy';
import type { MetricsApi } from './api/metrics-api.ts';
import { SharedCalls } from './api/shared-calls.ts';
import { fetchMetric } from './fetch-metric.ts';
import { CustomMetrics } from './sources/custom-metrics.ts';
import { ExternalMetrics } from './sources/external-metrics.ts';
import { LoopTurns, ResourceMetrics } from './sources/resource-metrics.ts';

const metric = { name: 'load' };
const target = { type: 'AverageValue', averageValueMilli: 1_000n } as const;
const targetDocument = { type: 'AverageValue', averageValue: '1' };
const pods: MetricSpec = { type: 'Pods', metric, target, targetDocument };
const external: MetricSpec = { type: 'External', metric, target, targetDocument };
const describedObject = { apiVersion: 'v1', kind: 'Service', name: 'web' };
const object: MetricSpec = { type: 'Object', metric, describedObject, target, targetDocument };

const time = '2026-11-20T12:00:00Z';
const pod = (name: string, changes: object = {}): object => ({
  describedObject: { kind: 'Pod', namespace: 'shop', name },
  timestamp: time,
  value: '1',
  ...changes,
});

/** What is observed where the API answers with these items. */
function observed(spec: MetricSpec, items: readonly unknown[]): ReturnType<typeof fetchMetric> {
  const api: MetricsApi = {
    json: ({ mapItem }) => Promise.resolve({ items: items.map((item) => mapItem?.(item)) }),
  };
  const calls = new SharedCalls();
  const sources = {
    calls,
    resource: new ResourceMetrics(api, calls, new LoopTurns()),
    custom: new CustomMetrics({
      api,
      calls,
      resourceNameOf: () => Promise.resolve({ resource: 'services', group: '' }),
    }),
    external: new ExternalMetrics(api, calls),
    prometheus: new Map(),
  };
  return fetchMetric(sources, { namespace: 'shop', selector: 'app=web' }, spec);
}

describe('a value of custom or external metrics', () => {
  it.each([
    { name: 'a time that is none', changes: { timestamp: 'yesterday' } },
    {
      name: 'another namespace',
      changes: { describedObject: { kind: 'Pod', namespace: 'other', name: 'b' } },
    },
  ])('with $name is none of its pod', async ({ changes }) => {
    const { pods: samples } = await observed(pods, [pod('a'), pod('b', changes)]);
    expect(samples).toEqual([{ pod: 'a', value: '1', timestamp: time }]);
  });

  it.each([
    { name: 'an object', spec: object },
    { name: 'an external metric', spec: external },
  ])('of $name with a time that is none makes the metric invalid', async ({ spec }) => {
    const items = [pod('web', { timestamp: 'yesterday' })];
    const { error } = await observed(spec, items);
    expect(error?.message).toContain('no RFC 3339 time: yesterday');
  });

  it('of an external metric with a time that is none is not left out of the sum', async () => {
    const { error } = await observed(external, [
      { value: '5', timestamp: time },
      { value: '7', timestamp: '12 o’clock' },
    ]);
    expect(error?.reason).toBe('FailedGetExternalMetric');
  });

  it.each([null, 'seven', [7]])(
    'of an external metric that is %j is not left out of the sum',
    async (item) => {
      const { values } = await observed(external, [{ value: '5', timestamp: time }, item]);
      expect(values).toEqual(['5', '']);
    },
  );
});

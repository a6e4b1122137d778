import { expect, it } from '@jest/globals';
import type { EffectivePolicy, MetricSpec } from '#policy';
import { metricSourcesOf } from './metric-sources.ts';

const metric = (type: MetricSpec['type'], given: object = {}): MetricSpec =>
  ({ type, ...given }) as unknown as MetricSpec;

it('names the source of each value, in the order of a decision', () => {
  const metrics = [
    metric('Resource'),
    metric('ContainerResource'),
    metric('Pods'),
    metric('Object'),
    metric('External'),
    metric('Prometheus', { server: 'main' }),
  ];
  expect(metricSourcesOf({ metrics })).toEqual([
    'metrics.k8s.io',
    'metrics.k8s.io',
    'custom.metrics.k8s.io',
    'custom.metrics.k8s.io',
    'external.metrics.k8s.io',
    'prometheus/main',
  ]);
});

it('names a recommender by its host', () => {
  const recommender = { url: 'https://Recommender.example.com:8443/recommend?x=1' };
  const policy = { metrics: [], recommender } as unknown as Pick<EffectivePolicy, 'metrics' | 'recommender'>;
  expect(metricSourcesOf(policy)).toEqual(['recommender/recommender.example.com:8443']);
});

import { expect, it } from '@jest/globals';
import type { EffectivePolicy, MetricSpec } from '#policy';
import { awaitedSources } from './awaited-sources.ts';

const metric = (type: MetricSpec['type'], given: object = {}): MetricSpec =>
  ({ type, ...given }) as unknown as MetricSpec;

it.each([
  { name: 'nothing', metrics: [], want: '' },
  {
    name: 'one source for all of its metrics',
    metrics: [metric('Resource'), metric('ContainerResource')],
    want: 'metrics.k8s.io',
  },
  {
    name: 'a Prometheus server by its name',
    metrics: [metric('Prometheus', { server: 'main' })],
    want: 'prometheus/main',
  },
  {
    name: 'all of several, in whatever order the policy has them',
    metrics: [metric('Resource'), metric('External'), metric('Pods'), metric('Object')],
    want: 'custom.metrics.k8s.io external.metrics.k8s.io metrics.k8s.io',
  },
  {
    name: 'a recommender by its host',
    metrics: [],
    recommender: { url: 'https://Recommender.example.com:8443/recommend?x=1' },
    want: 'recommender/recommender.example.com:8443',
  },
])('a pass waits for $name', ({ metrics, recommender, want }) => {
  const policy = { metrics, ...(recommender !== undefined && { recommender }) };
  expect(awaitedSources(policy as unknown as Pick<EffectivePolicy, 'metrics' | 'recommender'>)).toBe(want);
});

import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { registerClusterMetrics } from './cluster-metrics.ts';

it('counts what is counted elsewhere, the same at each scrape', async () => {
  const registry = new Registry();
  registerClusterMetrics(registry, {
    health: () => ({
      ownerCache: {
        hits: 5,
        misses: 2,
        evictions: 1,
        entries: 3,
        lookups: { watched: 70, found: 4, absent: 2, failed: 1 },
      },
      informers: [watch('pods', 200), watch('pods', 3_500), watch('deployments', undefined)],
      events: { delivered: 12, dropped: 3, refusedSince: undefined },
    }),
    sources: () => [
      {
        name: 'prometheus/main',
        breaker: 'Open',
        running: 2,
        waiting: 3,
        calls: { succeeded: 10, failed: 5, refused: 7 },
      },
    ],
  });
  await registry.metrics();
  const lines = (await registry.metrics())
    .split('\n')
    .filter((line) => !line.startsWith('# HELP') && line !== '');
  expect(lines).toEqual([
    '# TYPE plimsoll_metric_source_breaker gauge',
    'plimsoll_metric_source_breaker{source="prometheus/main",state="Closed"} 0',
    'plimsoll_metric_source_breaker{source="prometheus/main",state="Open"} 1',
    'plimsoll_metric_source_breaker{source="prometheus/main",state="HalfOpen"} 0',
    '# TYPE plimsoll_metric_source_requests gauge',
    'plimsoll_metric_source_requests{source="prometheus/main",state="running"} 2',
    'plimsoll_metric_source_requests{source="prometheus/main",state="waiting"} 3',
    '# TYPE plimsoll_metric_source_requests_total counter',
    'plimsoll_metric_source_requests_total{source="prometheus/main",result="succeeded"} 10',
    'plimsoll_metric_source_requests_total{source="prometheus/main",result="failed"} 5',
    'plimsoll_metric_source_requests_total{source="prometheus/main",result="refused"} 7',
    '# TYPE plimsoll_owner_cache_hits_total counter',
    'plimsoll_owner_cache_hits_total 5',
    '# TYPE plimsoll_owner_cache_misses_total counter',
    'plimsoll_owner_cache_misses_total 2',
    '# TYPE plimsoll_owner_cache_evictions_total counter',
    'plimsoll_owner_cache_evictions_total 1',
    '# TYPE plimsoll_owner_cache_entries gauge',
    'plimsoll_owner_cache_entries 3',
    '# TYPE plimsoll_owner_lookups_total counter',
    'plimsoll_owner_lookups_total{via="watch",result="found"} 70',
    'plimsoll_owner_lookups_total{via="read",result="found"} 4',
    'plimsoll_owner_lookups_total{via="read",result="absent"} 2',
    'plimsoll_owner_lookups_total{via="read",result="failed"} 1',
    '# TYPE plimsoll_informer_stale_seconds gauge',
    'plimsoll_informer_stale_seconds{resource="pods"} 3.5',
    '# TYPE plimsoll_events_total counter',
    'plimsoll_events_total{result="delivered"} 12',
    'plimsoll_events_total{result="dropped"} 3',
  ]);
});

function watch(resource: string, staleMilliseconds: number | undefined) {
  const status = {
    resource,
    isSynced: true,
    isWatching: true,
    freshAt: 0,
    reachedAt: 0,
    lastFailure: undefined,
    refusedSince: undefined,
  };
  return { ...status, lists: 1, watches: 1, staleMilliseconds };
}

import { Counter, Gauge, type Registry } from 'prom-client';
import type { KubernetesHealth } from '#adapter-kubernetes';
import type { SourceHealth } from '#adapter-metrics';

/** What is read when Prometheus asks. */
export interface ClusterReadings {
  readonly health: () => Pick<KubernetesHealth, 'ownerCache' | 'informers' | 'events'>;
  readonly sources: () => readonly SourceHealth[];
}

/** A sample: its labels, and its value. */
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

interface Series {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  readonly read: () => readonly Sample[];
}

/** Registers what is known of the sources of metrics and of the owners of pods. */
export function registerClusterMetrics(registry: Registry, { health, sources }: ClusterReadings): void {
  const ofSources = (read: (source: SourceHealth) => readonly Sample[]) => () => sources().flatMap(read);
  gauge(registry, {
    name: 'plimsoll_metric_source_breaker',
    help: 'State of the circuit breaker of each source of metrics: 1 for the state it is in.',
    labelNames: ['source', 'state'],
    read: ofSources(({ name, breaker }) =>
      (['Closed', 'Open', 'HalfOpen'] as const).map((state) => [
        { source: name, state },
        state === breaker ? 1 : 0,
      ]),
    ),
  });
  gauge(registry, {
    name: 'plimsoll_metric_source_requests',
    help: 'Requests to each source of metrics that run, or wait for their place.',
    labelNames: ['source', 'state'],
    read: ofSources(({ name, running, waiting }) => [
      [{ source: name, state: 'running' }, running],
      [{ source: name, state: 'waiting' }, waiting],
    ]),
  });
  counter(registry, {
    name: 'plimsoll_metric_source_requests_total',
    help: 'Requests to each source of metrics; refused: not sent, because its breaker was open or too many waited.',
    labelNames: ['source', 'result'],
    read: ofSources(({ name, calls }) =>
      Object.entries(calls).map(([result, count]) => [{ source: name, result }, count]),
    ),
  });
  registerOwnerMetrics(registry, () => health().ownerCache);
  registerWatchMetrics(registry, health);
}

function registerWatchMetrics(registry: Registry, health: ClusterReadings['health']): void {
  gauge(registry, {
    name: 'plimsoll_informer_stale_seconds',
    help: 'How long ago the cache of a resource was known to be complete, the worst of its namespaces; absent before the first list.',
    labelNames: ['resource'],
    read: () => [...worstStaleness(health().informers)].map(([resource, seconds]) => [{ resource }, seconds]),
  });
  counter(registry, {
    name: 'plimsoll_events_total',
    help: 'Kubernetes Events, delivered or dropped.',
    labelNames: ['result'],
    read: () => {
      const { delivered, dropped } = health().events;
      return Object.entries({ delivered, dropped }).map(([result, count]) => [{ result }, count]);
    },
  });
}

function worstStaleness(informers: KubernetesHealth['informers']): ReadonlyMap<string, number> {
  const worst = new Map<string, number>();
  for (const { resource, staleMilliseconds } of informers) {
    if (staleMilliseconds === undefined) continue;
    worst.set(resource, Math.max(worst.get(resource) ?? 0, staleMilliseconds / 1_000));
  }
  return worst;
}

function registerOwnerMetrics(registry: Registry, owners: () => KubernetesHealth['ownerCache']): void {
  const counts = ['hits', 'misses', 'evictions'] as const;
  const help = {
    hits: 'Owners of kinds that are not watched, answered from the cache.',
    misses: 'Owners of kinds that are not watched, not in the cache.',
    evictions: 'Owners dropped from the cache, out of date or to make room.',
  };
  for (const name of counts) {
    counter(registry, {
      name: `plimsoll_owner_cache_${name}_total`,
      help: help[name],
      read: () => [[{}, owners()[name]]],
    });
  }
  gauge(registry, {
    name: 'plimsoll_owner_cache_entries',
    help: 'Owners in the cache.',
    read: () => [[{}, owners().entries]],
  });
  counter(registry, {
    name: 'plimsoll_owner_lookups_total',
    help: 'Owner references that were looked up, in a watched cache or by reading, by what was found.',
    labelNames: ['via', 'result'],
    read: () => {
      const { watched, found, absent, failed } = owners().lookups;
      return [
        [{ via: 'watch', result: 'found' }, watched],
        [{ via: 'read', result: 'found' }, found],
        [{ via: 'read', result: 'absent' }, absent],
        [{ via: 'read', result: 'failed' }, failed],
      ];
    },
  });
}

function gauge(registry: Registry, { name, help, labelNames = [], read }: Series): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.set(labels, value);
    },
  });
}

/** A counter that is kept elsewhere; it restarts with the process, as counters do. */
function counter(registry: Registry, { name, help, labelNames = [], read }: Series): void {
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.inc(labels, value);
    },
  });
}

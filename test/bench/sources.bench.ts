import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Metrics, openMetrics } from '#adapter-metrics';
import type { MetricSpec } from '#policy';
import type { Bench, BenchResult } from './bench.ts';

const policiesPerSource = 500;
/** The best counts: noise only ever adds. */
const sweeps = 10;
const never = new AbortController().signal;
const answer = '{"status":"success","data":{"resultType":"scalar","result":[1,"7"]}}';

/**
 * Two Prometheus servers, half of the policies on each: how long the policies of the one wait for their metrics, alone,
 * and while the other takes connections and never answers.
 */
export const sourcesBench: Bench = {
  description: 'metrics of 500 policies of one source, alone and beside 500 of a source that hangs',
  async *run() {
    const healthy = await listen((server) => server.on('request', (_, response) => response.end(answer)));
    const hanging = await listen((server) => server.on('request', () => undefined));
    try {
      const alone = await measure(healthy, null);
      yield resultOf('none', alone);
      const beside = await measure(healthy, hanging);
      yield {
        ...resultOf('one that hangs', beside),
        delayMilliseconds: round(quantile(beside, 0.99) - quantile(alone, 0.99)),
        ratio: round(quantile(beside, 0.99) / quantile(alone, 0.99)),
      };
    } finally {
      for (const server of [healthy, hanging]) {
        server.closeAllConnections();
        server.close();
      }
    }
  },
};

/** How long each policy of the healthy source waited, in milliseconds. */
async function measure(healthy: Server, other: Server | null): Promise<readonly number[]> {
  const api = { json: () => Promise.reject(new Error('no cluster')) };
  const metrics = openMetrics({
    resourceApi: api,
    customApi: api,
    externalApi: api,
    resourceNameOf: () => Promise.reject(new Error('no cluster')),
    prometheusServers: [
      { name: 'healthy', url: urlOf(healthy) },
      { name: 'other', url: urlOf(other ?? healthy) },
    ],
    recommenders: { cluster: 'bench', hosts: [] },
  });
  try {
    const names = other === null ? ['healthy'] : ['healthy', 'other'];
    await sweep(metrics, names);
    let best: readonly number[] = [Number.POSITIVE_INFINITY];
    for (let count = 0; count < sweeps; count += 1) {
      const waits = await sweep(metrics, names);
      if (quantile(waits, 0.99) < quantile(best, 0.99)) best = waits;
    }
    return best;
  } finally {
    await metrics.close();
  }
}

/** Every policy asks a query of its own; nothing waits for the other source's, as no pass does. */
async function sweep(metrics: Metrics, servers: readonly string[]): Promise<readonly number[]> {
  const tick = metrics.openTick().openNamespace();
  const start = performance.now();
  const waits: Promise<number>[] = [];
  for (let policy = 0; policy < policiesPerSource; policy += 1) {
    for (const server of servers) {
      const query = { namespace: 'bench', selector: 'app=bench', metrics: [promql(server, policy)] };
      const fetched = tick.fetchMetrics(query, never).then(() => performance.now() - start);
      if (server === 'healthy') waits.push(fetched);
    }
  }
  return Promise.all(waits);
}

function promql(server: string, policy: number): MetricSpec {
  const target = { type: 'Value', valueMilli: 1n } as const;
  return { type: 'Prometheus', server, query: `load{policy="${policy}"}`, target, targetDocument: {} };
}

function resultOf(other: string, waits: readonly number[]): BenchResult {
  return {
    case: 'sources',
    other,
    p50Nanoseconds: Math.round(quantile(waits, 0.5) * 1e6),
    p99Nanoseconds: Math.round(quantile(waits, 0.99) * 1e6),
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function listen(prepare: (server: Server) => unknown): Promise<Server> {
  const server = createServer();
  prepare(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aCluster, aWorkload, get, request, type TestCluster, testNamespace } from '../simulator.fixture.ts';

const podsPath = `/api/v1/namespaces/${testNamespace}/pods`;

let cluster: TestCluster;

beforeEach(async () => {
  cluster = await aCluster();
  cluster.simulator.objects.create(aWorkload('Deployment', 'web', { replicas: 3 }));
  cluster.simulator.runPending();
});

afterEach(() => cluster.simulator.stop());

/** The lines of a watch, until it ends. */
async function watch(query: string): Promise<readonly { type: string; object: { code?: number } }[]> {
  const text = await (await request(cluster, `${podsPath}?watch=true&${query}`)).text();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type: string; object: object });
}

describe('a fault', () => {
  it('answers with an error that says when to come again, as often as it is asked to', async () => {
    cluster.simulator.faults.add({
      match: { verb: 'list', path: '/api/v1' },
      fault: { kind: 'Error', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 7 },
      times: 1,
    });
    const refused = await request(cluster, podsPath);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('7');
    expect(await refused.json()).toMatchObject({ kind: 'Status', reason: 'TooManyRequests', code: 429 });
    expect((await request(cluster, podsPath)).status).toBe(200);
  });

  it('strikes what it matches only, until it is taken back', async () => {
    const fault = { kind: 'Error', code: 503 } as const;
    const release = cluster.simulator.faults.add({ match: { path: /metrics\.k8s\.io/ }, fault });
    expect(
      (await request(cluster, `/apis/metrics.k8s.io/v1beta1/namespaces/${testNamespace}/pods`)).status,
    ).toBe(503);
    expect((await request(cluster, podsPath)).status).toBe(200);
    release();
    expect(
      (await request(cluster, `/apis/metrics.k8s.io/v1beta1/namespaces/${testNamespace}/pods`)).status,
    ).toBe(200);
  });

  it('delays an answer on the clock of the simulator', async () => {
    cluster.simulator.faults.add({ match: {}, fault: { kind: 'Latency', milliseconds: 60_000 }, times: 1 });
    let isAnswered = false;
    const slow = request(cluster, podsPath).finally(() => {
      isAnswered = true;
    });
    // A second request has come and gone: the first one has been read long since.
    await request(cluster, podsPath);
    expect(isAnswered).toBe(false);
    cluster.clock.advance(60_000);
    expect((await slow).status).toBe(200);
  });

  it.each(['Reset', 'Truncate'] as const)('breaks the connection: %s', async (kind) => {
    cluster.simulator.faults.add({ match: {}, fault: { kind } });
    await expect(get(cluster, podsPath)).rejects.toThrow();
  });

  it('never answers when it hangs', async () => {
    cluster.simulator.faults.add({ match: {}, fault: { kind: 'Hang' }, times: 1 });
    const { url } = cluster.simulator;
    const hanging = fetch(`${url}${podsPath}`, { signal: AbortSignal.timeout(200) });
    await expect(hanging).rejects.toThrow('timeout');
  });

  it('forgets the history of a list and of a watch', async () => {
    cluster.simulator.faults.add({ match: {}, fault: { kind: 'Gone' }, times: 2 });
    expect(await get(cluster, podsPath)).toMatchObject({ code: 410, reason: 'Expired' });
    expect(await watch('')).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
  });

  it('drops a watch after some lines', async () => {
    cluster.simulator.faults.add({ match: { verb: 'watch' }, fault: { kind: 'DropWatch', afterLines: 2 } });
    expect(await watch('')).toHaveLength(2);
  });
});

describe('open watches', () => {
  it('are dropped by path', async () => {
    const response = await request(cluster, `${podsPath}?watch=true`);
    expect(cluster.simulator.faults.openWatches).toBe(1);
    expect(cluster.simulator.faults.dropWatches({ path: '/apis' })).toBe(0);
    expect(cluster.simulator.faults.dropWatches({ path: podsPath })).toBe(1);
    expect((await response.text()).split('\n').filter(Boolean)).toHaveLength(3);
  });

  it('get bookmarks as time goes by', async () => {
    const response = await request(
      cluster,
      `${podsPath}?watch=true&allowWatchBookmarks=true&timeoutSeconds=100&labelSelector=none`,
    );
    cluster.clock.advance(100_000);
    const lines = (await response.text()).split('\n').filter(Boolean);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion: expect.any(String) } } },
    ]);
  });
});

describe('compaction', () => {
  it('makes a watch and a page that continue too old', async () => {
    const page = (await get(cluster, `${podsPath}?limit=1`)) as {
      metadata: { continue: string; resourceVersion: string };
    };
    cluster.simulator.compact();
    const { continue: token, resourceVersion } = page.metadata;
    expect(await get(cluster, `${podsPath}?limit=1&continue=${token}`)).toMatchObject({
      code: 410,
      reason: 'Expired',
    });
    expect(await watch(`resourceVersion=${resourceVersion}`)).toMatchObject([
      {
        type: 'ERROR',
        object: {
          code: 410,
          message: expect.stringContaining(`too old resource version: ${resourceVersion}`),
        },
      },
    ]);
  });

  it('happens by itself when a history is longer than its limit', async () => {
    const small = await aCluster({ historyLimit: 5 });
    const since = small.simulator.store.revision;
    small.simulator.objects.create(aWorkload('Deployment', 'web', { replicas: 12 }));
    small.simulator.runPending();
    const text = await (await request(small, `${podsPath}?watch=true&resourceVersion=${since}`)).text();
    expect(JSON.parse(text)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    await small.simulator.stop();
  });
});

import { expect, it } from '@jest/globals';
import { FakeLog } from '#reconciliation/testing';
import type { ApiClient } from '../api/api-client.ts';
import { WatchLog } from '../informer/watch-log.ts';
import { systemTiming, type Timing } from '../time/timing.ts';
import { ReplicaChangeFeed } from './replica-change-feed.ts';
import { WorkloadCache } from './workload-cache.ts';

const deployment = (resourceVersion: string, replicas: number): object => ({
  metadata: { namespace: 'shop', name: 'checkout', uid: 'u', resourceVersion },
  spec: { replicas },
});
const modified = (resourceVersion: string, replicas: number): string =>
  JSON.stringify({ type: 'MODIFIED', object: deployment(resourceVersion, replicas) });

/** A pause between two watches is over at once; what watches over a watch waits for its end. */
const noPause: Timing['wait'] = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('stopped')));
    if (milliseconds < 5_000) setImmediate(resolve);
  });

it('reports each change once where the watch repeats former objects, and is resumed after the latest', async () => {
  const watchedFrom: (string | undefined)[] = [];
  const ended = Promise.withResolvers<undefined>();
  // eslint-disable-next-line @typescript-eslint/require-await -- as a response's lines are
  const events = async function* (): AsyncGenerator<string> {
    yield modified('11', 8);
    yield modified('10', 4);
    yield modified('12', 9);
    yield modified('11', 8);
  };
  const client: Pick<ApiClient, 'json' | 'lines'> = {
    json: ({ path }) =>
      Promise.resolve({
        metadata: { resourceVersion: '10' },
        items: path.endsWith('/deployments') ? [deployment('10', 4)] : [],
      }),
    lines: ({ path, query, signal }) => {
      if (!path.endsWith('/deployments')) return new Promise(() => undefined);
      watchedFrom.push(query?.['resourceVersion']);
      if (watchedFrom.length === 1) return Promise.resolve(events());
      ended.resolve(undefined);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
    },
  };
  const feed = new ReplicaChangeFeed();
  const changes: string[] = [];
  feed.subscribe(({ from, to }) => changes.push(`${from} → ${to}`));
  const log = new WatchLog(new FakeLog());
  const timing = { ...systemTiming, wait: noPause };
  const context = { client: client as ApiClient, namespaces: { all: true }, timing, log } as const;
  const [deployments] = new WorkloadCache(context, feed).values();
  deployments?.start();
  await ended.promise;
  expect(changes).toEqual(['4 → 8', '8 → 9']);
  expect(watchedFrom).toEqual(['10', '12']);
  expect(deployments?.get('shop', 'checkout')?.scale.specReplicas).toBe(9);
  await deployments?.stop();
});

import { expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
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

it('reports no change where a list of a server that is behind leads back, and takes in one that leads back for a minute', async () => {
  let elapsed = 0;
  const lists = [
    { version: '20', replicas: 8, objectVersion: '11', seconds: 0 },
    { version: '15', replicas: 4, objectVersion: '10', seconds: 1 },
    { version: '21', replicas: 8, objectVersion: '11', seconds: 1 },
    { version: '15', replicas: 4, objectVersion: '10', seconds: 1 },
    { version: '15', replicas: 4, objectVersion: '10', seconds: 59 },
    { version: '16', replicas: 4, objectVersion: '10', seconds: 1 },
  ];
  const seen: (number | undefined)[] = [];
  const ended = Promise.withResolvers<undefined>();
  const client: Pick<ApiClient, 'json' | 'lines'> = {
    json: () => {
      seen.push(deployments?.get('shop', 'checkout')?.scale.specReplicas);
      const list = lists.shift();
      if (list === undefined) {
        ended.resolve(undefined);
        return Promise.reject(new Error('no more'));
      }
      elapsed += list.seconds * 1_000;
      const items = [deployment(list.objectVersion, list.replicas)];
      return Promise.resolve({ metadata: { resourceVersion: list.version }, items });
    },
    // The version that the list has is too old.
    lines: () => Promise.reject(new AdapterError({ code: 'Expired', message: '410', retryable: true })),
  };
  const feed = new ReplicaChangeFeed();
  const changes: string[] = [];
  feed.subscribe(({ from, to }) => changes.push(`${from} → ${to}`));
  const wait: Timing['wait'] = () => new Promise((resolve) => setImmediate(resolve));
  const timing = { ...systemTiming, wait, elapsed: () => elapsed };
  const context = {
    client: client as ApiClient,
    namespaces: { all: true },
    timing,
    log: new WatchLog(new FakeLog()),
  } as const;
  const [deployments] = new WorkloadCache(context, feed).values();
  deployments?.start();
  await ended.promise;
  expect(seen.slice(0, 7)).toEqual([undefined, 8, 8, 8, 8, 8, 4]);
  expect(changes).toEqual(['8 → 4']);
  await deployments?.stop();
});

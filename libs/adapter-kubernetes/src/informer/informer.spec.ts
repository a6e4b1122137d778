import { expect, it } from '@jest/globals';
import { FakeLog } from '#reconciliation/testing';
import type { ApiClient, ApiRequest } from '../api/api-client.ts';
import type { Timing } from '../time/timing.ts';
import { Informer } from './informer.ts';
import { ObjectCache } from './object-cache.ts';
import { WatchLog } from './watch-log.ts';

const resource = { name: 'pods', path: '/api/v1/pods', representation: 'Object' } as const;
const pod = (name: string, resourceVersion: string) => ({
  metadata: { name, namespace: 'shop', uid: name, resourceVersion },
});
const event = (type: string, name: string, version: string): string =>
  JSON.stringify({ type, object: pod(name, version) });

const untilEnded = (signal?: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
const timing: Timing = {
  now: () => 0,
  elapsed: () => 0,
  random: () => 0,
  wait: (_, signal) => untilEnded(signal),
};

/** @returns what a cache has after a list of version 10 and these events, as `name@version` */
async function cachedAfter(lines: readonly string[]): Promise<readonly string[]> {
  const delivered = Promise.withResolvers<undefined>();
  async function* stream(signal: AbortSignal): AsyncGenerator<string> {
    yield* lines;
    delivered.resolve(undefined);
    await untilEnded(signal);
  }
  const list = { items: [pod('a', '8')], metadata: { resourceVersion: '10' } };
  const client = {
    json: () => Promise.resolve(list),
    lines: ({ signal }: ApiRequest & { readonly signal: AbortSignal }) => Promise.resolve(stream(signal)),
  } as unknown as ApiClient;
  const sink = new ObjectCache({ transform: ({ name, resourceVersion }) => `${name}@${resourceVersion}` });
  const informer = new Informer({ client, resource, sink, timing, log: new WatchLog(new FakeLog()) });
  informer.start();
  await delivered.promise;
  const cached = [...sink.values('shop')];
  await informer.stop();
  return cached;
}

it.each([
  {
    name: 'an object that was deleted',
    lines: [event('ADDED', 'b', '11'), event('DELETED', 'b', '12'), event('ADDED', 'b', '11')],
    want: ['a@8'],
  },
  {
    name: 'an object that was deleted before the list',
    lines: [event('ADDED', 'b', '7')],
    want: ['a@8'],
  },
  {
    name: 'what an object was like',
    lines: [event('MODIFIED', 'a', '13'), event('MODIFIED', 'a', '9')],
    want: ['a@13'],
  },
  {
    name: 'that one of the name was deleted',
    lines: [event('DELETED', 'a', '9')],
    want: ['a@8'],
  },
])('passes over $name, where a watch delivers it once more', async ({ lines, want }) => {
  expect(await cachedAfter(lines)).toEqual(want);
});

it('goes on with what is later than what was delivered once more', async () => {
  const lines = [event('MODIFIED', 'a', '9'), event('MODIFIED', 'a', '11'), event('ADDED', 'b', '12')];
  expect(await cachedAfter(lines)).toEqual(['a@11', 'b@12']);
});

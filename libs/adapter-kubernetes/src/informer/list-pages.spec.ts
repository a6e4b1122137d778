import { describe, expect, it } from '@jest/globals';
import type { ApiClient } from '../api/api-client.ts';
import { listPages } from './list-pages.ts';

const { signal } = new AbortController();
const resource = { name: 'pods', path: '/api/v1/pods', representation: 'Object' } as const;
const metadata = { resourceVersion: '7' };
const pod = { metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '5' } };

/** @returns the names of what is listed where the server answers so */
async function list(answer: unknown): Promise<readonly string[]> {
  const client = { json: () => Promise.resolve(answer) } as unknown as ApiClient;
  const names: string[] = [];
  const onVersion = (): void => undefined;
  await listPages({ client, resource, signal }, { onVersion, onObject: ({ name }) => names.push(name) });
  return names;
}

describe('listPages', () => {
  it.each([
    { name: 'an empty list', answer: { items: [], metadata }, want: [] },
    { name: 'a list that Go never made', answer: { items: null, metadata }, want: [] },
    { name: 'a list', answer: { items: [pod], metadata }, want: ['a'] },
  ])('reads $name', async ({ answer, want }) => {
    expect(await list(answer)).toEqual(want);
  });

  it.each([
    { name: 'nothing', answer: {} },
    { name: 'what a gateway answers', answer: { status: 'ok' } },
    { name: 'a Status', answer: { kind: 'Status', metadata: {}, status: 'Success' } },
    { name: 'items that are no list', answer: { items: {}, metadata } },
    { name: 'an item that is no object', answer: { items: [pod, null], metadata } },
    { name: 'a list without a version', answer: { items: [pod], metadata: {} } },
  ])('takes $name for no list, least of all for an empty one', async ({ answer }) => {
    await expect(list(answer)).rejects.toMatchObject({ code: 'Malformed', retryable: true });
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  aPod,
  create,
  failure,
  type GetContext,
  listOf,
  metadataListOnly,
  metadataOnly,
  objectOf,
  pathOf,
} from './contract-context.ts';

const objectNames = ['list-a', 'list-b', 'list-c', 'list-d', 'list-e'];

export function describeLists(context: GetContext): void {
  describe('lists', () => {
    let path: string;
    const names = async (query: string): Promise<readonly string[]> => {
      const list = listOf(await context().api.call({ path: `${path}?${query}` }));
      return list.items.map(({ metadata }) => metadata.name);
    };

    beforeAll(async () => {
      path = pathOf('v1', 'pods', context().namespace);
      for (const [index, name] of objectNames.entries()) {
        const labels = {
          suite: 'lists',
          tier: index % 2 === 0 ? 'web' : 'api',
          ...(index === 0 ? { canary: '' } : {}),
        };
        const pod = aPod(name, labels) as { spec: object };
        await create(context(), path, { ...pod, spec: { ...pod.spec, nodeName: `node-${index % 2}` } });
      }
    });

    it('name a kind and a version, and leave the kind of their items out', async () => {
      const list = listOf(await context().api.call({ path: `${path}?labelSelector=suite%3Dlists` }));
      expect(list).toMatchObject({ kind: 'PodList', apiVersion: 'v1' });
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThan(0);
      expect(list.items[0]).not.toHaveProperty('kind');
    });

    it.each([
      ['suite=lists', objectNames],
      ['suite=lists,tier=web', ['list-a', 'list-c', 'list-e']],
      ['suite==lists,tier!=web', ['list-b', 'list-d']],
      ['suite=lists,tier in (api, db)', ['list-b', 'list-d']],
      ['suite=lists,tier notin (api)', ['list-a', 'list-c', 'list-e']],
      ['suite=lists,canary', ['list-a']],
      ['suite=lists,!canary', ['list-b', 'list-c', 'list-d', 'list-e']],
      ['suite=lists,region notin (eu)', objectNames],
    ])('select by labels: %s', async (labelSelector, want) => {
      expect(await names(new URLSearchParams({ labelSelector }).toString())).toEqual(want);
    });

    it.each([
      ['metadata.name=list-c', ['list-c']],
      ['spec.nodeName=node-1', ['list-b', 'list-d']],
      ['spec.nodeName!=node-1,status.phase=Pending', ['list-a', 'list-c', 'list-e']],
    ])('select by fields: %s', async (fieldSelector, want) => {
      expect(
        await names(new URLSearchParams({ fieldSelector, labelSelector: 'suite=lists' }).toString()),
      ).toEqual(want);
    });

    it('refuse a selector that they cannot read', async () => {
      const labels = await context().api.call({ path: `${path}?labelSelector=a%20b%20c` });
      expect(labels).toMatchObject(
        failure('BadRequest', expect.stringContaining("found 'b', expected: in, notin")),
      );
      const deployments = pathOf('apps/v1', 'deployments', context().namespace);
      const fields = await context().api.call({ path: `${deployments}?fieldSelector=spec.replicas%3D1` });
      expect(fields).toMatchObject(
        failure(
          'BadRequest',
          '"spec.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
      );
    });

    it('come in pages of one state, whatever is written in between', async () => {
      const query = 'limit=2&labelSelector=suite%3Dlists';
      const first = listOf(await context().api.call({ path: `${path}?${query}` }));
      expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['list-a', 'list-b']);
      await create(context(), path, aPod('list-bb', { suite: 'lists' }));
      const token = encodeURIComponent(first.metadata.continue ?? '');
      const second = listOf(await context().api.call({ path: `${path}?${query}&continue=${token}` }));
      expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['list-c', 'list-d']);
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      const rest = encodeURIComponent(second.metadata.continue ?? '');
      const third = listOf(await context().api.call({ path: `${path}?${query}&continue=${rest}` }));
      expect(third.items.map(({ metadata }) => metadata.name)).toEqual(['list-e']);
      expect(third.metadata.continue ?? '').toBe('');
      const smaller = `${path}?limit=1&labelSelector=suite%3Dlists&continue=${token}`;
      const again = listOf(await context().api.call({ path: smaller }));
      expect(again.items.map(({ metadata }) => metadata.name)).toEqual(['list-c']);
      await context().api.call({ method: 'DELETE', path: `${path}/list-bb?gracePeriodSeconds=0` });
    });

    it('say how many items remain, unless a selector would have to be tried on them', async () => {
      const whole = listOf(await context().api.call({ path: `${path}?limit=1` }));
      expect(whole.metadata.remainingItemCount).toBeGreaterThanOrEqual(objectNames.length - 1);
      const selected = listOf(
        await context().api.call({ path: `${path}?limit=1&labelSelector=suite%3Dlists` }),
      );
      expect(selected.metadata.remainingItemCount).toBeUndefined();
    });

    it('refuse a continue token that is none', async () => {
      const answer = await context().api.call({ path: `${path}?limit=1&continue=nonsense` });
      expect(answer).toMatchObject(
        failure('BadRequest', expect.stringContaining('continue key is not valid')),
      );
    });

    it('refuse a version that is yet to come', async () => {
      const answer = await context().api.call({ path: `${path}?resourceVersion=99999999999` });
      expect(answer).toMatchObject({
        status: 504,
        headers: { 'retry-after': '1' },
        body: {
          reason: 'Timeout',
          details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
        },
      });
    });

    it('show metadata only, where that is asked for', async () => {
      const query = 'labelSelector=suite%3Dlists,canary';
      const answer = await context().api.call({ path: `${path}?${query}`, accept: metadataListOnly });
      expect(answer.body).toMatchObject({
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        items: [
          { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'list-a' } },
        ],
      });
      expect(listOf(answer).items[0]).not.toHaveProperty('spec');
      const one = objectOf(await context().api.call({ path: `${path}/list-a`, accept: metadataOnly }));
      expect(Object.keys(one).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    });

    it('fall back to what they can show, and refuse where there is nothing', async () => {
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
      expect(await context().api.call({ path, accept })).toMatchObject({ status: 200 });
      const answer = await context().api.call({ path, accept: 'text/html' });
      expect(answer).toMatchObject(failure('NotAcceptable', expect.stringContaining('406: Not Acceptable')));
    });
  });
}

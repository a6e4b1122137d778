import { describe, expect, it } from '@jest/globals';
import type { WatchLine } from './api-connection.ts';
import {
  type AnyObject,
  aPod,
  create,
  failure,
  type GetContext,
  listOf,
  mergePatchType,
  metadataOnly,
  pathOf,
  uniqueName,
} from './contract-context.ts';

/** Type and name of each line, as a test reads them. */
function summary(lines: readonly WatchLine[]): readonly string[] {
  return lines.map(({ type, object }) => `${type} ${(object as AnyObject).metadata.name}`);
}

export function describeWatches(context: GetContext): void {
  describe('watches', () => {
    const pods = (): string => pathOf('v1', 'pods', context().namespace);
    const remove = (name: string) =>
      context().api.call({ method: 'DELETE', path: `${pods()}/${name}?gracePeriodSeconds=0` });
    const label = (name: string, labels: object) =>
      context().api.call({
        method: 'PATCH',
        path: `${pods()}/${name}`,
        body: { metadata: { labels } },
        contentType: mergePatchType,
      });
    const revision = async (): Promise<string> =>
      listOf(await context().api.call({ path: `${pods()}?limit=1` })).metadata.resourceVersion;

    it('continue after a version, with every change in order', async () => {
      const name = uniqueName('watched');
      const since = await revision();
      await create(context(), pods(), aPod(name));
      await label(name, { app: 'x' });
      await remove(name);
      const query = `watch=true&resourceVersion=${since}&fieldSelector=metadata.name%3D${name}`;
      const lines = await context().api.watch(`${pods()}?${query}`, { count: 4 });
      // A pod is marked as deleted before it goes.
      const changes = ['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED'];
      expect(summary(lines)).toEqual(changes.map((type) => `${type} ${name}`));
      const versions = lines.map(({ object }) => Number((object as AnyObject).metadata.resourceVersion));
      expect(versions.toSorted((a, b) => a - b)).toEqual(versions);
      expect(lines[0]?.object).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
    });

    it('report what happens while they are open', async () => {
      const name = uniqueName('watched');
      const query = `watch=1&resourceVersion=${await revision()}&labelSelector=app%3D${name}`;
      const lines = await context().api.watch(`${pods()}?${query}`, {
        count: 1,
        opened: () => create(context(), pods(), aPod(name, { app: name })),
      });
      expect(summary(lines)).toEqual([`ADDED ${name}`]);
    });

    it('begin with what is there, where no version is given', async () => {
      const app = uniqueName('present');
      await create(context(), pods(), aPod(`${app}-1`, { app }));
      await create(context(), pods(), aPod(`${app}-2`, { app }));
      const lines = await context().api.watch(`${pods()}?watch=true&labelSelector=app%3D${app}`, {
        count: 2,
      });
      expect(summary(lines).toSorted()).toEqual([`ADDED ${app}-1`, `ADDED ${app}-2`]);
    });

    it('say when the initial events are complete', async () => {
      const app = uniqueName('initial');
      await create(context(), pods(), aPod(`${app}-1`, { app }));
      const query = `watch=true&labelSelector=app%3D${app}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
      const [added, bookmark] = await context().api.watch(`${pods()}?${query}`, { count: 2 });
      expect(added).toMatchObject({ type: 'ADDED', object: { metadata: { name: `${app}-1` } } });
      expect(bookmark).toMatchObject({
        type: 'BOOKMARK',
        object: {
          kind: 'Pod',
          apiVersion: 'v1',
          metadata: {
            resourceVersion: expect.stringMatching(/^\d+$/),
            annotations: { 'k8s.io/initial-events-end': 'true' },
          },
        },
      });
    });

    it('show an object that begins to match as added and one that ceases to as deleted', async () => {
      const app = uniqueName('moving');
      const name = `${app}-1`;
      const since = await revision();
      await create(context(), pods(), aPod(name, { app: 'other' }));
      await label(name, { app });
      await label(name, { app, more: 'yes' });
      await label(name, { app: 'other' });
      const query = `watch=true&resourceVersion=${since}&labelSelector=app%3D${app}`;
      const lines = await context().api.watch(`${pods()}?${query}`, { count: 3 });
      expect(summary(lines)).toEqual([`ADDED ${name}`, `MODIFIED ${name}`, `DELETED ${name}`]);
      expect(lines[2]?.object).toMatchObject({ metadata: { labels: { app, more: 'yes' } } });
    });

    it('show metadata only, where that is asked for', async () => {
      const app = uniqueName('slim');
      await create(context(), pods(), aPod(`${app}-1`, { app }));
      const query = `watch=true&labelSelector=app%3D${app}`;
      const [line] = await context().api.watch(`${pods()}?${query}`, { count: 1, accept: metadataOnly });
      expect(line?.object).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
      expect(line?.object).not.toHaveProperty('spec');
    });

    it('end when their time is over', async () => {
      const query = `watch=true&resourceVersion=${await revision()}&timeoutSeconds=1&labelSelector=app%3Dnobody`;
      expect(await context().api.watch(`${pods()}?${query}`, { count: 99 })).toEqual([]);
    });

    it('carry nothing while they ask for a version that is yet to come', async () => {
      const ahead = Number(await revision()) + 1_000_000;
      const query = `watch=true&resourceVersion=${ahead}&timeoutSeconds=4&allowWatchBookmarks=true`;
      const lines = await context().api.watch(`${pods()}?${query}`, {
        count: 99,
        opened: () => create(context(), pods(), aPod(uniqueName('unseen'))),
      });
      expect(lines).toEqual([]);
    });

    it('refuse initial events without the version match that belongs to them', async () => {
      const answer = await context().api.call({ path: `${pods()}?watch=true&sendInitialEvents=true` });
      expect(answer).toMatchObject(
        failure(
          'Invalid',
          expect.stringContaining('sendInitialEvents requires setting resourceVersionMatch'),
        ),
      );
    });
  });
}

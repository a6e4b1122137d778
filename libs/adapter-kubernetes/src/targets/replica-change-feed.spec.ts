import { describe, expect, it } from '@jest/globals';
import { ReplicaChangeFeed } from './replica-change-feed.ts';

const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };

describe('ReplicaChangeFeed', () => {
  it('resolves who waits for a version when that or a later one is reached, of that target only', async () => {
    const feed = new ReplicaChangeFeed();
    const reached: string[] = [];
    for (const version of ['9', '10', '11'])
      void feed.whenAdvanced(target, version).then(() => reached.push(version));
    feed.advance({ ...target, name: 'web' }, '12');
    feed.advance({ ...target, apiVersion: 'apps/v1beta1' }, '10');
    await Promise.resolve();
    await Promise.resolve();
    expect(reached).toEqual(['9', '10']);
    feed.advance(target, '100');
    await Promise.resolve();
    await Promise.resolve();
    expect(reached).toEqual(['9', '10', '11']);
  });

  const scale = {
    uid: 'u',
    resourceVersion: '1',
    specReplicas: 4,
    statusReplicas: 4,
    selector: 'app=checkout',
  };

  it.each([
    { name: 'another selector', before: scale, after: { ...scale, selector: 'app=other' }, want: [target] },
    { name: 'another object of the name', before: scale, after: { ...scale, uid: 'anew' }, want: [target] },
    { name: 'another count', before: scale, after: { ...scale, specReplicas: 5 }, want: [] },
    { name: 'the first sight', before: undefined, after: scale, want: [] },
    { name: 'no object any more', before: scale, after: undefined, want: [target] },
  ])('reports as selected anew a target with $name: $want.length', ({ before, after, want }) => {
    const feed = new ReplicaChangeFeed();
    const selected: object[] = [];
    const end = feed.subscribeToSelectors((found) => selected.push(found));
    feed.publish(target, { before, after, now: 0 });
    end();
    feed.publish(target, { before, after, now: 0 });
    expect(selected).toEqual(want);
  });
});

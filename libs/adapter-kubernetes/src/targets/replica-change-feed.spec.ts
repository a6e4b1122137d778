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
});

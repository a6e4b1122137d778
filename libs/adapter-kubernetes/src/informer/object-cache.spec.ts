import { describe, expect, it } from '@jest/globals';
import { parseKubeObject } from '../api/kube-object.ts';
import { ObjectCache } from './object-cache.ts';

const object = (namespace: string, name: string, resourceVersion = '1') =>
  parseKubeObject({ metadata: { namespace, name, resourceVersion } });

describe('ObjectCache', () => {
  it('keeps the transformed form, and reports every change', () => {
    const changes: unknown[] = [];
    const cache = new ObjectCache({
      transform: ({ resourceVersion }) => resourceVersion,
      listener: ({ before, after, name }) => void changes.push([name, before, after]),
    });
    cache.put(object('n', 'a', '1'));
    cache.put(object('n', 'a', '2'));
    cache.remove(object('n', 'a'));
    cache.remove(object('n', 'a'));
    expect(changes).toEqual([
      ['a', undefined, '1'],
      ['a', '1', '2'],
      ['a', '2', undefined],
    ]);
    expect(cache.size).toBe(0);
  });

  it('forgets after a list what the list did not have, and nothing before its end', () => {
    const cache = new ObjectCache({ transform: ({ name }) => name });
    for (const [namespace, name] of [
      ['n', 'a'],
      ['n', 'b'],
      ['m', 'c'],
    ] as const)
      cache.put(object(namespace, name));
    cache.beginList();
    cache.put(object('n', 'b'));
    expect([...cache.values('n'), ...cache.values('m')]).toEqual(['a', 'b', 'c']);
    cache.endList();
    expect([...cache.values('n'), ...cache.values('m')]).toEqual(['b']);
  });

  it('has what a complete list has when the one before it broke off', () => {
    const cache = new ObjectCache({ transform: ({ name }) => name });
    cache.beginList();
    cache.put(object('n', 'a'));
    cache.put(object('n', 'gone'));
    cache.beginList();
    cache.put(object('n', 'a'));
    cache.put(object('n', 'b'));
    cache.endList();
    expect([...cache.values('n')]).toEqual(['a', 'b']);
  });

  it('passes over what a watch delivers once more, a deletion included, and follows a list that leads back', () => {
    const changes: unknown[] = [];
    const cache = new ObjectCache<string>({
      transform: ({ resourceVersion }) => resourceVersion,
      listener: ({ after }) => void changes.push(after),
      versionOf: (version) => version,
    });
    cache.beginList();
    cache.put(object('n', 'a', '10'));
    cache.endList();
    cache.put(object('n', 'a', '9'));
    cache.remove(object('n', 'a', '9'));
    expect(changes).toEqual(['10']);
    cache.put(object('n', 'a', '11'));
    cache.beginList();
    cache.put(object('n', 'a', '3'));
    cache.endList();
    cache.remove(object('n', 'a', '4'));
    expect(changes).toEqual(['10', '11', '3', undefined]);
  });
});

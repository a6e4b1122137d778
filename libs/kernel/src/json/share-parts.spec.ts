import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shareParts } from './share-parts.ts';

describe('shareParts', () => {
  it('is the earlier value where all of it is equal', () => {
    const before = { steps: [{ rule: 'tolerance', after: 4 }], error: null };
    expect(shareParts(before, { steps: [{ rule: 'tolerance', after: 4 }], error: null })).toBe(before);
  });

  it('takes equal parts of the earlier value, and leaves both values as they are', () => {
    const before = {
      time: '1',
      metrics: [
        { name: 'cpu', pods: ['a', 'b'] },
        { name: 'memory', pods: [] },
      ],
    };
    const now = {
      time: '2',
      metrics: [
        { name: 'cpu', pods: ['a', 'b'] },
        { name: 'memory', pods: ['c'] },
      ],
    };
    const [given, wanted] = [structuredClone(before), structuredClone(now)];
    const shared = shareParts(before, now);
    expect(shared).toEqual(wanted);
    expect(shared.metrics[0]).toBe(before.metrics[0]);
    expect(shared.metrics[1]).not.toBe(before.metrics[1]);
    expect([before, now]).toEqual([given, wanted]);
  });

  it.each([
    { name: 'a member that is gone', before: { a: 1, b: 2 }, now: { a: 1 } },
    { name: 'a member that is new', before: { a: 1 }, now: { a: 1, b: undefined } },
    { name: 'a member with another name', before: { a: undefined }, now: { b: undefined } },
    { name: 'a shorter list', before: [1, 2], now: [1] },
    { name: 'a longer list', before: [1], now: [1, 1] },
    { name: 'a list in place of an object', before: { 0: 'a' }, now: ['a'] },
    { name: 'an object in place of a list', before: ['a'], now: { 0: 'a' } },
    { name: 'another zero', before: [0], now: [-0] },
  ])('takes $name for a difference', ({ before, now }) => {
    const shared = shareParts<unknown>(before, now);
    expect(shared).not.toBe(before);
    expect(shared).toStrictEqual(now);
  });

  it('is equal to the value, whatever was before', () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(fc.property(value, value, (before, now) => expect(shareParts(before, now)).toStrictEqual(now)));
    fc.assert(
      fc.property(value, (before) => {
        const shared = shareParts(before, structuredClone(before));
        expect(shared).toBe(before);
      }),
    );
  });
});

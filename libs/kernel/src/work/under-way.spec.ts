import { describe, expect, it } from '@jest/globals';
import { UnderWay } from './under-way.ts';

describe('what is under way', () => {
  it('is there until it is taken out, whichever goes first', () => {
    const underWay = new UnderWay<string>();
    const [first, second, third] = ['first', 'second', 'third'].map((value) => underWay.add(value));
    expect([...underWay]).toEqual(['first', 'second', 'third']);
    first?.();
    expect([...underWay].toSorted()).toEqual(['second', 'third']);
    third?.();
    expect([...underWay]).toEqual(['second']);
    second?.();
    expect(underWay.size).toBe(0);
  });

  it('is taken out once', () => {
    const underWay = new UnderWay<string>();
    const takeOut = underWay.add('first');
    takeOut();
    underWay.add('second');
    takeOut();
    expect([...underWay]).toEqual(['second']);
  });

  it('may be the same twice', () => {
    const underWay = new UnderWay<string>();
    const takeOut = underWay.add('same');
    underWay.add('same');
    takeOut();
    expect([...underWay]).toEqual(['same']);
  });

  it('may change while it is gone through', () => {
    const underWay = new UnderWay<() => void>();
    const seen: number[] = [];
    const ends = [0, 1, 2].map((each) => {
      const takeOut = underWay.add(() => {
        seen.push(each);
        takeOut();
      });
      return takeOut;
    });
    for (const each of underWay) each();
    expect(ends).toHaveLength(3);
    expect(seen).toEqual([0, 1, 2]);
    expect(underWay.size).toBe(0);
  });
});

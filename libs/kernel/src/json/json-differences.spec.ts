import { describe, expect, it } from '@jest/globals';
import { jsonDifferences } from './json-differences.ts';

describe('the differences of two JSON values', () => {
  it('are none where only the order of keys differs', () => {
    expect(jsonDifferences({ a: 1, b: [2] }, { b: [2], a: 1 })).toEqual([]);
  });

  it('are the deepest places that explain them, as JSON Pointers', () => {
    const recorded = { steps: [{ rule: 'min-max', after: 4 }], 'a/b~c': 1, kept: true };
    const recomputed = {
      steps: [{ rule: 'min-max', after: 5 }, { rule: 'dry-run' }],
      'a/b~c': 2,
      kept: true,
    };
    expect(jsonDifferences(recorded, recomputed)).toEqual([
      { path: '/steps/0/after', recorded: 4, recomputed: 5 },
      { path: '/steps/1', recorded: undefined, recomputed: { rule: 'dry-run' } },
      { path: '/a~1b~0c', recorded: 1, recomputed: 2 },
    ]);
  });

  it('names a value of another form as a whole', () => {
    expect(jsonDifferences({ value: [] }, { value: {} })).toEqual([
      { path: '/value', recorded: [], recomputed: {} },
    ]);
  });
});

import { expect, it } from '@jest/globals';
import { aPod, inputFor } from '../testing/decide-for.ts';
import { reportSelection, selectPods } from './select-pods.ts';

it.each([
  { name: 'names in order', given: ['a', 'b', 'c'], want: ['a', 'b', 'c'] },
  { name: 'names out of order', given: ['b', 'a', 'c'], want: ['a', 'b', 'c'] },
  { name: 'the last out of order', given: ['b', 'c', 'a'], want: ['a', 'b', 'c'] },
  {
    name: 'names in the order of UTF-16 alone',
    given: ['\u{1F600}', '\uFF5E'],
    want: ['\uFF5E', '\u{1F600}'],
  },
  {
    name: 'names in the order of code points alone',
    given: ['\uFF5E', '\u{1F600}'],
    want: ['\uFF5E', '\u{1F600}'],
  },
  { name: 'no pods', given: [], want: [] },
])('sorts $name by code point', ({ given, want }) => {
  const input = inputFor({ observation: { pods: given.map((name) => aPod(name)) } });
  const { names, pods } = selectPods(input, reportSelection(input));
  expect(names).toEqual(want);
  expect(pods.map(({ name }) => name)).toEqual(want);
});

it('selects nothing where no pods were observed', () => {
  const input = inputFor({ observation: { pods: null } });
  expect(selectPods(input, reportSelection(input))).toEqual({
    pods: [],
    names: [],
    filteredOut: [],
    isFiltered: false,
  });
});

it.each([undefined, null])(
  'does not filter by owners where %p were looked up and none is asked for',
  (owners) => {
    const input = inputFor({ spec: { selectionStrategy: 'OwnerReference' }, observation: { owners } });
    expect(reportSelection(input)).toEqual({
      requested: 'OwnerReference',
      effective: 'OwnerReference',
      fallback: null,
    });
  },
);

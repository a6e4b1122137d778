import { expect, it } from '@jest/globals';
import { bytesPerPortion, portionEnds, portionFilled } from './entry-portions.ts';

const portion = bytesPerPortion;

it.each([
  { name: 'small ones', rows: [{ payload: 'a' }, { payload: 'b' }], want: [false, false] },
  {
    name: 'a large one after a small one',
    rows: [{ payload: 'a' }, { payload: 'a'.repeat(portion) }],
    want: [false, true],
  },
  {
    name: 'what packed bytes grow to',
    rows: [{ packed: new Uint8Array(Math.ceil(portion / 20)) }],
    want: [true],
  },
  {
    name: 'packed bytes and what was observed together',
    rows: [{ packed: new Uint8Array(portion / 50), observation: new Uint8Array(portion / 30) }],
    want: [true],
  },
  { name: 'a deleted payload', rows: [{ payload: null, packed: null }], want: [false] },
])('a portion is full by $name: $want', ({ rows, want }) => {
  const isFull = portionFilled();
  expect(rows.map(isFull)).toEqual(want);
});

it('ends a portion where its rows are large enough together, and the last with the page', () => {
  const sizes = [portion / 2, portion / 2, portion, 1, 1];
  const rows = sizes.map((size, index) => ({ seq: BigInt(index + 1), size: BigInt(size) }));
  expect(portionEnds(rows)).toEqual([2n, 3n, 5n]);
});

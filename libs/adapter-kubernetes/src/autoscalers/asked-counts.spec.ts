import { expect, it } from '@jest/globals';
import { AskedCounts } from './asked-counts.ts';

let now = 0;
const asked = new AskedCounts({ elapsed: () => now });
const lately = () => [...asked.lately('shop/checkout')];

it('are kept for five minutes after another count was asked for, and go with the HPA', () => {
  expect(lately()).toEqual([]);
  for (const count of [2, 2, 0]) asked.note('shop/checkout', count);
  now += 200_000;
  asked.note('shop/checkout', 3);
  expect(lately()).toEqual([2, 0, 3]);
  now += 150_000;
  expect(lately()).toEqual([0, 3]);
  now += 3_600_000;
  expect(lately()).toEqual([3]);
  asked.note('shop/checkout', null);
  expect(lately()).toEqual([]);
});

it('are bounded', () => {
  for (let count = 0; count < 100; count += 1) asked.note('shop/web', count);
  expect(asked.lately('shop/web').size).toBe(32);
});

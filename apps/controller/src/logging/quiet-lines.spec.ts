import { expect, it } from '@jest/globals';
import { QuietLines } from './quiet-lines.ts';

it('tells one of a kind per minute, and how many it kept silent', () => {
  let now = 0;
  const lines = new QuietLines(() => now);
  expect([lines.tell('a'), lines.tell('a'), lines.tell('b'), lines.tell('a')]).toEqual([0, null, 0, null]);
  now = 59_999;
  expect(lines.tell('a')).toBeNull();
  now = 60_000;
  expect([lines.tell('a'), lines.tell('a')]).toEqual([3, null]);
});

it('forgets the kind that was told longest ago, where there are more than a thousand', () => {
  const lines = new QuietLines(() => 0);
  for (let kind = 0; kind <= 1_000; kind += 1) lines.tell(String(kind));
  expect([lines.tell('1000'), lines.tell('1'), lines.tell('0')]).toEqual([null, null, 0]);
});

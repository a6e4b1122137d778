import { expect, it } from '@jest/globals';
import { counted } from './counted.ts';

it.each([
  { count: 1, want: '1 entry' },
  { count: 0, want: '0 entries' },
  { count: 1n, want: '1 entry' },
  { count: '1,264', want: '1,264 entries' },
])('says how many: $want', ({ count, want }) => {
  expect(counted(count, 'entry', 'entries')).toBe(want);
});

it('adds an s where no other plural is given', () => {
  expect([counted(1, 'stream'), counted(2, 'stream')]).toEqual(['1 stream', '2 streams']);
});

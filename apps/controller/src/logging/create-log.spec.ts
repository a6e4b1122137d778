import { expect, it } from '@jest/globals';
import { escapedJson, textOf } from './create-log.ts';

it.each([
  {
    name: 'a sentence',
    entry: { sentence: 'Add \u001b[2J\u0007policy' },
    want: 'Add \\u001b[2J\\u0007policy',
  },
  { name: 'a field', entry: { msg: 'synced', subject: 'a\nb' }, want: 'synced  subject=a\\u000ab' },
  { name: 'an error', entry: { msg: 'failed', err: { message: '\u009b31m' } }, want: 'failed  \\u009b31m' },
  { name: 'text that is turned round', entry: { msg: 'x \u202e y' }, want: 'x \\u202e y' },
  { name: 'other letters as they are', entry: { sentence: 'Größe → 5 ✓' }, want: 'Größe → 5 ✓' },
])('shows $name with its control characters escaped', ({ entry, want }) => {
  expect(textOf(entry)).toBe(want);
});

it('writes JSON that turns nothing round, and that means the same', () => {
  const entry = { msg: 'synced', subject: 'a\u202eb\u200f\u2028\u009b\u007f \n Größe' };
  const line = escapedJson(`${JSON.stringify(entry)}\n`);
  expect(line).toBe(
    String.raw`{"msg":"synced","subject":"a\u202eb\u200f\u2028\u009b\u007f \n Größe"}` + '\n',
  );
  expect(JSON.parse(line)).toEqual(entry);
});

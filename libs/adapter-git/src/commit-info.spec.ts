import { describe, expect, it } from '@jest/globals';
import { parseCommit } from './commit-info.ts';

function authorOf(text: string): object {
  return parseCommit('f00', `tree abc\nauthor ${text}\n\nsubject\n`).author;
}

const unknown = { name: '', email: '', time: '1970-01-01T00:00:00.000Z' };
const time = '1970-01-01T00:00:01.000Z';

describe('the author of a commit', () => {
  it.each([
    { text: 'Ada <ada@example.com> 1 +0000', want: { name: 'Ada', email: 'ada@example.com', time } },
    { text: '<ada@example.com> 1 +0000', want: { name: '', email: 'ada@example.com', time } },
    { text: 'A < b> c <d@e> 1 -0130', want: { name: 'A < b> c', email: 'd@e', time } },
    { text: 'A <b <c@d> 1 +0000', want: { name: 'A', email: 'b <c@d', time } },
    { text: 'A > b 1 +0000', want: unknown },
    { text: 'A <a@b> soon', want: { name: 'A', email: 'a@b', time: '1970-01-01T00:00:00.000Z' } },
    { text: 'A <a@b>', want: { name: 'A', email: 'a@b', time: '1970-01-01T00:00:00.000Z' } },
    { text: '', want: unknown },
  ])('is read from $text', ({ text, want }) => {
    expect(authorOf(text)).toEqual(want);
  });

  it('is read at once from a mebibyte of brackets', () => {
    expect(authorOf('<'.repeat(1_048_576))).toEqual(unknown);
  });
});

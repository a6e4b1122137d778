import { describe, expect, it } from '@jest/globals';
import { parseCommit } from './commit-info.ts';

function authorOf(text: string): object {
  return parseCommit('f00', `tree abc\nauthor ${text}\n\nsubject\n`).author;
}

const unknown = { name: '', email: '', time: '1970-01-01T00:00:00.000Z' };
const time = '1970-01-01T00:00:01.000Z';

const [one, two] = ['a'.repeat(40), 'b'.repeat(40)];
const people = 'author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000';

it.each([
  { name: 'none', text: `tree abc\n${people}`, want: [] },
  {
    name: 'those below the tree',
    text: `tree abc\nparent ${one}\nparent ${two}\n${people}`,
    want: [one, two],
  },
  { name: 'none below the people', text: `tree abc\n${people}\nparent ${one}`, want: [] },
  {
    name: 'none between the people',
    text: `tree abc\nparent ${one}\n${people.replace('\n', `\nparent ${two}\n`)}`,
    want: [one],
  },
  { name: 'none of a second tree', text: `tree abc\n${people}\ntree def\nparent ${one}`, want: [] },
])('the parents of a commit are $name, as git has them', ({ text, want }) => {
  expect(parseCommit('f00', `${text}\n\nsubject\n`)).toMatchObject({ tree: 'abc', parents: want });
});

it('a commit that does not begin with its tree cannot be read', () => {
  expect(() => parseCommit('f00', `${people}\ntree abc\n\nsubject\n`)).toThrow('no commit that can be read');
});

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

it('has no longer subject, name or address than an entry of the ledger wants, and no half of a character', () => {
  const text = `${'a'.repeat(999)}😀 and on`;
  const commit = parseCommit('f00', `tree abc\nauthor ${text} <${text}> 0 +0000\n\n${text}\n`);
  const { subject, author } = commit;
  expect([subject, author.name, author.email]).toEqual(Array.from({ length: 3 }, () => 'a'.repeat(999)));
});

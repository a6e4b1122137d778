import { describe, expect, it } from '@jest/globals';
import { printable, printableLines, printableTexts } from './printable.ts';

describe('printable', () => {
  it.each([
    ['größer "als"\t🚀', 'größer "als"\t🚀'],
    ['a\nproven: b', 'a\\u000aproven: b'],
    ['\u001b[8m\u009b\u007f', '\\u001b[8m\\u009b\\u007f'],
    ['\u202eabc\u2028', '\\u202eabc\\u2028'],
  ])('shows %j', (given, want) => {
    expect(printable(given)).toBe(want);
  });
});

describe('printableLines', () => {
  it.each([
    {
      name: 'lines, tabs and colours as they are',
      given: 'a\tb\n\u001b[1;31mred\u001b[0m\n',
      want: 'a\tb\n\u001b[1;31mred\u001b[0m\n',
    },
    {
      name: 'what else a terminal would obey',
      given: '\u001b[2J\u0007\u009b\r\n',
      want: '\\u001b[2J\\u0007\\u009b\\u000d\n',
    },
    {
      name: 'what reorders text',
      given: 'by olga \u202e(nosrep rehtona) \u2066x\u200f\u061c',
      want: 'by olga \\u202e(nosrep rehtona) \\u2066x\\u200f\\u061c',
    },
  ])('shows $name', ({ given, want }) => {
    expect(printableLines(given)).toBe(want);
  });
});

describe('printableTexts', () => {
  it('has no lines and colours, wherever they stand, and all else as it was', () => {
    const given = {
      reason: 'x\n\ncommit    a1b2c3d Raise it (Ada), approved\u001b[8m',
      rows: [{ author: '\u001b[31mEve\u009b', at: 3n, none: null }],
      since: new Map([['a', 1]]),
    };
    expect(printableTexts(given)).toEqual({
      reason: 'x commit    a1b2c3d Raise it (Ada), approved\\u001b[8m',
      rows: [{ author: '\\u001b[31mEve\\u009b', at: 3n, none: null }],
      since: given.since,
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import { type Column, table } from './print-answer.ts';

interface Row {
  readonly name: string;
  readonly why: string;
  readonly count: number;
}

const columns: readonly Column<Row>[] = [
  ['NAME', ({ name }) => name],
  ['REASON', ({ why }) => why],
  ['COUNT', ({ count }) => count],
];
const long = 'the metric queue of the source of metrics prometheus was not answered in time';
const rows = [
  { name: 'shop/checkout-with-a-name-that-is-long', why: long, count: 3 },
  { name: 'shop/cart', why: 'as wanted', count: 12 },
];

describe('table', () => {
  it('fits the width of a screen: sentences are cut, names never', () => {
    const lines = table(rows, columns, 80).split('\n');
    expect(lines).toEqual([
      'NAME                                    REASON                             COUNT',
      'shop/checkout-with-a-name-that-is-long  the metric queue of the source o…  3',
      'shop/cart                               as wanted                          12',
      '',
    ]);
    expect(Math.max(...lines.map((line) => line.length))).toBe(80);
  });

  it('cuts no names of several words', () => {
    const scopes: readonly Column<Row>[] = [
      ['SCOPE', ({ name }) => `namespace ${name}`, 'Whole'],
      ['REASON', ({ why }) => why],
    ];
    expect(table(rows, scopes, 80).split('\n')[1]).toBe(
      'namespace shop/checkout-with-a-name-that-is-long  the metric queue of the sourc…',
    );
  });

  it('leaves everything to a reader that is no screen, and where it fits', () => {
    const whole = table(rows, columns);
    expect(whole).toContain(`${long}  3\n`);
    expect(table(rows, columns, 500)).toBe(whole);
  });

  it('has the sentences of a row in a line below it on a screen that is too narrow for both', () => {
    expect(table(rows, columns, 50).split('\n')).toEqual([
      'NAME                                    COUNT',
      '    REASON',
      'shop/checkout-with-a-name-that-is-long  3',
      '    the metric queue of the source of metrics pro…',
      'shop/cart                               12',
      '    as wanted',
      '',
    ]);
  });

  it('never cuts what a row is about: it stands below where there is no room, and nowhere where there is none', () => {
    const about: readonly Column<Row>[] = [
      ['NAME', ({ name }) => name],
      ['COUNT', ({ count }) => count],
      ['ID', ({ count }) => `#${count}`, 'Spare'],
      ['REASON', ({ why, count }) => (count === 12 ? null : why), 'Below'],
    ];
    expect(table(rows, about, 60).split('\n')).toEqual([
      'NAME                                    COUNT  ID',
      '    REASON',
      'shop/checkout-with-a-name-that-is-long  3      #3',
      `    ${long}`,
      'shop/cart                               12     #12',
      '',
    ]);
    // Where it is enough that the spare one goes, it has room in the row.
    expect(table(rows, about, 125).split('\n')[1]).toBe(
      `shop/checkout-with-a-name-that-is-long  3      ${long}`,
    );
  });

  it('leaves out first what has no value, then what is spare, and no more than it has to', () => {
    const more: readonly Column<Row>[] = [
      ['NAME', ({ name }) => name],
      ['NONE', () => null],
      ['ID', ({ count }) => `policy:shop/checkout#${count}`, 'Spare'],
    ];
    const headings = (width: number): string => table(rows, more, width).split('\n', 1)[0] ?? '';
    expect([70, 66, 50].map((width) => headings(width).split(/ +/).join(' '))).toEqual([
      'NAME NONE ID',
      'NAME ID',
      'NAME',
    ]);
    expect(table(rows, more)).toContain('NONE');
    expect(headings(10)).toBe('NAME');
  });
});

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

  it('cuts no sentence to less than a few words, and nothing else, on a screen that is too narrow', () => {
    const lines = table(rows, columns, 20).split('\n');
    expect(lines[1]).toBe('shop/checkout-with-a-name-that-is-long  the metric queu…  3');
  });
});

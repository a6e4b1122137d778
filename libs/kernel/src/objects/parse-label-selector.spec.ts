import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { labelSelectorFault, matchesLabels, parseLabelSelector } from './parse-label-selector.ts';

describe('parseLabelSelector', () => {
  it.each([
    { name: 'blanks select everything', given: ' \t ', want: [] },
    { name: 'equality', given: 'a=b', want: [{ operator: 'In', key: 'a', values: ['b'] }] },
    {
      name: 'blanks between',
      given: '\ta\r\n= b ,c ',
      want: [
        { operator: 'In', key: 'a', values: ['b'] },
        { operator: 'Exists', key: 'c' },
      ],
    },
    { name: 'double equality', given: 'a == b', want: [{ operator: 'In', key: 'a', values: ['b'] }] },
    { name: 'inequality', given: 'a!=b', want: [{ operator: 'NotIn', key: 'a', values: ['b'] }] },
    { name: 'an empty value', given: 'a=', want: [{ operator: 'In', key: 'a', values: [''] }] },
    { name: 'a set', given: 'a in (x, y)', want: [{ operator: 'In', key: 'a', values: ['x', 'y'] }] },
    { name: 'a negated set', given: 'a notin (x)', want: [{ operator: 'NotIn', key: 'a', values: ['x'] }] },
    {
      name: 'an empty set is the empty value',
      given: 'a in ()',
      want: [{ operator: 'In', key: 'a', values: [''] }],
    },
    {
      name: 'an empty place in a set',
      given: 'a in (,x)',
      want: [{ operator: 'In', key: 'a', values: ['', 'x'] }],
    },
    { name: 'presence', given: 'a', want: [{ operator: 'Exists', key: 'a' }] },
    { name: 'absence', given: '!a', want: [{ operator: 'DoesNotExist', key: 'a' }] },
    { name: 'a keyword as key', given: 'in', want: [{ operator: 'Exists', key: 'in' }] },
    { name: 'a keyword as value', given: 'a=in', want: [{ operator: 'In', key: 'a', values: ['in'] }] },
    { name: 'a lower bound', given: 'a>1', want: [{ operator: 'Gt', key: 'a', bound: 1n }] },
    { name: 'an upper bound', given: 'a < 10', want: [{ operator: 'Lt', key: 'a', bound: 10n }] },
    {
      name: 'several, with a prefix',
      given: 'app.kubernetes.io/name=shop,!canary',
      want: [
        { operator: 'In', key: 'app.kubernetes.io/name', values: ['shop'] },
        { operator: 'DoesNotExist', key: 'canary' },
      ],
    },
  ])('reads $name', ({ given, want }) => {
    expect(parseLabelSelector(given)).toEqual({ ok: true, value: want });
  });

  it.each([
    { given: 'a=b,', want: 'found the end where a label key was expected' },
    { given: ',a', want: 'found "," where a label key was expected' },
    { given: 'a b', want: 'found "b" where one of = == != in notin < > was expected' },
    { given: 'a\u00a0=b', want: '"a\u00a0" is no label key' },
    { given: 'a=b\v', want: '"b\\u000b" is no value of the label a' },
    { given: '!a=b', want: `found "=" where ',' or the end was expected` },
    { given: 'a in x', want: `found "x" where '(' was expected` },
    { given: 'a in (x', want: `found the end where ',' or ')' was expected` },
    { given: 'a>b', want: 'the bound of a is an integer, not "b"' },
    { given: 'a>9223372036854775808', want: 'the bound of a is an integer, not "9223372036854775808"' },
    { given: 'a>-1', want: '"-1" is no value of the label a' },
    { given: `a${' '.repeat(65_536)}`, want: 'the selector has more than 65536 characters' },
    { given: 'a/b/c=d', want: '"a/b/c" is no label key' },
    { given: 'A_/b=c', want: '"A_/b" is no label key' },
    { given: `a=${'x'.repeat(64)}`, want: `"${'x'.repeat(64)}" is no value of the label a` },
  ])('refuses $given', ({ given, want }) => {
    expect(parseLabelSelector(given)).toEqual({ ok: false, error: want });
  });
});

describe('labelSelectorFault', () => {
  const pieces = fc.constantFrom(
    'app=checkout',
    'app.kubernetes.io/name=web-2',
    'a.b.c/de=fg',
    ',',
    '=',
    '/',
    '.',
    '-',
    '_',
    ' ',
    '!',
    'in',
    '(x)',
    'ab',
    'A',
    '1',
    'x'.repeat(63),
    'y.'.repeat(126),
  );

  it('finds a fault exactly where the text does not parse, and names it in the same words', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (given) => {
        const text = given.join('');
        const parsed = parseLabelSelector(text);
        expect(labelSelectorFault(text)).toBe(parsed.ok ? undefined : parsed.error);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('matchesLabels', () => {
  it.each([
    { selector: '', labels: {}, want: true },
    { selector: 'a=b', labels: { a: 'b', c: 'd' }, want: true },
    { selector: 'a=b', labels: { a: 'c' }, want: false },
    { selector: 'a=', labels: {}, want: false },
    { selector: 'a!=b', labels: {}, want: true },
    { selector: 'a!=b', labels: { a: 'b' }, want: false },
    { selector: 'a in (b,c),d', labels: { a: 'c', d: '' }, want: true },
    { selector: 'a in (b,c),d', labels: { a: 'c' }, want: false },
    { selector: 'a notin (b)', labels: { a: 'c' }, want: true },
    { selector: '!a', labels: { a: '' }, want: false },
    { selector: 'a>9', labels: { a: '10' }, want: true },
    { selector: 'a>9', labels: { a: '9' }, want: false },
    { selector: 'a<9', labels: { a: '8' }, want: true },
    { selector: 'a<9', labels: { a: 'x' }, want: false },
    { selector: 'a<9', labels: { a: '0'.repeat(64) }, want: false },
    { selector: 'a<9', labels: {}, want: false },
    { selector: 'toString', labels: {}, want: false },
  ])('$selector on $labels is $want', ({ selector, labels, want }) => {
    const parsed = parseLabelSelector(selector);
    expect(parsed.ok && matchesLabels(parsed.value, labels)).toBe(want);
  });
});

import { describe, expect, it } from '@jest/globals';
import { canonicalSelectorText, labelSelectorText } from './label-selector-text.ts';

describe('labelSelectorText', () => {
  it.each([
    { name: 'no requirement', given: {}, want: '' },
    { name: 'labels by key', given: { matchLabels: { b: '2', a: '' } }, want: 'a=,b=2' },
    {
      name: 'expressions among them',
      given: {
        matchLabels: { m: '1' },
        matchExpressions: [
          { key: 'z', operator: 'NotIn', values: ['c', 'b'] },
          { key: 'a', operator: 'In', values: ['y', 'x'] },
          { key: 'n', operator: 'Exists' },
          { key: 'o', operator: 'DoesNotExist' },
        ],
      },
      want: 'a in (x,y),m=1,n,!o,z notin (b,c)',
    },
  ])('writes $name', ({ given, want }) => {
    expect(labelSelectorText(given)).toBe(want);
  });
});

describe('canonicalSelectorText', () => {
  it.each([
    { left: 'b=1, a = 2', right: 'a in (2),b==1' },
    { left: 'a notin (y,x)', right: 'a notin (x, y)' },
    { left: 'a!=x', right: 'a notin (x)' },
    { left: ' a > 1 ', right: 'a>1' },
  ])('is one text for $left and $right', ({ left, right }) => {
    expect(canonicalSelectorText(left)).toBe(canonicalSelectorText(right));
  });

  it('tells different selectors apart', () => {
    expect(canonicalSelectorText('a=1')).not.toBe(canonicalSelectorText('a!=1'));
  });

  it('leaves alone what does not parse', () => {
    expect(canonicalSelectorText('a b')).toBe('a b');
  });
});

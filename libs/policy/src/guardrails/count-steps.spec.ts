import { describe, expect, it } from '@jest/globals';
import type { Result } from '#kernel';
import { compileExpression, guardrailSubject } from './guardrail-expression.ts';
import { StepBudget } from './step-budget.ts';

const numbers = `[${Array.from({ length: 200 }, (_, index) => index).join(',')}]`;
const subject = guardrailSubject({
  metadata: { annotations: { digits: '1'.repeat(200_000), words: 'ab '.repeat(60_000) } },
  spec: {
    maxReplicas: 9,
    labels: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`l${at}`, 'v'])),
  },
});

function evaluate(
  expression: string,
  budget = new StepBudget(1_000_000, 'all of it takes'),
): Result<boolean, string> {
  const compiled = compileExpression(expression);
  return compiled.ok ? compiled.value.evaluate(subject, budget) : compiled;
}

/** How many steps an evaluation takes. */
function stepsOf(expression: string): number {
  let [low, high] = [0, 100_000];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (evaluate(expression, new StepBudget(middle, 'it')).ok) high = middle;
    else low = middle + 1;
  }
  return low;
}

describe('steps', () => {
  it('are one per node that is evaluated, so that a loop takes them per item', () => {
    expect(stepsOf('object.spec.maxReplicas <= 50')).toBeLessThan(10);
    const perItem = (stepsOf(`${numbers}.all(a, a < 1000)`) - stepsOf(`${numbers} != []`)) / 200;
    expect(perItem).toBeGreaterThan(3);
    expect(perItem).toBeLessThan(10);
  });

  it('are the same for every evaluation of one expression', () => {
    const compiled = compileExpression(`${numbers}.all(a, a < 1000)`);
    const budget = new StepBudget(10_000, 'all of it takes');
    if (!compiled.ok) throw new Error(compiled.error);
    const results = Array.from({ length: 10 }, () => compiled.value.evaluate(subject, budget).ok);
    expect(results.indexOf(false)).toBe(Math.floor(10_000 / stepsOf(`${numbers}.all(a, a < 1000)`)));
    expect(results.lastIndexOf(true)).toBe(results.indexOf(false) - 1);
  });

  it.each([
    ['loops in loops over a list', `[${numbers}].all(l, l.all(a, l.all(b, l.all(c, a + b + c >= 0))))`],
    [
      'loops over the keys of a map',
      `${numbers}.all(a, ${numbers}.all(b, object.spec.labels.all(k, k != 'z')))`,
    ],
    ['loops that make lists', `${numbers}.map(a, ${numbers}.map(b, ${numbers})).size() > 0`],
    [
      'loops whose errors count as false',
      `${numbers}.all(a, ${numbers}.all(b, object.spec.nope == 1 || true))`,
    ],
    [
      'loops after whose errors another operand holds',
      `${numbers}.all(a, ${numbers}.all(b, a / 0 > b)) || true`,
    ],
    [
      'text that doubles',
      `cel.bind(a, 'xxxxxxxx', ${'cel.bind(a, a + a, '.repeat(20)}a.size() > 3${')'.repeat(21)}`,
    ],
    [
      'lists that double',
      `cel.bind(a, [1, 2], ${'cel.bind(a, a + a, '.repeat(20)}a.size() > 3${')'.repeat(21)}`,
    ],
    [
      'lists of one list, compared',
      `cel.bind(a, [1], ${'cel.bind(a, [a, a], '.repeat(20)}a == a${')'.repeat(21)}`,
    ],
    ['membership in long lists', `${numbers}.all(a, ${numbers}.all(b, a in ${numbers}))`],
    ['comparisons of the whole policy', `${numbers}.all(a, object == object)`],
    ['long text in pieces', `object.metadata.annotations.words.split('').all(x, x != 'q')`],
    ['a search with many near hits', `object.metadata.annotations.digits.contains('${'1'.repeat(3000)}2')`],
    ['a long duration', `duration(object.metadata.annotations.digits) > duration('1s')`],
    ['a pattern over a long text', `object.metadata.annotations.words.matches('(ab )*c')`],
    ['many patterns', `${numbers}.all(a, 'x'.matches('a{90}a{200}' + string(a)) || true)`],
    [
      'times in time zones',
      `${numbers}.all(a, timestamp('2026-01-01T00:00:00Z').getHours('Asia/Tokyo') >= 0)`,
    ],
    ['conversions', `${numbers}.all(a, ${numbers}.all(b, bytes('${'a'.repeat(99)}').hex() != ''))`],
  ])('end %s', (_, expression) => {
    expect(evaluate(expression)).toEqual({
      ok: false,
      error: 'it takes more than 100000 steps; loop over less, or split the rule',
    });
  });

  it('of everything around it end an expression, too', () => {
    expect(evaluate(`${numbers}.all(a, a < 1000) || true`, new StepBudget(100, 'all of it takes'))).toEqual({
      ok: false,
      error: 'all of it takes more than 100 steps; loop over less, or split the rule',
    });
  });
});

describe('matches', () => {
  it.each([
    { pattern: '^[a-z]+$', text: 'checkout', want: true },
    { pattern: 'heck', text: 'checkout', want: true },
    { pattern: '(?i)^CHECK', text: 'checkout', want: true },
    { pattern: '(a+)+$', text: `${'a'.repeat(200)}!`, want: false },
    { pattern: `${'a?'.repeat(60)}${'a'.repeat(60)}`, text: 'a'.repeat(60), want: true },
  ])('reads RE2: $pattern', ({ pattern, text, want }) => {
    expect(evaluate(`'${text}'.matches('${pattern}')`)).toEqual({ ok: true, value: want });
    expect(evaluate(`'${text}'.matches('${pattern}' + '')`)).toEqual({ ok: true, value: want });
  });

  it.each([
    { pattern: '(a', error: "the pattern is not valid in RE2's syntax" },
    { pattern: '(?=a)', error: "the pattern is not valid in RE2's syntax" },
    { pattern: 'a{0,50}'.repeat(8), error: 'a pattern comes to over 10000 characters with its repetitions' },
    { pattern: 'a'.repeat(1001), error: 'a pattern comes to over 10000 characters with its repetitions' },
  ])('refuses $pattern, spelled out at compilation', ({ pattern, error }) => {
    expect(compileExpression(`'a'.matches('${pattern}')`)).toEqual({
      ok: false,
      error: expect.stringContaining(error),
    });
    expect(evaluate(`'a'.matches('${pattern}' + '')`)).toEqual({
      ok: false,
      error: expect.stringContaining(error),
    });
  });
});

import type { z } from 'zod';

/** What schemas measure beside numbers. */
const measured: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'item',
  set: 'item',
};

const articles: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  undefined: 'to be left out',
};

/** What goes behind “it wants” where a schema refuses a value in its library's words; undefined: there is no sentence for it. */
export function wantOf(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'too_small') return `at least ${amount(issue.minimum, issue.origin)}`;
  if (issue.code === 'too_big') return `at most ${amount(issue.maximum, issue.origin)}`;
  if (issue.code === 'invalid_type') return articles[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return choiceText(issue.values);
  if (issue.code === 'invalid_format' && issue.format === 'uuid') return 'a UUID';
  if (issue.code === 'invalid_union') return formText(issue);
  return undefined;
}

/** Where one value tells the forms apart, the values that it may have. */
function formText(issue: z.core.$ZodIssueInvalidUnion): string {
  const options = 'options' in issue ? issue.options : undefined;
  return options === undefined ? 'one of the forms of its description' : choiceText(options);
}

function choiceText(values: readonly unknown[]): string {
  return `${values.length > 1 ? 'one of ' : ''}${values.map(String).join(', ')}`;
}

function amount(bound: number | bigint, origin: string): string {
  const unit = measured[origin];
  return unit === undefined ? String(bound) : `${bound} ${unit}${bound === 1 ? '' : 's'}`;
}

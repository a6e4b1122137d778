import type { Json } from '#kernel';
import { listAt, objectAt, textAt } from './kube-object.ts';

/** One condition on labels. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

type Labels = Readonly<Record<string, string>> | undefined;

const setBased = /^([^\s,!=()]+)\s+(in|notin)\s*\(([^()]*)\)$/;
const equality = /^([^\s,!=()]+)\s*(==|=|!=)\s*([^\s,!=()]*)$/;
const existence = /^(!?)\s*([^\s,!=()]+)$/;

/**
 * Reads a `labelSelector` query parameter: `app=shop,tier in (web, api),!canary`. Empty text selects everything.
 *
 * @throws SyntaxError with the part that cannot be read.
 */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  if (text.trim() === '') return [];
  return splitOutsideParentheses(text).map((part) => parseRequirement(part.trim()));
}

/** Whether labels satisfy every requirement; `NotIn` holds where the label is absent, as in Kubernetes. */
export function matchesLabels(labels: Labels, requirements: readonly LabelRequirement[]): boolean {
  return requirements.every((requirement) => satisfies(labels?.[requirement.key], requirement));
}

/** The requirements of a `LabelSelector` object, by key as upstream; of a plain text (custom resources) likewise. */
export function toRequirements(selector: Json | undefined): readonly LabelRequirement[] {
  if (typeof selector === 'string') return parseLabelSelector(selector);
  const equal = Object.keys(objectAt(selector, 'matchLabels')).map((key): LabelRequirement => ({
    key,
    operator: 'In',
    values: [textAt(selector, 'matchLabels', key) ?? ''],
  }));
  return [...equal, ...listAt(selector, 'matchExpressions').map(fromExpression)].sort(byKey);
}

/** The text of a selector as `/scale` shows it: `app=shop,!canary,tier in (api,web)`. */
export function selectorText(selector: Json | undefined): string {
  if (typeof selector === 'string') return selector;
  return toRequirements(selector).map(requirementText).join(',');
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  if (operator === 'In' && values.length === 1) return `${key}=${values.join('')}`;
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${[...values].sort().join(',')})`;
}

function satisfies(value: string | undefined, { operator, values }: LabelRequirement): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

function parseRequirement(part: string): LabelRequirement {
  return parseSet(part) ?? parseEquality(part) ?? parseExistence(part);
}

function parseSet(part: string): LabelRequirement | undefined {
  const match = setBased.exec(part);
  if (match === null) return undefined;
  const [, key = '', word, list = ''] = match;
  const values = list.split(',').map((value) => value.trim());
  return { key, operator: word === 'in' ? 'In' : 'NotIn', values };
}

function parseEquality(part: string): LabelRequirement | undefined {
  const match = equality.exec(part);
  if (match === null) return undefined;
  const [, key = '', sign, value = ''] = match;
  return { key, operator: sign === '!=' ? 'NotIn' : 'In', values: [value] };
}

function parseExistence(part: string): LabelRequirement {
  const match = existence.exec(part);
  if (match === null) throw unreadable(part);
  const [, not, key = ''] = match;
  return { key, operator: not === '!' ? 'DoesNotExist' : 'Exists', values: [] };
}

function unreadable(part: string): SyntaxError {
  const found = part.trim().split(/\s+/)[1] ?? part.trim();
  return new SyntaxError(
    `unable to parse requirement: found '${found}', expected: in, notin, =, ==, !=, gt, lt`,
  );
}

/** `a in (x,y),b` → `a in (x,y)`, `b`. */
function splitOutsideParentheses(text: string): readonly string[] {
  const parts: string[] = [];
  let part = '';
  for (const [piece] of text.matchAll(/\([^)]*\)?|,|[^,(]+/g)) {
    if (piece === ',') {
      parts.push(part);
      part = '';
    } else {
      part += piece;
    }
  }
  return [...parts, part];
}

function fromExpression(expression: Json): LabelRequirement {
  const operator = textAt(expression, 'operator');
  const values = listAt(expression, 'values');
  return {
    key: textAt(expression, 'key') ?? '',
    operator: operator === 'NotIn' || operator === 'Exists' || operator === 'DoesNotExist' ? operator : 'In',
    values: values.map(String),
  };
}

function byKey(left: LabelRequirement, right: LabelRequirement): number {
  return left.key < right.key ? -1 : Number(left.key > right.key);
}

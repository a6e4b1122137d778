import { type Json, isJsonObject } from '#kernel';
import { isList, listAt, objectAt, textAt } from './kube-object.ts';

/** One condition on labels. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

type Labels = Readonly<Record<string, string>> | undefined;

const SET_BASED = /^\s*([^\s,!=()]+)\s+(in|notin)\s*\(([^()]*)\)\s*$/;
const EQUALITY = /^\s*([^\s,!=()]+)\s*(==|=|!=)\s*([^\s,!=()]*)\s*$/;
const EXISTENCE = /^\s*(!?)\s*([^\s,!=()]+)\s*$/;

/**
 * Reads a `labelSelector` query parameter: `app=shop,tier in (web, api),!canary`. Empty text selects everything.
 *
 * @throws SyntaxError with the part that cannot be read.
 */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  if (text.trim() === '') return [];
  return splitOutsideParentheses(text).map(parseRequirement);
}

/** Whether labels satisfy every requirement; `NotIn` holds where the label is absent, as in Kubernetes. */
export function matchesLabels(labels: Labels, requirements: readonly LabelRequirement[]): boolean {
  return requirements.every((requirement) => satisfies(labels?.[requirement.key], requirement));
}

/** The requirements of a `LabelSelector` object; of a plain text (custom resources) likewise. */
export function toRequirements(selector: Json | undefined): readonly LabelRequirement[] {
  if (typeof selector === 'string') return parseLabelSelector(selector);
  const equal = Object.entries(objectAt(selector, 'matchLabels')).map(([key, value]): LabelRequirement => ({
    key,
    operator: 'In',
    values: [String(value)],
  }));
  return [...equal.sort(byKey), ...listAt(selector, 'matchExpressions').map(fromExpression).sort(byKey)];
}

/** The text of a selector as `/scale` shows it: `app=shop,tier in (api,web)`. */
export function selectorText(selector: Json | undefined): string {
  if (typeof selector === 'string') return selector;
  return isJsonObject(selector) ? toRequirements(selector).map(requirementText).sort().join(',') : '';
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
  const set = SET_BASED.exec(part);
  if (set !== null) {
    const [, key = '', word, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return { key, operator: word === 'in' ? 'In' : 'NotIn', values };
  }
  const equality = EQUALITY.exec(part);
  if (equality !== null) {
    const [, key = '', sign, value = ''] = equality;
    return { key, operator: sign === '!=' ? 'NotIn' : 'In', values: [value] };
  }
  const existence = EXISTENCE.exec(part);
  if (existence === null) throw unreadable(part);
  const [, not, key = ''] = existence;
  return { key, operator: not === '!' ? 'DoesNotExist' : 'Exists', values: [] };
}

function unreadable(part: string): SyntaxError {
  const found = part.trim().split(/\s+/)[1] ?? part.trim();
  return new SyntaxError(
    `unable to parse requirement: found '${found}', expected: in, notin, =, ==, !=, gt, lt`,
  );
}

function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function fromExpression(expression: Json): LabelRequirement {
  const operator = textAt(expression, 'operator');
  const values = isJsonObject(expression) && isList(expression['values']) ? expression['values'] : [];
  return {
    key: textAt(expression, 'key') ?? '',
    operator: operator === 'NotIn' || operator === 'Exists' || operator === 'DoesNotExist' ? operator : 'In',
    values: values.map(String),
  };
}

function byKey(left: LabelRequirement, right: LabelRequirement): number {
  return left.key < right.key ? -1 : Number(left.key > right.key);
}

import { type LabelRequirement, parseLabelSelector } from '#kernel';
import { object, objects, text, texts } from './kube-object.ts';

/**
 * The selector text that an API server gives in a scale's status for a LabelSelector object: requirements by key, the
 * values of a set sorted: `app=checkout,tier in (a,b)`. No selector is the empty text.
 *
 * @see apimachinery `metav1.LabelSelectorAsSelector`
 */
export function labelSelectorText(selector: unknown): string {
  const { matchLabels, matchExpressions } = object(selector);
  const equalities = Object.entries(texts(matchLabels)).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  const expressions = objects(matchExpressions).map((expression) => {
    const values = Array.isArray(expression['values'])
      ? expression['values'].map((value) => text(value))
      : [];
    const key = text(expression['key']);
    return { key, text: expressionText(key, text(expression['operator']), values) };
  });
  return joined([...equalities, ...expressions]);
}

/** One text for all spellings of a selector, so that two can be compared; what does not parse stays as it is. */
export function canonicalSelector(selector: string): string {
  const parsed = parseLabelSelector(selector);
  if (!parsed.ok) return selector;
  return joined(
    parsed.value.map((requirement) => ({ key: requirement.key, text: requirementText(requirement) })),
  );
}

function joined(requirements: readonly { readonly key: string; readonly text: string }[]): string {
  const order = requirements.toSorted((a, b) => compare(a.key, b.key) || compare(a.text, b.text));
  return order.map((requirement) => requirement.text).join(',');
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function expressionText(key: string, operator: string, values: readonly string[]): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.toSorted().join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.toSorted().join(',')})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}

function requirementText(requirement: LabelRequirement): string {
  const { operator, key } = requirement;
  if (operator === 'Gt') return `${key}>${requirement.bound}`;
  if (operator === 'Lt') return `${key}<${requirement.bound}`;
  return expressionText(key, operator, 'values' in requirement ? requirement.values : []);
}

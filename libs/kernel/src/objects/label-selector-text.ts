import { type LabelRequirement, parseLabelSelector } from './parse-label-selector.ts';

/** A LabelSelector object, as manifests have it. */
export interface LabelSelectorFields {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    /** `In`, `NotIn`, `Exists` or `DoesNotExist` */
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

interface Part {
  readonly key: string;
  readonly text: string;
}

/**
 * The text of a LabelSelector object, as an API server writes it into a scale's status: requirements by key, the values
 * of a set sorted, as in `app=checkout,tier in (a,b)`. No requirement is the empty text.
 *
 * @see apimachinery `metav1.LabelSelectorAsSelector`
 */
export function labelSelectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelectorFields): string {
  const equalities = Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => ({
    key,
    text: expressionText(key, operator, values),
  }));
  return joined([...equalities, ...expressions]);
}

/** One text for all spellings of a selector, so that two can be compared; what does not parse stays as it is. */
export function canonicalSelectorText(selector: string): string {
  const parsed = parseLabelSelector(selector);
  if (!parsed.ok) return selector;
  return joined(
    parsed.value.map((requirement) => ({ key: requirement.key, text: requirementText(requirement) })),
  );
}

function joined(parts: readonly Part[]): string {
  const order = parts.toSorted((a, b) => compare(a.key, b.key) || compare(a.text, b.text));
  return order.map(({ text }) => text).join(',');
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
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

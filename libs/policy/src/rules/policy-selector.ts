import type { LabelSelector } from '../model/metric-spec.ts';
import type { Fields } from '../reading/fields.ts';
import { showValue } from '../reading/show-value.ts';
import { fieldsOf } from '../schema/parts.ts';
import { policySelectorSchema } from '../schema/support-documents.ts';
import { readSelectorFields } from './label-selector.ts';
import { dnsLabelFault } from './names.ts';

const selectorFields = fieldsOf(policySelectorSchema);

/** Which policies a document of ours applies to, beyond its directory: all conditions hold. */
export interface PolicySelector extends LabelSelector {
  readonly namespaces?: readonly string[];
}

/** What a selector looks at. */
export interface SelectedPolicy {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Reads `spec.selector`; one that names nothing selects everything. */
export function readPolicySelector(spec: Fields): PolicySelector | undefined {
  const fields = spec.map('selector', selectorFields);
  if (fields === undefined) return undefined;
  const namespaces = readNamespaces(fields);
  return { ...readSelectorFields(fields), ...(namespaces !== undefined && { namespaces }) };
}

function readNamespaces(fields: Fields): readonly string[] | undefined {
  return fields.list('namespaces')?.flatMap(({ value, place }) => {
    const fault = typeof value === 'string' ? dnsLabelFault(value) : 'must be a string';
    if (typeof value === 'string' && fault === undefined) return [value];
    place.report({
      code: 'InvalidValue',
      message: `an item of namespaces ${String(fault)}, is ${showValue(value)}`,
    });
    return [];
  });
}

/** How many conditions a selector has: the one with most is the nearest. */
export function selectorKeys(selector: PolicySelector): number {
  const { namespaces, matchLabels = {}, matchExpressions = [] } = selector;
  return (namespaces === undefined ? 0 : 1) + Object.keys(matchLabels).length + matchExpressions.length;
}

/** Whether every condition of a selector holds for a policy. */
export function selectsPolicy(selector: PolicySelector, policy: SelectedPolicy): boolean {
  const { namespaces, matchLabels = {}, matchExpressions = [] } = selector;
  if (namespaces !== undefined && !namespaces.includes(policy.namespace)) return false;
  const hasLabels = Object.entries(matchLabels).every(([key, value]) => labelOf(policy, key) === value);
  return hasLabels && matchExpressions.every((each) => holds(each, labelOf(policy, each.key)));
}

type Requirement = NonNullable<LabelSelector['matchExpressions']>[number];

function holds({ operator, values = [] }: Requirement, label: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return label !== undefined && values.includes(label);
    case 'NotIn':
      return label === undefined || !values.includes(label);
    case 'Exists':
      return label !== undefined;
    case 'DoesNotExist':
      return label === undefined;
  }
}

function labelOf(policy: SelectedPolicy, key: string): string | undefined {
  return Object.hasOwn(policy.labels, key) ? policy.labels[key] : undefined;
}

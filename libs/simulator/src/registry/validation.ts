import type { Json } from '#kernel';
import { type KubeObject, listAt, objectAt, textAt, textMapAt, valueAt } from '../objects/kube-object.ts';
import { matchesLabels, toRequirements } from '../objects/label-selector.ts';
import { type FieldProblem, invalidValue, negativeCount, required } from './field-problem.ts';

const subdomainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
  "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const longestName = 253;

/** What is wrong with a name; every kind shares the rule. */
export function validateName(name: string): readonly FieldProblem[] {
  if (name === '') return [required('metadata.name', 'name or generateName is required')];
  if (subdomainPattern.test(name) && name.length <= longestName) return [];
  return [invalidValue('metadata.name', name, subdomainRule)];
}

/** Deployment, ReplicaSet, StatefulSet: the count, the selector, and a template that the selector finds. */
export function validateWorkload(object: KubeObject): readonly FieldProblem[] {
  const spec = objectAt(object, 'spec');
  return [
    ...negativeCount('spec.replicas', spec['replicas']),
    ...validateSelector(spec),
    ...validateContainers(valueAt(spec, 'template', 'spec', 'containers'), 'spec.template.spec.containers'),
  ];
}

/** Job: counts and template. */
export function validateJob(object: KubeObject): readonly FieldProblem[] {
  return [
    ...negativeCount('spec.parallelism', valueAt(object, 'spec', 'parallelism')),
    ...negativeCount('spec.completions', valueAt(object, 'spec', 'completions')),
    ...validateContainers(
      valueAt(object, 'spec', 'template', 'spec', 'containers'),
      'spec.template.spec.containers',
    ),
  ];
}

/** Pod: containers. */
export function validatePod(object: KubeObject): readonly FieldProblem[] {
  return validateContainers(valueAt(object, 'spec', 'containers'), 'spec.containers');
}

function validateSelector(spec: Json): readonly FieldProblem[] {
  const selector = valueAt(spec, 'selector');
  const labels = valueAt(spec, 'template', 'metadata', 'labels');
  const mismatch = invalidValue(
    'spec.template.metadata.labels',
    labels,
    '`selector` does not match template `labels`',
  );
  if (selector === undefined) return [required('spec.selector'), mismatch];
  const map = textMapAt(labels);
  return matchesLabels(map, toRequirements(selector)) ? [] : [mismatch];
}

function validateContainers(containers: Json | undefined, field: string): readonly FieldProblem[] {
  const list = listAt(containers);
  if (list.length === 0) return [required(field)];
  return list.flatMap((container, index) => [
    ...(textAt(container, 'name') === undefined ? [required(`${field}[${index}].name`)] : []),
    ...(textAt(container, 'image') === undefined ? [required(`${field}[${index}].image`)] : []),
  ]);
}

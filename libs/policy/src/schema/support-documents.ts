import type { JsonObject } from '#kernel';
import { autoscalingPolicySpec, ownToPolicy } from './autoscaling-policy.ts';
import { definitions, list, map, type MapSchema, text, words } from './parts.ts';

const selector = definitions.selector;

/** `spec.selector` of a PolicyDefaults or PolicyGuardrail. */
export const policySelectorSchema = {
  ...selector,
  description: 'Which policies; left out, those of the directory tree.',
  properties: { namespaces: list('Namespaces.', { type: 'string' }), ...selector.properties },
};

function defaultableSpec(): MapSchema {
  const own = new Set<string>(ownToPolicy);
  const fields = Object.entries<JsonObject>(autoscalingPolicySpec.properties);
  return map(Object.fromEntries(fields.filter(([name]) => !own.has(name))));
}

/** The `spec` of a PolicyDefaults. */
export const policyDefaultsSpec = map(
  { selector: policySelectorSchema, values: defaultableSpec() },
  { required: ['values'] },
);

/** One rule of a PolicyGuardrail. */
export const guardrailRuleSchema = map(
  {
    name: text('A DNS label, unique in the document.'),
    // Longer expressions cannot be reviewed.
    expression: text('CEL over `object`, the effective policy in the native form.', { maxLength: 4096 }),
    message: text('What a person is shown.', { minLength: 1 }),
    severity: words('deny (default) rejects, warn only says so.', ['deny', 'warn']),
  },
  { required: ['name', 'expression', 'message'] },
);

/** The `spec` of a PolicyGuardrail. */
export const policyGuardrailSpec = map(
  {
    selector: policySelectorSchema,
    // More rules than this in one document are not reviewed.
    rules: list('What policies must satisfy.', guardrailRuleSchema, { minItems: 1, maxItems: 100 }),
  },
  { required: ['rules'] },
);

const anything = { type: 'object' };

/** One case of a PolicyTest. */
export const policyTestCaseSchema = map(
  {
    name: text('Unique in the document.', { minLength: 1 }),
    observation: { ...anything, description: 'As in the decision contract.' },
    memory: anything,
    expect: { ...anything, minProperties: 1, description: 'Fields of the decision that must be so.' },
  },
  { required: ['name', 'observation', 'expect'] },
);

/** The `spec` of a PolicyTest. */
export const policyTestSpec = map(
  {
    policy: map(
      { namespace: text('Its namespace.'), name: text('Its name.') },
      { required: ['namespace', 'name'] },
    ),
    settings: anything,
    // More cases than this in one document belong into several.
    cases: list('Observations and the decisions expected of them.', policyTestCaseSchema, { maxItems: 500 }),
  },
  { required: ['policy', 'cases'] },
);

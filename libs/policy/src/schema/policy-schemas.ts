import type { JsonObject } from '#kernel';
import { autoscalingPolicySpec } from './autoscaling-policy.ts';
import { behaviorSchema, metricsSchema } from './metrics.ts';
import { definitions, list, map, reference, scaleTargetRef, text, whole, words } from './parts.ts';
import { watermarkSpec } from './watermark-pod-autoscaler.ts';

const home = 'https://plimsoll.dev/schemas';

/** A JSON Schema a kind, by the name of its file: for completion and checks in editors. */
export const policySchemas: Readonly<Record<string, JsonObject>> = {
  'autoscaling-policy': schema('AutoscalingPolicy', 'plimsoll.dev/v1alpha1', autoscalingPolicySpec),
  'horizontal-pod-autoscaler': schema(
    'HorizontalPodAutoscaler',
    'autoscaling/v2',
    map(
      {
        scaleTargetRef,
        minReplicas: whole('By default 1; 0 needs an Object or External metric.', {
          minimum: 0,
          type: ['integer', 'null'],
        }),
        maxReplicas: whole('At least minReplicas.', { minimum: 1 }),
        metrics: metricsSchema('autoscaling/v2'),
        behavior: behaviorSchema('autoscaling/v2'),
      },
      { required: ['scaleTargetRef', 'maxReplicas'] },
    ),
  ),
  'watermark-pod-autoscaler': schema('WatermarkPodAutoscaler', 'datadoghq.com/v1alpha1', watermarkSpec),
  'policy-defaults': schema(
    'PolicyDefaults',
    'plimsoll.dev/v1alpha1',
    map({ selector: policySelector(), values: defaultableSpec() }, { required: ['values'] }),
  ),
  'policy-guardrail': schema(
    'PolicyGuardrail',
    'plimsoll.dev/v1alpha1',
    map(
      {
        selector: policySelector(),
        rules: list('What policies must satisfy.', guardrailRule(), { minItems: 1, maxItems: 100 }),
      },
      { required: ['rules'] },
    ),
  ),
  'policy-test': schema('PolicyTest', 'plimsoll.dev/v1alpha1', policyTestSpec()),
};

function schema(kind: string, apiVersion: string, spec: JsonObject): JsonObject {
  const file = kind.replace(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `${home}/${file}.json`,
    title: kind,
    type: 'object',
    additionalProperties: false,
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      apiVersion: { const: apiVersion },
      kind: { const: kind },
      metadata: reference('metadata'),
      spec,
      status: { description: 'Not looked at.' },
    },
    $defs: definitions,
  };
}

function policySelector(): JsonObject {
  const { properties } = definitions['selector'] ?? {};
  return {
    ...definitions['selector'],
    description: 'Which policies; left out, those of the directory tree.',
    properties: { namespaces: list('Namespaces.', { type: 'string' }), ...(properties as JsonObject) },
  };
}

function defaultableSpec(): JsonObject {
  const own = new Set(['scaleTargetRef', 'enabled', 'replicas', 'schedules', 'freeze']);
  const { type, additionalProperties, properties } = autoscalingPolicySpec;
  const fields = Object.entries(properties as JsonObject).filter(([name]) => !own.has(name));
  return { type, additionalProperties, properties: Object.fromEntries(fields) };
}

function guardrailRule(): JsonObject {
  return map(
    {
      name: text('A DNS label, unique in the document.'),
      expression: text('CEL over `object`, the effective policy in the native form.', { maxLength: 4096 }),
      message: text('What a person is told.', { minLength: 1 }),
      severity: words('deny (default) rejects, warn only says so.', ['deny', 'warn']),
    },
    { required: ['name', 'expression', 'message'] },
  );
}

function policyTestSpec(): JsonObject {
  const anything = { type: 'object' };
  const testCase = map(
    {
      name: text('Unique in the document.', { minLength: 1 }),
      observation: { ...anything, description: 'As in the decision contract.' },
      memory: anything,
      expect: { ...anything, description: 'Fields of the decision that must be so.' },
    },
    { required: ['name', 'observation', 'expect'] },
  );
  return map(
    {
      policy: map(
        { namespace: text('Its namespace.'), name: text('Its name.') },
        { required: ['namespace', 'name'] },
      ),
      settings: anything,
      cases: list('Observations and the decisions expected of them.', testCase, { maxItems: 500 }),
    },
    { required: ['policy', 'cases'] },
  );
}

import type { JsonObject } from '#kernel';
import { autoscalingPolicySpec } from './autoscaling-policy.ts';
import { horizontalPodAutoscalerSpec } from './horizontal-pod-autoscaler.ts';
import { definitions, policyDocument, supportDocument } from './parts.ts';
import { policyDefaultsSpec, policyGuardrailSpec, policyTestSpec } from './support-documents.ts';
import { watermarkSpec } from './watermark-pod-autoscaler.ts';

const home = 'https://plimsoll.dev/schemas';
const version = 'plimsoll.dev/v1alpha1';

/** A JSON Schema per kind, by the name of its file: for completion and checks in editors. */
export const policySchemas: Readonly<Record<string, JsonObject>> = {
  'autoscaling-policy': policySchema('AutoscalingPolicy', version, autoscalingPolicySpec),
  'horizontal-pod-autoscaler': policySchema(
    'HorizontalPodAutoscaler',
    'autoscaling/v2',
    horizontalPodAutoscalerSpec,
  ),
  'watermark-pod-autoscaler': policySchema('WatermarkPodAutoscaler', 'datadoghq.com/v1alpha1', watermarkSpec),
  'policy-defaults': supportSchema('PolicyDefaults', policyDefaultsSpec),
  'policy-guardrail': supportSchema('PolicyGuardrail', policyGuardrailSpec),
  'policy-test': supportSchema('PolicyTest', policyTestSpec),
};

function policySchema(kind: string, apiVersion: string, spec: JsonObject): JsonObject {
  const fields = { apiVersion: { const: apiVersion }, kind: { const: kind }, spec };
  return schema(kind, { ...policyDocument.properties, ...fields }, definitions);
}

/** Nothing sets metadata or a status in a document of ours that is no policy, so it has no field but our own. */
function supportSchema(kind: string, spec: JsonObject): JsonObject {
  const fields = { apiVersion: { const: version }, kind: { const: kind }, spec };
  const metadata = { ...definitions.metadata, additionalProperties: false };
  return schema(kind, { ...supportDocument.properties, ...fields }, { ...definitions, metadata });
}

function schema(kind: string, properties: JsonObject, $defs: JsonObject): JsonObject {
  const file = kind.replace(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `${home}/${file}.json`,
    title: kind,
    type: 'object',
    additionalProperties: false,
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties,
    $defs,
  };
}

export type { ConversionTarget } from './convert/convert-autoscaler.ts';
export { type ConversionSource, type ConvertedFile, convertFile } from './convert/convert-file.ts';
export { importDocument, type ImportedDocument } from './convert/import-document.ts';
export { CronWindows, type WindowInForce } from './cron/cron-windows.ts';
export {
  type DefaultsConflict,
  type DefaultsLayer,
  mergeDefaults,
  type MergedSpec,
} from './defaults/merge-defaults.ts';
export { type PolicyDefaults, readPolicyDefaults } from './defaults/policy-defaults.ts';
export {
  byPosition,
  type Diagnostic,
  type FilePlace,
  type Problem,
  sentenceOf,
  type Severity,
} from './diagnostics/diagnostic.ts';
export type { DiagnosticCode } from './diagnostics/diagnostic-code.ts';
export { compareDocuments, type FieldChange } from './diff/compare-documents.ts';
export { comparePolicies } from './diff/compare-policies.ts';
export { parsePolicyJson, type PolicyReading, readPolicy } from './documents/parse-policy.ts';
export { locateField, locateProblems, readPolicyDocument } from './documents/policy-document.ts';
export {
  type OtherKindDocument,
  type PolicyFile,
  type PolicyFileDocument,
  type PolicyFileSource,
  readPolicyFile,
  unparsedPolicyFile,
} from './documents/policy-file.ts';
export { type GuardrailFinding, judgePolicy } from './guardrails/judge-policy.ts';
export {
  type GuardrailRule,
  type PolicyGuardrail,
  readPolicyGuardrail,
} from './guardrails/policy-guardrail.ts';
export { StepBudget } from './guardrails/step-budget.ts';
export type { DocumentIdentity, PolicyForm, SupportKind } from './kinds/identify-document.ts';
export { type PolicyTest, type PolicyTestCase, readPolicyTest } from './kinds/policy-test.ts';
export type { ReadContext } from './kinds/read-context.ts';
export type { SupportReading } from './kinds/support-document.ts';
export { writtenInterval } from './kinds/written-interval.ts';
export type { BehaviorRules, DirectionRules, RatePolicy } from './model/behavior.ts';
export type {
  Actuation,
  EffectivePolicy,
  FreezeSpec,
  LifecycleBlock,
  PolicyDocumentKind,
  PolicyFamily,
  RecommenderSpec,
  RecommenderTls,
  ScaleTargetRef,
  ScheduleSpec,
  SelectionStrategy,
} from './model/effective-policy.ts';
export type {
  DescribedObject,
  LabelSelector,
  LabelSelectorRequirement,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ResourceTarget,
  Tolerance,
  WatermarkTarget,
} from './model/metric-spec.ts';
export { metricDocument, toNativeDocument } from './model/native-document.ts';
export { leafValues, type ValuePath } from './provenance/leaf-values.ts';
export { traceValues } from './provenance/trace-values.ts';
export { pathText } from './reading/place.ts';
export { hasPlaceholder } from './reading/placeholder.ts';
export { plainJson } from './reading/plain-json.ts';
export { quantityFields } from './reading/quantities.ts';
export { showValue } from './reading/show-value.ts';
export { suggest } from './reading/suggest.ts';
export {
  type PolicySelector,
  type SelectedPolicy,
  selectorKeys,
  selectsPolicy,
} from './rules/policy-selector.ts';
export { mayBeFilled } from './schema/may-be-filled.ts';
export { policySchemas } from './schema/policy-schemas.ts';
export { defaultYamlLimits, type YamlLimits } from './yaml/limits.ts';
export { bytesMentionPolicyKind, mentionsAnything, mentionsPolicyKind } from './yaml/mentions.ts';
export { readYaml, type YamlFile, type YamlSource } from './yaml/read-yaml.ts';
export type { YamlDocument } from './yaml/yaml-document.ts';
export type { Position } from './yaml/yaml-tree.ts';

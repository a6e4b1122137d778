export { byPosition, type Diagnostic, type Problem, type Severity } from './diagnostic.ts';
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
export { parsePolicyJson, readPolicy, type PolicyReading } from './parse-policy.ts';
export type { ReadContext } from './kinds/read-context.ts';
export type { ProblemCode } from './reading/problem-code.ts';
export { pathText } from './reading/place.ts';
export { locateField, locateProblems, readPolicyDocument } from './policy-document.ts';
export {
  readPolicyFile,
  unparsedPolicyFile,
  type PolicyFile,
  type PolicyFileDocument,
  type PolicyFileKind,
  type PolicyFileSource,
} from './policy-file.ts';
export type { KindOfDocument, PolicyKindId, SupportKind } from './kinds/identify-kind.ts';
export { defaultYamlLimits, type YamlLimits } from './yaml/limits.ts';
export { bytesMentionPolicyKind, mentionsAnything, mentionsPolicyKind } from './yaml/mentions.ts';
export { readYaml, type YamlFile, type YamlSource } from './yaml/read-yaml.ts';
export type { YamlDocument } from './yaml/yaml-document.ts';
export type { Position } from './yaml/yaml-tree.ts';
export {
  admit,
  type Admission,
  type AdmissionInput,
  prepareAdmission,
  type TenantAdmission,
} from './admission/admit.ts';
export {
  type DocumentInForce,
  type ForeignPolicy,
  identityKey,
  type SourceInForce,
  targetKey,
} from './admission/in-force.ts';
export { type Conflicts, findConflicts } from './admission/find-conflicts.ts';
export { findMoves, type Move } from './admission/find-moves.ts';
export { PolicyDigests } from './admission/policy-digests.ts';
export { isSameJson } from './admission/same-json.ts';
export { wasBesideIn } from './admission/was-beside.ts';
export type { ResolveContext, ResolvedPolicy } from './admission/resolve-documents.ts';
export { PolicyFileCache, type PolicyFileReader } from './repository/file-cache.ts';
export { noOverlays, type Overlays } from './repository/overlays.ts';
export { OverlayCache } from './repository/overlay-cache.ts';
export { readOverlays, readOverlaysInSteps } from './repository/read-overlays.ts';
export type { FileContent } from './repository/file-content.ts';
export { readRepository, readRepositoryInSteps, type RepositoryInput } from './repository/read-repository.ts';
export { surveyTree, type SurveyedFile } from './repository/survey-tree.ts';
export {
  defaultRepositoryLimits,
  type RepositoryLimits,
  type RepositoryOptions,
  rootTenant,
  type TenantLimits,
  type TenantOptions,
} from './repository/repository-options.ts';
export type {
  DocumentRole,
  FileVerdict,
  RepositoryDocument,
  RepositoryReading,
  TenantDiagnostic,
  UntakenDocument,
} from './repository/repository-reading.ts';
export { isYamlPath, type LeftOutReason, listIgnoreFiles } from './repository/select-files.ts';
export type { TreeFile } from './repository/tree.ts';
export {
  mergeDefaults,
  type DefaultsConflict,
  type DefaultsLayer,
  type MergedSpec,
} from './defaults/merge-defaults.ts';
export { readPolicyDefaults, type PolicyDefaults } from './defaults/policy-defaults.ts';
export { judgePolicy, type GuardrailFinding } from './guardrails/judge-policy.ts';
export {
  readPolicyGuardrail,
  type GuardrailRule,
  type PolicyGuardrail,
} from './guardrails/policy-guardrail.ts';
export type { SupportReading } from './kinds/support-document.ts';
export { toNativeDocument } from './native-document.ts';
export {
  selectorKeys,
  selectsPolicy,
  type PolicySelector,
  type SelectedPolicy,
} from './rules/policy-selector.ts';
export { readPolicyTest, type PolicyTest, type PolicyTestCase } from './tests/policy-test.ts';
export {
  findHolds,
  type HoldCause,
  type HoldCauseCode,
  type HoldInput,
  type HoldScope,
  proposeHold,
  type ProposedHold,
  type ResultingTenant,
  resultOf,
} from './admission/find-holds.ts';
export type { ResolveCache } from './admission/resolve-documents.ts';
export type { DocumentCache } from './repository/file-cache.ts';
export { policySchemas } from './schema/policy-schemas.ts';
export { globProblem } from './repository/glob.ts';
export { findTenantProblems, type TenantProblem } from './repository/tenant-problems.ts';
export { resolveDocuments, type ResolvedSet } from './admission/resolve-documents.ts';
export { showValue } from './reading/show-value.ts';
export { suggest } from './reading/suggest.ts';
export { convertFile, type ConversionSource, type ConvertedFile } from './convert/convert-file.ts';
export type { ConversionTarget } from './convert/convert-autoscaler.ts';
export { comparePolicies, type FieldChange } from './diff/compare-policies.ts';
export { importDocument, type ImportedDocument } from './convert/import-document.ts';

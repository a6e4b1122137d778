export type { Diagnostic, Problem, Severity } from './diagnostic.ts';
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

export { decide } from './decide.ts';
export { parseDecideInput, type ParsePolicy } from './input/parse-decide-input.ts';
export type { DecideInput, DecideInputError, DecideInputErrorCode } from './model/decide-input.ts';
export type {
  Action,
  Condition,
  CurrentValue,
  DecideOutput,
  Decision,
  FailureReport,
  FilteredPod,
  FilterReason,
  MetricReport,
  MetricReportType,
  PodGroups,
  RuleId,
  SelectionReport,
  Step,
} from './model/decision.ts';
export type { ConditionStatus, Memory, RememberedCondition, TimedReplicas } from './model/memory.ts';
export type {
  ContainerSample,
  Direction,
  FreezeWindow,
  Intervention,
  Observation,
  ObservationFailure,
  ObservedContainer,
  ObservedLifecycle,
  ObservedMetric,
  ObservedOwner,
  ObservedPod,
  ObservedRecommendation,
  ObservedScale,
  ObservedWindow,
  Optional,
  OverrideIntervention,
  OwnerReference,
  PodSample,
  QuantityText,
  ResourceQuantities,
  ScheduleWindow,
  SuspendIntervention,
} from './model/observation.ts';
export { defaultSettings, type FeatureGates, type Settings } from './model/settings.ts';
export { memoryAfterFailedWrite, memoryWithoutWrite } from './pass/memory-after-pass.ts';
export { decisionSchemas } from './schemas.ts';
export { contractVersion as CONTRACT_VERSION, engineVersion as ENGINE_VERSION } from './version.ts';

export { conditionMessage, rememberedMessage } from './condition-message.ts';
export { decide } from './decide.ts';
export { decisionSchemas } from './decision-schemas.ts';
export { contractVersion, engineVersion, knownContractVersions } from './engine-version.ts';
export { describeIntervention } from './evaluation/describe-intervention.ts';
export { isDryRun } from './evaluation/is-dry-run.ts';
export { memoryAfterChange, memoryAfterFailedWrite, memoryWithoutWrite } from './evaluation/memory-after.ts';
export { parseDecideInput, type ParsePolicy } from './input/parse-decide-input.ts';
export { countReadyReplicas } from './metrics/count-ready-replicas.ts';
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
export { actions } from './model/decision.ts';
export type { ConditionStatus, Memory, RememberedCondition, TimedReplicas } from './model/memory.ts';
export type {
  ContainerSample,
  Direction,
  DryRunIntervention,
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
export { replaceBounds } from './rules/bounds.ts';
export { latestPin } from './rules/override.ts';

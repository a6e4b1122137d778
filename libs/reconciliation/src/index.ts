export { FleetBrake, type FleetBrakeSettings } from './brake/fleet-brake.ts';
export { type EffectiveLimits, effectiveLimits, type InForce, type Stop } from './hpa/effective-limits.ts';
export { versionedHpaDocument } from './hpa/hpa-document.ts';
export { isRendered } from './hpa/plan-actuation.ts';
export { readNativeAutoscaler } from './hpa/read-native-autoscaler.ts';
export { departuresInFreezes } from './hpa/render-behavior.ts';
export { renderedDepartures } from './hpa/render-hpa.ts';
export { isInScope, mayActOn, scopesOf } from './interventions/intervention-scope.ts';
export type { FullShare } from './interventions/intervention-shares.ts';
export {
  expiryActor,
  type InterventionTerms,
  recordedIntervention,
} from './interventions/recorded-intervention.ts';
export {
  type EndRequest,
  type InterventionFailure,
  type RecordedBeginning,
  StandingInterventions,
} from './interventions/standing-interventions.ts';
export type { LeaveForesight } from './leave/foresee-leave.ts';
export type { LeaveOutcome } from './leave/leave-target.ts';
export { hpaOutOfReach, keptHpa, type OrphanedHpa, unexplainedHpa } from './leave/orphaned-hpas.ts';
export type { LeaveTarget, LeftTarget } from './leave/plan-leave.ts';
export { SettledTime } from './observe/settled-time.ts';
export { describeDoubt, SettledWindows } from './observe/settled-windows.ts';
export { eventReasons, lifecycleReasons } from './outcome/event-reasons.ts';
export { outcomeOfReady, type ShownOutcome } from './outcome/outcome-of-ready.ts';
export type { PassOutcome } from './outcome/pass-outcome.ts';
export { type PolicyCondition, policyConditionTypes } from './outcome/policy-conditions.ts';
export type { ReadyCondition } from './outcome/ready-condition.ts';
export { managesNamespace, type ReconcileOptions, type ReconcilePorts } from './pass/pass.ts';
export type { ControllerMode } from './plan/plan-write.ts';
export { type ActivePolicy, type CommitReference, type PolicyOrigin } from './policies/active-policy.ts';
export {
  aggregatedSources,
  metricSourcesOf,
  prometheusSource,
  recommenderHost,
  recommenderSource,
} from './policies/metric-sources.ts';
export { type ScaleTarget, scaleTargetOf } from './policies/scale-target.ts';
export type { ActivePoliciesPort } from './ports/active-policies.port.ts';
export type { ClockPort } from './ports/clock.port.ts';
export type { CompetingAutoscaler, CompetingAutoscalersPort } from './ports/competing-autoscalers.port.ts';
export { isVersionManager, plimsollManager, versionManagers } from './ports/field-manager.ts';
export type { JournalPort, JournalRefusal, JournalRequest } from './ports/journal.port.ts';
export type { EventSubject, KubernetesEvent, KubernetesEventsPort } from './ports/kubernetes-events.port.ts';
export type { LogLine, LogPort } from './ports/log.port.ts';
export type { CountedLosses, LossStorePort, ReadLosses, StoredLosses } from './ports/loss-store.port.ts';
export type { MetricsPort, MetricsQuery, MetricsTick, NamespaceMetrics } from './ports/metrics.port.ts';
export type {
  AutoscalerName,
  AutoscalerReading,
  AutoscalerReplacement,
  AutoscalerRetirementOutcome,
  AutoscalerVersionRetirement,
  AutoscalerWriteOutcome,
  LiveAutoscaler,
  NativeAutoscaler,
  NativeAutoscalerListing,
  NativeAutoscalersPort,
  OwnedAutoscaler,
} from './ports/native-autoscalers.port.ts';
export type { ObjectReading, ObjectReference, ObjectsPort } from './ports/objects.port.ts';
export type { OwnersPort, OwnersQuery, OwnersReading } from './ports/owners.port.ts';
export type { PassReport, PassReportsPort } from './ports/pass-reports.port.ts';
export type { PassSeriesPort } from './ports/pass-series.port.ts';
export type { PodListing, PodQuery, PodsPort } from './ports/pods.port.ts';
export type { ReadFailure } from './ports/read-failure.ts';
export type {
  RecommendationQuery,
  RecommendationReading,
  RecommendersPort,
} from './ports/recommenders.port.ts';
export type {
  ReplicaChange,
  ReplicaChangeListener,
  ReplicaChangesPort,
} from './ports/replica-changes.port.ts';
export type {
  ReplicasWriter,
  Rollout,
  ScaleFreshness,
  ScalePort,
  ScaleQuery,
  ScaleReading,
  ScaleState,
  ScaleWrite,
  ScaleWriteFailure,
  ScaleWriteOutcome,
  VersionRetirement,
  VersionRetirementOutcome,
} from './ports/scale.port.ts';
export type { ShardsPort } from './ports/shards.port.ts';
export { type Span, type SpanAttributes, type TracesPort, untraced } from './ports/traces.port.ts';
export type { WindowedPolicy, WindowsPort } from './ports/windows.port.ts';
export { Reconciler, type ReconcilerDependencies } from './reconciler.ts';
export { listRecordedHpas, loadKeptHpas } from './restore/recorded-policies.ts';
export { terminatingHpa } from './runtime/departed-policies.ts';

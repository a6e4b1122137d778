/** The reasons of Events, with their types. `docs/spec/events.md` says of what object each is, and when it comes. */
export const eventReasons = {
  // Upstream's of the HorizontalPodAutoscaler.
  SuccessfulRescale: 'Normal',
  FailedGetScale: 'Warning',
  SelectorRequired: 'Warning',
  InvalidSelector: 'Warning',
  AmbiguousSelector: 'Warning',
  FailedGetResourceMetric: 'Warning',
  FailedGetContainerResourceMetric: 'Warning',
  FailedGetPodsMetric: 'Warning',
  FailedGetObjectMetric: 'Warning',
  FailedGetExternalMetric: 'Warning',
  InvalidMetricSourceType: 'Warning',
  FailedComputeMetricsReplicas: 'Warning',
  FailedRescale: 'Warning',
  FailedUpdateScale: 'Warning',
  FailedUpdateStatus: 'Warning',
  // Upstream's of the WatermarkPodAutoscaler.
  Scaling: 'Normal',
  NotScaling: 'Normal',
  FailedScale: 'Warning',
  // Plimsoll's.
  StrategyChanged: 'Normal',
  SelectionStrategyActive: 'Normal',
  OwnerLookupFailed: 'Warning',
  FailedGetPrometheusMetric: 'Warning',
  Conflict: 'Warning',
  Contested: 'Warning',
  FieldNotSupported: 'Warning',
  WriteRefused: 'Warning',
  FailedUpdateHpa: 'Warning',
  CacheNotSynced: 'Warning',
  CompetitorsUnknown: 'Warning',
  PodsUnknown: 'Warning',
  RestoreDelayed: 'Warning',
  HpaChanged: 'Warning',
  HpaLeaving: 'Warning',
  HpaUnknown: 'Warning',
  ScaleChanged: 'Warning',
  WriteInDoubt: 'Warning',
  Holding: 'Warning',
  LedgerUnavailable: 'Warning',
  PassTimedOut: 'Warning',
  AdapterFailed: 'Warning',
} as const satisfies Readonly<Record<string, 'Normal' | 'Warning'>>;

/** Reasons with the kind of the object that blocks a policy in them, as the Watermark Pod Autoscaler has its own. */
export const lifecycleReasons = ['FailedGet<Kind>', '<Kind>NotOK'] as const;

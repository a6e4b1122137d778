/** The controller's settings with their defaults filled in. */
export interface Settings {
  /** The global tolerance: a float64 ≥ 0 as it stands. */
  readonly tolerance: number;
  readonly downscaleStabilizationSeconds: number;
  readonly cpuInitializationPeriodSeconds: number;
  readonly initialReadinessDelaySeconds: number;
  /** Null: no limit, as upstream. */
  readonly maximumSampleAgeSeconds: number | null;
  /** How far after the observation a time may lie before it is not believed; null: no limit, as upstream. */
  readonly maximumFutureSeconds: number | null;
  /** The limit of the path without `behavior`: at most `factor` × the present count, or `minimum` if that is more. */
  readonly legacyScaleUpLimit: { readonly factor: number; readonly minimum: number };
  readonly featureGates: FeatureGates;
}

export interface FeatureGates {
  readonly SelectionStrategy: boolean;
  readonly ScaleToZero: boolean;
  readonly ConfigurableTolerance: boolean;
  readonly PodLevelResources: boolean;
}

/** The shipped values. */
export const defaultSettings: Settings = {
  tolerance: 0.1,
  downscaleStabilizationSeconds: 300,
  cpuInitializationPeriodSeconds: 300,
  initialReadinessDelaySeconds: 30,
  maximumSampleAgeSeconds: null,
  maximumFutureSeconds: null,
  legacyScaleUpLimit: { factor: 2, minimum: 4 },
  featureGates: {
    SelectionStrategy: true,
    ScaleToZero: true,
    ConfigurableTolerance: true,
    PodLevelResources: true,
  },
};

import fc from 'fast-check';
import { arbitraryMetrics, type GeneratedMetric } from './arbitrary-metrics.ts';
import { arbitraryPods, type GeneratedPod } from './arbitrary-pods.ts';
import { arbitraryTime, at } from './arbitrary-times.ts';

const count = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 13, max: 200 }) },
);
const rates = fc.record({
  type: fc.constantFrom('Pods', 'Percent'),
  value: fc.constantFrom(1, 2, 4, 10, 15, 33, 50, 100, 200),
  periodSeconds: fc.constantFrom(15, 30, 60, 300),
});
const direction = fc.record(
  {
    stabilizationWindowSeconds: fc.constantFrom(0, 15, 60, 300),
    selectPolicy: fc.constantFrom('Max', 'Min', 'Disabled'),
    policies: fc.array(rates, { minLength: 1, maxLength: 3 }),
    tolerance: fc.constantFrom('0', '0.05', '0.1', '118m', '0.5', '2'),
  },
  { requiredKeys: [] },
);
const behavior = fc.record({ scaleUp: direction, scaleDown: direction }, { requiredKeys: [] });
const settings = fc.record(
  {
    tolerance: fc.constantFrom(0, 0.05, 0.1, 0.3),
    downscaleStabilizationSeconds: fc.constantFrom(0, 60, 300),
    cpuInitializationPeriodSeconds: fc.constantFrom(0, 120, 300),
    initialReadinessDelaySeconds: fc.constantFrom(0, 10, 30),
    legacyScaleUpLimit: fc.constantFrom({ factor: 2, minimum: 4 }, { factor: 8, minimum: 4 }),
    featureGates: fc.record(
      { ScaleToZero: fc.boolean(), ConfigurableTolerance: fc.boolean(), PodLevelResources: fc.boolean() },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const timed = fc.array(fc.record({ replicas: fc.integer({ min: 0, max: 15 }), time: arbitraryTime }), {
  maxLength: 5,
});
const conditions = fc.uniqueArray(
  fc.record({
    type: fc.constantFrom('AbleToScale', 'ScalingActive', 'ScalingLimited', 'ScaledToZero'),
    status: fc.constantFrom('True', 'False'),
    reason: fc.constant('Remembered'),
    lastTransitionTime: fc.constant(at(1_000)),
  }),
  { selector: ({ type }) => type },
);
const memory = fc.record(
  {
    recommendations: timed,
    scaleUpEvents: timed,
    scaleDownEvents: timed,
    lastScaleTime: arbitraryTime,
    conditions,
  },
  { requiredKeys: [] },
);
const selector = fc.oneof(
  { weight: 30, arbitrary: fc.constant('app=checkout') },
  fc.constantFrom('', 'app in (a', 'app in (checkout,b),!canary', 'tier>1', '=x', 'a,,b'),
);

/** One line of the decision contract that upstream's controller can answer, near the boundaries of its rules. */
export const arbitraryInput: fc.Arbitrary<unknown> = arbitraryPods.chain((pods) =>
  arbitraryMetrics(pods).chain((metrics) => inputOf(pods, metrics)),
);

function inputOf(pods: readonly GeneratedPod[], metrics: readonly GeneratedMetric[]): fc.Arbitrary<unknown> {
  return fc.record({
    policy: policyOf(metrics),
    settings,
    observation: observationOf(pods, metrics),
    memory,
  });
}

function policyOf(metrics: readonly GeneratedMetric[]): fc.Arbitrary<unknown> {
  const mayBeZero = metrics.some(({ spec }) => /"type":"(Object|External)"/u.test(JSON.stringify(spec)));
  const bounds = fc.record({
    minReplicas: fc.constantFrom(1, 1, 2, 5, ...(mayBeZero ? [0, 0] : [])),
    maxReplicas: fc.constantFrom(5, 8, 10, 20, 1_000),
  });
  const spec = fc.record({
    scaleTargetRef: fc.constant({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' }),
    metrics: fc.constant(metrics.map((metric) => metric.spec)),
  });
  return fc
    .tuple(spec, bounds, fc.option(behavior, { nil: undefined }), fc.boolean())
    .map(([base, limits, rules, isNative]) => ({
      // An empty behavior counts as set in an HPA document only.
      ...(isNative && !isEmpty(rules) ? native : foreign),
      metadata: { name: 'checkout', namespace: 'shop' },
      spec: { ...base, ...limits, ...(rules === undefined ? {} : { behavior: rules }) },
    }));
}

const native = { apiVersion: 'plimsoll.dev/v1alpha1', kind: 'AutoscalingPolicy' };
const foreign = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' };

function isEmpty(rules: object | undefined): boolean {
  return rules !== undefined && Object.values(rules).every((of: object) => Object.keys(of).length === 0);
}

function observationOf(
  pods: readonly GeneratedPod[],
  metrics: readonly GeneratedMetric[],
): fc.Arbitrary<unknown> {
  const competing =
    pods.length > 0 ? fc.constantFrom([], [], [], [], [], [], ['shop/other']) : fc.constant([]);
  const replicas = count.chain((specReplicas) =>
    fc.record({
      specReplicas: fc.constant(specReplicas),
      statusReplicas: fc.oneof({ weight: 3, arbitrary: fc.constant(specReplicas) }, count),
      selector,
    }),
  );
  return fc.record({
    time: fc.constant(at(0)),
    scale: replicas,
    pods: fc.constant(pods),
    metrics: fc.constant(metrics.map((metric) => metric.observed)),
    competingPolicies: competing,
  });
}

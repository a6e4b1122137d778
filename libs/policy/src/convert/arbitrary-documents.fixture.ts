import fc from 'fast-check';
import { stringify } from 'yaml';

const optional = (values: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
  fc.record(values, { requiredKeys: [] });
const quantity = fc.constantFrom<unknown>('250m', '1.5', 3, '10', '2Gi', '1e2', 7);
const name = fc.constantFrom('queue', 'requests-per-second', 'no', '010', 'a.b');
const selector = fc.constantFrom<unknown>(
  {},
  { matchLabels: { app: 'web', version: '1' } },
  { matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'yes'] }] },
);

const rate = fc.record({
  type: fc.constantFrom('Pods', 'Percent'),
  value: fc.integer({ min: 1, max: 100 }),
  periodSeconds: fc.integer({ min: 1, max: 1800 }),
});
const direction = optional({
  stabilizationWindowSeconds: fc.integer({ min: 0, max: 3600 }),
  selectPolicy: fc.constantFrom('Max', 'Min', 'Disabled', null),
  policies: fc.array(rate, { minLength: 1, maxLength: 2 }),
  tolerance: fc.constantFrom('0.05', 0.1, '50m'),
});
const behavior = optional({ scaleUp: fc.option(direction), scaleDown: direction });

const v2Metric = fc.oneof(
  fc.integer({ min: 1, max: 100 }).map((averageUtilization) => ({
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
  })),
  quantity.map((averageValue) => ({
    type: 'ContainerResource',
    containerResource: { name: 'memory', container: 'app', target: { type: 'AverageValue', averageValue } },
  })),
  fc.tuple(name, selector, quantity).map(([metric, labels, value]) => ({
    type: 'External',
    external: { metric: { name: metric, selector: labels }, target: { type: 'Value', value } },
  })),
);
const olderMetric = fc.oneof(
  fc.integer({ min: 1, max: 100 }).map((targetAverageUtilization) => ({
    type: 'Resource',
    resource: { name: 'cpu', targetAverageUtilization },
  })),
  fc.tuple(name, selector, quantity).map(([metricName, labels, targetAverageValue]) => ({
    type: 'Pods',
    pods: { metricName, selector: labels, targetAverageValue },
  })),
  fc.tuple(name, quantity, fc.option(quantity)).map(([metricName, targetValue, averageValue]) => ({
    type: 'Object',
    object: {
      target: { kind: 'Ingress', name: 'web' },
      metricName,
      targetValue,
      ...(averageValue !== null && { averageValue }),
    },
  })),
  fc.tuple(name, selector, quantity, fc.boolean()).map(([metricName, metricSelector, value, isAverage]) => ({
    type: 'External',
    external: {
      metricName,
      metricSelector,
      ...(isAverage ? { targetAverageValue: value } : { targetValue: value }),
    },
  })),
);

const bounds = fc
  .tuple(fc.option(fc.integer({ min: 1, max: 5 })), fc.integer({ min: 5, max: 50 }))
  .map(([minReplicas, maxReplicas]) => ({ minReplicas, maxReplicas }));
const document = (
  apiVersion: string,
  spec: fc.Arbitrary<object>,
  annotations: fc.Arbitrary<object>,
): fc.Arbitrary<object> =>
  fc.tuple(bounds, spec, annotations).map(([limits, rest, notes]) => ({
    apiVersion,
    kind: apiVersion.startsWith('datadog') ? 'WatermarkPodAutoscaler' : 'HorizontalPodAutoscaler',
    metadata: {
      name: 'web',
      namespace: 'shop',
      labels: { team: 'no' },
      annotations: { owner: '1', ...notes },
      uid: 'u',
    },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, ...limits, ...rest },
    status: { currentReplicas: 1 },
  }));

const alpha = 'autoscaling.alpha.kubernetes.io/';
const v1Annotations = fc
  .tuple(
    fc.option(fc.array(olderMetric, { maxLength: 3 })),
    fc.option(fc.array(rate, { minLength: 1, maxLength: 2 })),
  )
  .map(([metrics, policies]) => ({
    ...(metrics !== null && { [`${alpha}metrics`]: JSON.stringify(metrics) }),
    ...(policies !== null && { [`${alpha}behavior`]: JSON.stringify({ scaleUp: { policies } }) }),
  }));
const noAnnotations = fc.constant({});
/** HorizontalPodAutoscalers of every version. */
export const autoscalers = fc.oneof(
  document(
    'autoscaling/v2',
    optional({ metrics: fc.array(v2Metric, { maxLength: 3 }), behavior }),
    noAnnotations,
  ),
  document(
    'autoscaling/v2beta2',
    optional({ metrics: fc.array(v2Metric, { maxLength: 3 }), behavior }),
    noAnnotations,
  ),
  document(
    'autoscaling/v2beta1',
    optional({ metrics: fc.array(olderMetric, { maxLength: 3 }) }),
    noAnnotations,
  ),
  document(
    'autoscaling/v1',
    optional({ targetCPUUtilizationPercentage: fc.integer({ min: 1, max: 99 }) }),
    v1Annotations,
  ),
);

const marks = fc.constantFrom<object>(
  { highWatermark: '20', lowWatermark: 10 },
  { highWatermark: '500m' },
  { lowWatermark: 7 },
);
const watermarkMetric = fc
  .tuple(fc.boolean(), name, selector, marks)
  .map(([isExternal, metric, metricSelector, both]) =>
    isExternal
      ? { type: 'External', external: { metricName: metric, metricSelector, ...both } }
      : { type: 'Resource', resource: { name: 'cpu', metricSelector, ...both } },
  );
/** WatermarkPodAutoscalers. */
export const watermarks = document(
  'datadoghq.com/v1alpha1',
  fc
    .tuple(
      fc.array(watermarkMetric, { minLength: 1, maxLength: 3 }),
      optional({
        minReplicas: fc.constantFrom(0, 2),
        algorithm: fc.constantFrom('average', 'absolute', 'other'),
        tolerance: fc.constantFrom<unknown>('0.05', '0.0001', 0, 1, '25m'),
        scaleUpLimitFactor: fc.constantFrom<unknown>(0, '12.5', 300),
        scaleDownLimitFactor: fc.constantFrom<unknown>(0, '0.5', 99),
        upscaleForbiddenWindowSeconds: fc.constantFrom(0, 30),
        downscaleForbiddenWindowSeconds: fc.constantFrom(0, 900),
        upscaleDelayAboveWatermarkSeconds: fc.constantFrom(0, 15),
        downscaleDelayBelowWatermarkSeconds: fc.constantFrom(0, 45),
        replicaScalingAbsoluteModulo: fc.constantFrom(1, 3),
        convergeTowardsWatermark: fc.constantFrom('highwatermark', 'lowwatermark', '', 'middle'),
        minAvailableReplicaPercentage: fc.constantFrom(-5, 0, 80),
        readinessDelaySeconds: fc.constantFrom(1, 20),
        tolerateZero: fc.boolean(),
        dryRun: fc.boolean(),
      }),
    )
    .map(([metrics, rest]) => ({ ...rest, metrics })),
  optional({ 'wpa.datadoghq.com/lifecycle-control.enabled': fc.constantFrom('true', 'false') }),
);

/** A document as text; what YAML 1.1 would read otherwise is quoted. */
export const dump = (value: object, options: object = {}): string =>
  stringify(value, { version: '1.1', ...options });

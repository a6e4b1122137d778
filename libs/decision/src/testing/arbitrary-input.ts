import fc from 'fast-check';

/** A JSON object of a generated input. */
export type RawInput = Readonly<Record<string, unknown>>;

const now = Date.parse('2026-11-20T12:00:00.000Z');
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();
const names = ['a', 'b', 'c', 'd', 'e', 'f'];

const when = fc.integer({ min: -20, max: 700 }).map(ago);
const milli = fc.integer({ min: 0, max: 400 }).map((value) => `${value}m`);
const oddQuantity = fc.constantFrom(
  '0',
  '1',
  '-3m',
  '1e3',
  '2Ki',
  'NaN',
  '9223372036854775807m',
  '1E400',
  '0.0000001',
);
const quantity = fc.oneof({ weight: 12, arbitrary: milli }, { weight: 1, arbitrary: oddQuantity });
const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

const pod = (name: string): fc.Arbitrary<RawInput> =>
  fc.record({
    name: fc.constant(name),
    phase: fc.constantFrom(
      'Running',
      'Running',
      'Running',
      'Running',
      'Pending',
      'Failed',
      'Succeeded',
      undefined,
    ),
    startTime: fc.oneof({ weight: 8, arbitrary: when }, fc.constant(undefined)),
    deletionTimestamp: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, ago(1)),
    ready: fc.option(
      fc.record({
        status: fc.constantFrom('True', 'True', 'True', 'True', 'False', 'Unknown'),
        lastTransitionTime: when,
      }),
      { freq: 8 },
    ),
    ownerReferences: fc.constantFrom(
      [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u1' }],
      [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u1' }],
      [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u0' }],
      [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone', uid: 'u9' }],
      [],
    ),
    containers: fc.tuple(quantity, quantity).map(([app, side]) => [
      { name: 'app', requests: { cpu: app, memory: '1Gi' } },
      { name: 'side', requests: { cpu: side, memory: '100Mi' } },
    ]),
  });

const sample = (name: string): fc.Arbitrary<RawInput> =>
  fc.record({
    pod: fc.constant(name),
    timestamp: fc.oneof({ weight: 5, arbitrary: when }, fc.constant(undefined)),
    windowSeconds: fc.constantFrom(15, 30, undefined),
    value: quantity,
    containers: fc.tuple(quantity, quantity).map(([app, side]) => [
      { name: 'app', usage: { cpu: app, memory: app } },
      { name: 'side', usage: { cpu: side, memory: side } },
    ]),
  });

const someOf = <T>(make: (name: string) => fc.Arbitrary<T>, from = names): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray(from, { minLength: 1 }).chain((chosen) => fc.tuple(...chosen.map(make)));

const observedMetric: fc.Arbitrary<RawInput> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      pods: someOf(sample, [...names, 'x']),
      value: quantity,
      values: fc.array(quantity, { minLength: 1, maxLength: 3 }),
      timestamp: rarely(when),
    }),
  },
  fc.constant({ error: { reason: 'FailedGet', message: 'gone' } }),
);

const percent = fc.integer({ min: 1, max: 200 });
const positiveMilli = fc.integer({ min: 1, max: 400 }).map((value) => `${value}m`);
const marks = fc
  .tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 200 }))
  .map(([low, more]) => ({ type: 'Watermark', lowWatermark: `${low}m`, highWatermark: `${low + more}m` }));

const plainTarget = fc.oneof(
  percent.map((averageUtilization) => ({ type: 'Utilization', averageUtilization })),
  positiveMilli.map((averageValue) => ({ type: 'AverageValue', averageValue })),
);
const valueTarget = fc.oneof(
  positiveMilli.map((value) => ({ type: 'Value', value })),
  positiveMilli.map((averageValue) => ({ type: 'AverageValue', averageValue })),
);
const averageTarget = positiveMilli.map((averageValue) => ({ type: 'AverageValue', averageValue }));
const describedObject = { apiVersion: 'v1', kind: 'Service', name: 'web' };

const metricSpec = (withMarks: boolean): fc.Arbitrary<RawInput> => {
  const resource = withMarks ? fc.oneof(plainTarget, marks) : plainTarget;
  const value = withMarks ? fc.oneof(valueTarget, marks) : valueTarget;
  return fc.oneof(
    resource.map((target) => ({ type: 'Resource', resource: { name: 'cpu', target } })),
    resource.map((target) => ({
      type: 'ContainerResource',
      containerResource: { name: 'memory', container: 'app', target },
    })),
    averageTarget.map((target) => ({ type: 'Pods', pods: { metric: { name: 'rps' }, target } })),
    value.map((target) => ({
      type: 'Object',
      object: { describedObject, metric: { name: 'hits' }, target },
    })),
    value.map((target) => ({ type: 'External', external: { metric: { name: 'queue' }, target } })),
  );
};

const direction = fc.record(
  {
    stabilizationWindowSeconds: fc.constantFrom(0, 60, 300),
    selectPolicy: fc.constantFrom('Max', 'Min', 'Disabled'),
    policies: fc.array(
      fc.record({
        type: fc.constantFrom('Pods', 'Percent'),
        value: fc.integer({ min: 1, max: 150 }),
        periodSeconds: fc.constantFrom(15, 60, 600),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    limitPercent: fc.constantFrom(0, 10, 50, '33.3'),
    forbiddenWindowSeconds: fc.constantFrom(0, 60, 300),
    tolerance: fc.constantFrom(0, '0.05', '118m'),
  },
  { requiredKeys: [] },
);

const policy: fc.Arbitrary<RawInput> = fc.boolean().chain((withMarks) =>
  fc
    .record({
      minReplicas: fc.integer({ min: 1, max: 4 }),
      maxReplicas: fc.integer({ min: 4, max: 30 }),
      selectionStrategy: fc.constantFrom('LabelSelector', 'OwnerReference'),
      dryRun: fc.boolean(),
      metrics: fc.array(metricSpec(withMarks), { minLength: 1, maxLength: 3 }),
      behavior: fc.option(fc.record({ scaleUp: direction, scaleDown: direction }, { requiredKeys: [] }), {
        nil: undefined,
      }),
    })
    .map((spec) => ({
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'AutoscalingPolicy',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, ...spec },
    })),
);

const timed = fc.array(fc.record({ replicas: fc.nat({ max: 30 }), time: when }), { maxLength: 4 });
const memory: fc.Arbitrary<RawInput> = fc.record(
  {
    recommendations: timed,
    scaleUpEvents: timed,
    scaleDownEvents: timed,
    lastScaleTime: when,
    selectionStrategy: fc.constantFrom('LabelSelector', 'OwnerReference'),
    conditions: fc.uniqueArray(
      fc.record({
        type: fc.constantFrom('AbleToScale', 'ScaledToZero', 'AboveHighWatermark', 'BelowLowWatermark'),
        status: fc.constantFrom('True', 'False'),
        reason: fc.constant('Whatever'),
        lastTransitionTime: when,
      }),
      { maxLength: 3, selector: ({ type }) => type },
    ),
  },
  { requiredKeys: [] },
);

const intervention = fc.oneof(
  fc.record({
    kind: fc.constant('Suspend'),
    direction: fc.constantFrom('Up', 'Down', 'Both'),
    actor: fc.constant('alice'),
    reason: fc.constant('release'),
    expires: when,
  }),
  fc.record({
    kind: fc.constant('Override'),
    replicas: fc.nat({ max: 40 }),
    minReplicas: rarely(fc.integer({ min: 1, max: 20 })),
    maxReplicas: rarely(fc.integer({ min: 1, max: 20 })),
    since: rarely(when),
    expires: when,
  }),
  fc.record({ kind: fc.constant('DryRun'), actor: fc.constant('alice'), expires: when }),
);
const window = fc.oneof(
  fc.record({
    kind: fc.constant('Freeze'),
    name: fc.constant('night'),
    direction: fc.constantFrom('Up', 'Down'),
  }),
  fc.record({
    kind: fc.constant('Schedule'),
    name: fc.constant('day'),
    minReplicas: rarely(fc.integer({ min: 0, max: 12 })),
    maxReplicas: rarely(fc.integer({ min: 1, max: 12 })),
  }),
);

const observation = fc.record({
  time: fc.constant(ago(0)),
  scale: fc.oneof(
    {
      weight: 15,
      arbitrary: fc.record({
        specReplicas: fc.nat({ max: 12 }),
        statusReplicas: fc.nat({ max: 12 }),
        selector: fc.constantFrom('app=web', 'app=web', 'app=web', ''),
      }),
    },
    fc.constant({ error: { reason: 'NotFound', message: 'no such Deployment' } }),
  ),
  target: fc.constant({ uid: 'u0' }),
  pods: someOf(pod),
  owners: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constant([
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'rs',
          uid: 'u1',
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u0' }],
        },
      ]),
    },
    fc.constant({ error: { reason: 'Forbidden', message: 'may not read' } }),
  ),
  interventions: fc.array(intervention, { maxLength: 2 }),
  windows: fc.array(window, { maxLength: 2 }),
  competingPolicies: fc.constantFrom([], [], [], [], ['shop/other']),
});

/** Inputs of the decision contract, well-formed in shape, odd in their values, of both families. */
export const arbitraryInput: fc.Arbitrary<RawInput> = fc
  .record({
    policy,
    observation,
    memory,
    metrics: fc.array(observedMetric, { minLength: 3, maxLength: 3 }),
    settings: fc.record(
      {
        tolerance: fc.constantFrom(0, 0.1, 0.5),
        maximumSampleAgeSeconds: fc.constantFrom(null, 60, 180),
        featureGates: fc.record(
          { SelectionStrategy: fc.boolean(), ScaleToZero: fc.boolean(), ConfigurableTolerance: fc.boolean() },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ metrics, ...input }) => {
    const count = (input.policy['spec'] as { metrics: unknown[] }).metrics.length;
    return { ...input, observation: { ...input.observation, metrics: metrics.slice(0, count) } };
  });

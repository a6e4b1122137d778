import fc from 'fast-check';
import type { GeneratedPod } from './arbitrary-pods.ts';
import { arbitraryTime } from './arbitrary-times.ts';

/** One metric of the policy with what was observed for it. */
export interface GeneratedMetric {
  readonly spec: unknown;
  readonly observed: unknown;
}

const target = fc.constantFrom('10', '100m', '80m', '7', '1k', '3', '1500u');
const usage = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 300 }).map((milli) => `${String(milli)}m`) },
  fc.constantFrom('45m', '50m', '55m', '90m', '110m', '111m', '0', '100100u', '2', '1n'),
);
const memory = fc.constantFrom('45Mi', '50Mi', '90Mi', '110Mi', '111Mi', '1Gi', '0', '99999999');
const value = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 120 }).map(String) },
  fc.integer({ min: -20, max: 20_000 }).map((milli) => `${String(milli)}m`),
  fc.constantFrom('0', '11', '9', '8010m', '0.0001', '1e2', '2Ki'),
);
const error = fc.constant({ error: { reason: 'Unavailable', message: 'the source is gone' } });

/** Up to three metrics, observed for these pods. */
export function arbitraryMetrics(pods: readonly GeneratedPod[]): fc.Arbitrary<readonly GeneratedMetric[]> {
  const metric = fc.oneof(
    { weight: 5, arbitrary: resourceMetric(pods) },
    { weight: 2, arbitrary: containerMetric(pods) },
    { weight: 3, arbitrary: podsMetric(pods) },
    { weight: 3, arbitrary: objectMetric({ target, value }) },
    { weight: 4, arbitrary: externalMetric({ target, value }) },
    { weight: 1, arbitrary: objectMetric({ target: hugeTarget, value: hugeObject }) },
    { weight: 2, arbitrary: externalMetric({ target: hugeTarget, value: hugeValue }) },
  );
  return fc.array(metric, { minLength: 1, maxLength: 3 });
}

function orError(observed: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 14, arbitrary: observed }, error);
}

/** A memory target in thousandths would only show where upstream's int32 wraps. */
function resourceTarget(...quantities: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc
      .constantFrom(1, 33, 50, 60, 80, 100, 101, 150)
      .map((averageUtilization) => ({ type: 'Utilization', averageUtilization })),
    fc.constantFrom(...quantities).map((averageValue) => ({ type: 'AverageValue', averageValue })),
  );
}

const cpu = fc.record({ name: fc.constant('cpu'), target: resourceTarget('100m', '80m', '1') });
const bytes = fc.record({ name: fc.constant('memory'), target: resourceTarget('50Mi', '100Mi', '1G') });

function resourceMetric(pods: readonly GeneratedPod[]): fc.Arbitrary<GeneratedMetric> {
  const spec = fc.oneof({ weight: 2, arbitrary: cpu }, bytes);
  return fc.record({
    spec: spec.map((resource) => ({ type: 'Resource', resource })),
    observed: orError(containerSamples(pods)),
  });
}

function containerMetric(pods: readonly GeneratedPod[]): fc.Arbitrary<GeneratedMetric> {
  const container = fc.constantFrom('app', 'app', 'app', 'log');
  const spec = fc
    .tuple(fc.oneof(cpu, bytes), container)
    .map(([resource, name]) => ({ ...resource, container: name }));
  return fc.record({
    spec: spec.map((containerResource) => ({ type: 'ContainerResource', containerResource })),
    observed: orError(containerSamples(pods)),
  });
}

function podsMetric(pods: readonly GeneratedPod[]): fc.Arbitrary<GeneratedMetric> {
  const spec = fc.record({
    metric: fc.record({ name: fc.constantFrom('qps', 'latency') }),
    target: target.map((averageValue) => ({ type: 'AverageValue', averageValue })),
  });
  const content = fc.record({ value: fc.oneof(usage, fc.constantFrom('9', '10', '11', '12', '1e1')) });
  return fc.record({
    spec: spec.map((source) => ({ type: 'Pods', pods: source })),
    observed: orError(samples(pods, content)),
  });
}

/** Beyond 2⁵³ a float is no longer every integer: nine quadrillion and its neighbours distinguish the two. */
const hugeTarget = fc.constantFrom('9T', '9000000000001', '8999999999999999m', '9223372036854775807m');
const hugeValue = fc.constantFrom(
  ...['8010G', '9990G', '9T', '8100G', '9900G'],
  ...['8009999999999999m', '9990000000000001m', '9990000000000002m', '9990000000000003m'],
  ...['9223372036854775807m', '1', '1m', '-1', '4611686018427387904m'],
);

/** The average of the largest value overflows upstream, which is then negative; ours saturates. */
const hugeObject = hugeValue.filter((text) => text !== '9223372036854775807m');

function singleTarget(quantity: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  return fc.oneof(
    quantity.map((text) => ({ type: 'Value', value: text })),
    quantity.map((text) => ({ type: 'AverageValue', averageValue: text })),
  );
}

interface Sizes {
  readonly target: fc.Arbitrary<string>;
  readonly value: fc.Arbitrary<string>;
}

function objectMetric(sizes: Sizes): fc.Arbitrary<GeneratedMetric> {
  const spec = fc.record({
    metric: fc.record({ name: fc.constant('rps') }),
    describedObject: fc.constant({ apiVersion: 'v1', kind: 'Service', name: 'web' }),
    target: fc.oneof(
      { weight: 9, arbitrary: singleTarget(sizes.target) },
      sizes.target.map((averageValue) => ({ type: 'Value', averageValue })),
    ),
  });
  return fc.record({
    spec: spec.map((object) => ({ type: 'Object', object })),
    observed: orError(fc.record({ value: sizes.value })),
  });
}

function externalMetric(sizes: Sizes): fc.Arbitrary<GeneratedMetric> {
  const metric = fc.record({ name: fc.constantFrom('queue', 'lag') });
  return fc.record({
    spec: fc
      .record({ metric, target: singleTarget(sizes.target) })
      .map((external) => ({ type: 'External', external })),
    observed: orError(fc.record({ values: fc.array(sizes.value, { maxLength: 4 }) })),
  });
}

function containerSamples(pods: readonly GeneratedPod[]): fc.Arbitrary<unknown> {
  const full = fc.record({ cpu: usage, memory });
  const used = fc.oneof(
    { weight: 12, arbitrary: full },
    fc.record({ cpu: usage, memory }, { requiredKeys: [] }),
  );
  const named = (name: string): fc.Arbitrary<unknown> => fc.record({ name: fc.constant(name), usage: used });
  const containers = fc.oneof(
    { weight: 8, arbitrary: fc.tuple(named('app')) },
    { weight: 3, arbitrary: fc.tuple(named('app'), named('log')) },
    fc.tuple(named('log')),
    fc.constant([]),
  );
  return samples(pods, fc.record({ containers }));
}

function samples(
  pods: readonly GeneratedPod[],
  content: fc.Arbitrary<Readonly<Record<string, unknown>>>,
): fc.Arbitrary<unknown> {
  const timing = fc.record(
    { timestamp: arbitraryTime, windowSeconds: fc.constantFrom(15, 30, 60) },
    { requiredKeys: [] },
  );
  const sample = fc.tuple(content, timing);
  const names = [...pods.map(({ name }) => name), 'gone'];
  const present = fc.oneof(
    fc.constant(names.slice(0, -1)),
    fc.constant(names.slice(0, -1)),
    fc.subarray(names),
  );
  return present.chain((list) =>
    fc.tuple(...list.map(() => sample)).map((parts) => ({
      pods: parts.map(([body, when], index) => ({ pod: list[index], ...when, ...body })),
    })),
  );
}

import fc from 'fast-check';

/** A pass of a watermark policy in the fewest words; ages are seconds before the pass, values are milli-units. */
export interface WatermarkCase {
  readonly current: number;
  readonly status: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly converge: 'HighWatermark' | 'LowWatermark' | null;
  readonly tolerateZero: boolean;
  readonly minAvailable: number;
  readonly readinessDelay: number;
  readonly up: CaseLimits;
  readonly down: CaseLimits;
  readonly pods: readonly CasePod[];
  readonly metrics: readonly CaseMetric[];
  readonly memory: CaseMemory;
}

/** One direction's limits; null is unwritten. */
export interface CaseLimits {
  /** Thousandths of a percent. */
  readonly limit: number | null;
  readonly window: number | null;
  readonly delay: number | null;
  readonly stabilization: number | null;
  readonly policies: readonly CaseRate[] | null;
  readonly select: 'Max' | 'Min' | 'Disabled' | null;
}

export interface CaseRate {
  readonly type: 'Pods' | 'Percent';
  readonly value: number;
  readonly periodSeconds: number;
}

export interface CasePod {
  readonly phase: string;
  readonly ready: { readonly status: string; readonly age: number } | null;
  readonly started: number | null;
  readonly deleting: boolean;
  /** Usage in milli-units; null: no sample. */
  readonly usage: number | null;
}

/** `average` is an External AverageValue target of the HPA, beside the marks. */
export interface CaseMetric {
  readonly kind: 'value' | 'cpu' | 'memory' | 'average';
  readonly low: number;
  readonly high: number;
  /** Thousandths. */
  readonly tolerance: number;
  readonly algorithm: 'absolute' | 'average';
  /** null: the source failed. */
  readonly values: readonly number[] | null;
}

export interface CaseMemory {
  readonly lastScale: number | null;
  readonly above: CaseCondition | null;
  readonly below: CaseCondition | null;
  readonly able: CaseCondition | null;
  readonly recommendations: readonly CaseCount[] | null;
  readonly ups: readonly CaseCount[];
  readonly downs: readonly CaseCount[];
}

export interface CaseCondition {
  readonly status: 'True' | 'False';
  readonly age: number;
}

export interface CaseCount {
  readonly replicas: number;
  readonly age: number;
}

const age = fc.oneof(
  fc.constantFrom(...[15, 30, 60, 120, 300].flatMap((at) => [at - 0.001, at, at + 0.001])),
  fc.integer({ min: 0, max: 400 }),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>, weight = 2): fc.Arbitrary<T | null> =>
  fc.oneof({ weight, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const limits: fc.Arbitrary<CaseLimits> = fc.record({
  limit: maybe(fc.constantFrom(0, 1, 400, 10_000, 18_400, 33_333, 50_000, 99_000)),
  window: maybe(fc.constantFrom(0, 15, 60, 300)),
  delay: maybe(fc.constantFrom(0, 30, 60, 120)),
  stabilization: maybe(fc.constantFrom(0, 60, 300), 5),
  policies: maybe(
    fc.array(
      fc.record({
        type: fc.constantFrom('Pods' as const, 'Percent' as const),
        value: fc.constantFrom(1, 2, 4, 10, 15, 50, 100),
        periodSeconds: fc.constantFrom(15, 60, 120),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    5,
  ),
  select: maybe(fc.constantFrom('Max' as const, 'Min' as const, 'Disabled' as const), 8),
});

const wellPod: CasePod = {
  phase: 'Running',
  ready: { status: 'True', age: 3_000 },
  started: 3_600,
  deleting: false,
  usage: 90,
};
const pod: fc.Arbitrary<CasePod> = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 200 }).map((usage) => ({ ...wellPod, usage })) },
  fc.record({
    phase: fc.constantFrom('Running', 'Running', 'Pending', 'Failed', 'Succeeded', 'Unknown'),
    ready: fc.option(fc.record({ status: fc.constantFrom('True', 'False', 'Unknown'), age })),
    started: fc.option(age),
    deleting: fc.boolean(),
    usage: fc.option(fc.integer({ min: 0, max: 200 })),
  }),
);

const value = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 2_000 }).map((units) => units * 100) },
  { weight: 2, arbitrary: fc.integer({ min: -50_000, max: 250_000 }) },
  fc.constantFrom(0, 1, 110_000, 110_001, 45_000, 44_999, 21_000, 20_999),
);
const metric: fc.Arbitrary<CaseMetric> = fc.record({
  kind: fc.constantFrom('value', 'value', 'value', 'cpu', 'memory', 'average'),
  low: fc.constantFrom(0, 50, 80, 3_000, 10_000, 50_000),
  high: fc.constantFrom(80, 100, 5_000, 21_000, 100_000),
  tolerance: fc.constantFrom(0, 10, 100, 110, 1_000),
  algorithm: fc.constantFrom('absolute', 'average'),
  values: fc.oneof(
    { weight: 9, arbitrary: fc.array(value, { minLength: 1, maxLength: 3 }) },
    fc.constantFrom([], null),
  ),
});

const condition = maybe(fc.record({ status: fc.constantFrom('True', 'False'), age }), 1);
const counts = fc.array(fc.record({ replicas: fc.integer({ min: 0, max: 20 }), age }), { maxLength: 4 });

/** Passes of watermark policies, near the boundaries of their rules. */
export const arbitraryWatermarkCase: fc.Arbitrary<WatermarkCase> = fc
  .record({
    current: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 15 }) }, fc.constantFrom(0, 375)),
    statusOffset: fc.constantFrom(0, 0, 0, 1, -1, -3, 5),
    min: fc.constantFrom(0, 1, 1, 2, 5),
    max: fc.constantFrom(8, 12, 20, 1_000),
    step: fc.constantFrom(1, 1, 1, 2, 3, 5),
    converge: fc.constantFrom(null, null, 'HighWatermark', 'LowWatermark'),
    tolerateZero: fc.boolean(),
    minAvailable: fc.constantFrom(0, 0, 0, 34, 50, 66, 100),
    readinessDelay: fc.constantFrom(0, 30, 60),
    up: limits,
    down: limits,
    pods: fc.array(pod, { maxLength: 12 }),
    metrics: fc.array(metric, { minLength: 1, maxLength: 3 }),
    memory: fc.record({
      lastScale: maybe(age, 1),
      above: condition,
      below: condition,
      able: condition,
      recommendations: maybe(counts, 1),
      ups: counts,
      downs: counts,
    }),
  })
  .map(({ statusOffset, metrics, ...rest }) => ({
    ...rest,
    status: Math.max(0, rest.current + statusOffset),
    metrics: withMarks(metrics),
  }));

/** The high mark is never below the low one, usage is in cores and not in thousands, and one metric has marks. */
function withMarks(metrics: readonly CaseMetric[]): readonly CaseMetric[] {
  return metrics.map((given, index) => {
    const kind = index === 0 && given.kind === 'average' ? 'value' : given.kind;
    const scale = kind === 'cpu' || kind === 'memory' ? 1_000 : 1;
    const [low, high] = [given.low, given.high].map((mark) => (mark >= 1_000 ? mark / scale : mark));
    return { ...given, kind, low: Math.min(low ?? 0, high ?? 0), high: Math.max(low ?? 0, high ?? 0) };
  });
}

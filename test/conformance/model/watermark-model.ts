import type { CaseCondition, CaseCount, CaseMetric, WatermarkCase } from './watermark-case.ts';
import { gateModel } from './watermark-gate-model.ts';
import { rate, stabilise, velocity } from './watermark-limits-model.ts';
import { type MetricModel, metricModel } from './watermark-metric-model.ts';

/** What the specification says of one pass; null conditions are absent. */
export interface PassModel {
  readonly desired: number;
  readonly action: 'ScaleUp' | 'ScaleDown' | 'None' | 'Hold';
  readonly proposals: readonly (number | null)[];
  readonly scalingActive: string | null;
  readonly scalingLimited: string | null;
  readonly able: string;
  readonly ableAge: number;
  readonly above: CaseCondition | null;
  readonly below: CaseCondition | null;
  readonly converge: string | null;
  readonly lastScale: number | null;
  readonly recommendations: readonly CaseCount[];
}

type ValidMetric = Extract<MetricModel, { isValid: true }>;

/** The order of a pass, as the head of the specification gives it. */
export function watermarkModel(given: WatermarkCase): PassModel {
  const kept = keptOf(given);
  const min = Math.max(1, given.min);
  if (given.current === 0) return { ...kept, action: 'None', scalingActive: 'False ScalingDisabled' };
  if (given.current > given.max || given.current < min)
    return scaled(kept, given, Math.min(given.max, Math.max(min, given.current)));
  if (given.status === 0) return kept;
  return evaluated(given, kept);
}

function evaluated(given: WatermarkCase, kept: PassModel): PassModel {
  const models = given.metrics.map((metric) => metricModel(metric, given));
  const proposals = models.map((model) => (model.isValid ? model.proposal : null));
  const winner = winnerOf(models);
  const failed = given.metrics.find((_, index) => models[index]?.isValid === false);
  if (winner === null || (failed !== undefined && winner.proposal < given.current))
    return { ...kept, proposals, scalingActive: `False FailedGet${typeOf(failed)}Metric` };
  const active = { ...kept, proposals, scalingActive: 'True ValidMetricFound' };
  return limited({ given, kept: active, models, winner });
}

function typeOf(metric: CaseMetric | undefined): string {
  return metric?.kind === 'cpu' || metric?.kind === 'memory' ? 'Resource' : 'External';
}

function keptOf(given: WatermarkCase): PassModel {
  const { memory, current } = given;
  return {
    desired: current,
    action: 'Hold',
    proposals: [],
    scalingActive: null,
    scalingLimited: null,
    able: 'True SucceededGetScale',
    ableAge: memory.able?.status === 'True' ? memory.able.age : 0,
    above: memory.above,
    below: memory.below,
    converge: null,
    lastScale: memory.lastScale,
    recommendations: memory.recommendations ?? [{ replicas: current, age: 0 }],
  };
}

/** The largest proposal; the first on ties, but a zero before others. */
function winnerOf(models: readonly MetricModel[]): ValidMetric | null {
  const valid = models.filter((model) => model.isValid);
  const most = Math.max(...valid.map(({ proposal }) => proposal));
  const best = valid.filter(({ proposal }) => proposal === most);
  return best.find(({ isZero }) => isZero) ?? best[0] ?? null;
}

interface Evaluated {
  readonly given: WatermarkCase;
  readonly kept: PassModel;
  readonly models: readonly MetricModel[];
  readonly winner: ValidMetric;
}

function limited({ given, kept, models, winner }: Evaluated): PassModel {
  const valid = models.filter((model) => model.isValid);
  const above = turned(
    given.memory.above,
    valid.some(({ position }) => position === 'above'),
  );
  const below = turned(
    given.memory.below,
    valid.some(({ position }) => position === 'below'),
  );
  const isConverging = valid.some((model) => model.isConverging);
  const converge = isConverging
    ? 'True Converging'
    : valid.some((model) => model.isCompared)
      ? 'False NotConverging'
      : null;
  const stabilised = stabilise(given, kept.recommendations, winner.proposal);
  const rated = rate(given, stabilised.count);
  const { count, reason } = velocity(given, rated, winner.ready);
  const isLimited = count !== stabilised.count;
  const rateReason = rated > stabilised.count ? 'ScaleDownLimit' : 'ScaleUpLimit';
  const limit = !isLimited ? 'False DesiredWithinRange' : `True ${count === rated ? rateReason : reason}`;
  const pass = {
    ...kept,
    above,
    below,
    converge,
    scalingLimited: limit,
    recommendations: stabilised.recommendations,
  };
  return gated({ given, pass, count, isHeld: winner.isZero });
}

/** A condition's next value; its time changes with its status. */
function turned(before: CaseCondition | null, isTrue: boolean): CaseCondition {
  const status = isTrue ? 'True' : 'False';
  return { status, age: before?.status === status ? before.age : 0 };
}

interface Gated {
  readonly given: WatermarkCase;
  readonly pass: PassModel;
  readonly count: number;
  readonly isHeld: boolean;
}

function gated({ given, pass, count, isHeld }: Gated): PassModel {
  const { current, memory } = given;
  const gate = gateModel(given, pass);
  const ableAge = memory.able?.status === 'False' ? memory.able.age : 0;
  const reported = gate.backoff === null ? pass : { ...pass, able: `False ${gate.backoff}`, ableAge };
  const isAllowed = count > current ? gate.mayGrow : gate.mayShrink;
  // A backoff reported and withdrawn in one pass is two changes of the status.
  if (count !== current && isAllowed)
    return scaled({ ...reported, ableAge: gate.backoff === null ? pass.ableAge : 0 }, given, count);
  return { ...reported, action: count === current && isHeld ? 'Hold' : 'None' };
}

function scaled(pass: PassModel, given: WatermarkCase, count: number): PassModel {
  const action = count > given.current ? 'ScaleUp' : 'ScaleDown';
  return { ...pass, desired: count, action, able: 'True ReadyForScale', lastScale: 0 };
}

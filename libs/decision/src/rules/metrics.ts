import { evaluateMetrics } from '../metrics/evaluate-metrics.ts';
import type { MetricEvaluation, ValidMetric } from '../metrics/metric-evaluation.ts';
import { note, type Pass, step, type Verdict } from '../pass/pass.ts';
import { selectPods } from '../selection/select-pods.ts';

/** A metric that is valid, with its result narrowed. */
interface Candidate {
  readonly evaluation: MetricEvaluation;
  readonly metric: ValidMetric;
}

/**
 * Evaluates every metric; the highest proposal wins. An invalid metric blocks scaling down only: the pass holds where
 * none is valid, or where the best of the others is below the present count.
 */
export function metrics(pass: Pass): Verdict {
  const { input, selection, statusReplicas, bounds } = pass;
  const current = pass.present;
  const selected = selectPods(input, selection);
  pass.evaluations = evaluateMetrics({ pass, selected, current, statusReplicas, bounds });
  const best = highest(pass.evaluations);
  const invalid = pass.evaluations.filter(({ result }) => !result.ok);
  if (holdsForInvalid(pass, { invalid, best }) || best === null) return 'conclude';
  activate(pass, best);
  fold(pass, best);
  if (pass.isWatermark) setWatermarkConditions(pass);
  return 'next';
}

/** The largest proposal; of equal ones the first, but a zero value before others; a proposal of 0 is overwritten. */
function highest(evaluations: readonly MetricEvaluation[]): Candidate | null {
  let best: Candidate | null = null;
  for (const evaluation of evaluations) {
    const { result } = evaluation;
    if (result.ok && beats(result, best?.metric)) best = { evaluation, metric: result };
  }
  return best;
}

function beats(metric: ValidMetric, best: ValidMetric | undefined): boolean {
  if (best === undefined || best.proposal === 0 || metric.proposal > best.proposal) return true;
  return metric.proposal === best.proposal && metric.isZeroValue && !best.isZeroValue;
}

function holdsForInvalid(
  pass: Pass,
  { invalid, best }: { invalid: readonly MetricEvaluation[]; best: Candidate | null },
): boolean {
  const [first] = invalid;
  if (first === undefined) return false;
  const current = pass.present;
  const cause = first.result.ok ? '' : first.result.message;
  const text = `invalid metrics (${invalid.length} invalid out of ${pass.evaluations.length}), first error is: ${first.report.name}: ${cause}`;
  if (best !== null && best.metric.proposal >= current) {
    note(
      pass,
      'invalid-metric',
      `${text}; the others want no fewer than ${current} replicas, so the pass goes on`,
    );
    return false;
  }
  const message = `the HPA was unable to compute the replica count: ${cause}`;
  pass.conditions.set('ScalingActive', { status: 'False', reason: first.failureReason, message });
  pass.hold = 'Invalid metrics: nothing shrinks on ignorance';
  note(pass, 'invalid-metric', `${text}; nothing shrinks on ignorance, so ${current} replicas stay`);
  return true;
}

function activate(pass: Pass, { evaluation, metric }: Candidate): void {
  const current = pass.present;
  pass.winner = evaluation;
  const message = `the HPA was able to successfully calculate a replica count from ${evaluation.rescaleName}`;
  pass.conditions.set('ScalingActive', { status: 'True', reason: 'ValidMetricFound', message });
  if (metric.isZeroValue) pass.hold = 'A watermark value of zero is not tolerated';
  if (metric.proposal === current) return;
  if (metric.convergence === 'Converging') {
    pass.rescaleReason = 'Value between Watermarks';
  } else {
    pass.rescaleReason =
      metric.proposal > current ? `${evaluation.rescaleName} above target` : 'All metrics below target';
  }
}

function fold(pass: Pass, { evaluation, metric }: Candidate): void {
  for (const { rule, after, because } of metric.explain()) step(pass, rule, { after, because });
  const { length } = pass.evaluations;
  if (length < 2) return;
  const others = pass.evaluations
    .filter((other) => other !== evaluation)
    .map(({ report }) => `${report.name} ${report.proposedReplicas ?? 'none'}`);
  note(
    pass,
    'highest-proposal',
    `${evaluation.report.name} proposes ${metric.proposal}, the most of ${length} metrics (${others.join(', ')})`,
  );
}

/** Whether any value is outside its marks, and whether any took a step towards one. */
function setWatermarkConditions(pass: Pass): void {
  const valid = pass.evaluations.map(({ result }) => result).filter((result) => result.ok);
  const isAbove = valid.some(({ position }) => position === 'above');
  const isBelow = valid.some(({ position }) => position === 'below');
  setPosition(pass, 'AboveHighWatermark', isAbove);
  setPosition(pass, 'BelowLowWatermark', isBelow);
  const isConverging = valid.some(({ convergence }) => convergence === 'Converging');
  if (!isConverging && valid.every(({ convergence }) => convergence === 'NotCompared')) return;
  pass.conditions.set('ConvergeToWatermark', {
    status: isConverging ? 'True' : 'False',
    reason: isConverging ? 'Converging' : 'NotConverging',
    message: isConverging
      ? 'a metric took a step towards its watermark'
      : 'no metric took a step towards its watermark',
  });
}

function setPosition(pass: Pass, type: 'AboveHighWatermark' | 'BelowLowWatermark', holds: boolean): void {
  const mark = type === 'AboveHighWatermark' ? 'above its high' : 'below its low';
  pass.conditions.set(type, {
    status: holds ? 'True' : 'False',
    reason: holds ? type : `Not${type}`,
    message: `${holds ? 'a' : 'no'} value is ${mark} watermark`,
  });
}

import { type Instant, parseInstant, toUtcText } from '#kernel';
import type { EffectivePolicy } from '#policy';
import type { DecideInput } from '../model/decide-input.ts';
import type { RuleId, SelectionReport, Step } from '../model/decision.ts';
import type { Memory, TimedReplicas } from '../model/memory.ts';
import type { Intervention, Observation, ObservedWindow, Optional } from '../model/observation.ts';
import type { Settings } from '../model/settings.ts';
import { reportSelection } from '../selection/select-pods.ts';
import { ConditionSet } from './condition-set.ts';
import { cutFutureMemory } from './cut-future-memory.ts';
import type { EvaluatedMetric, ProposingMetric } from './evaluated-metric.ts';
import { isDryRun } from './is-dry-run.ts';

/** The replica bounds: the policy's, or those of a schedule or an override in force. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/**
 * How an evaluation goes on after a rule: `next` with the following rule, `conclude` with the interventions, `end`
 * with nothing.
 */
export type RuleOutcome = 'next' | 'conclude' | 'end';

/** A rule of the specification. It may change the count, the reason and the conditions, and adds its steps. */
export type Rule = (evaluation: Evaluation) => RuleOutcome;

/** The state of one decision in the making; without a count where the scale could not be read. */
interface EvaluationOf<Count extends number | null> {
  readonly input: DecideInput;
  /** The input's, with times of the future cut. */
  readonly memory: Memory;
  readonly cutTimes: number;
  readonly policy: EffectivePolicy;
  readonly settings: Settings;
  readonly observation: Observation;
  readonly isWatermark: boolean;
  readonly now: Instant;
  /** `observation.time` in UTC, with the digits it came with. */
  readonly time: string;
  readonly windows: readonly ObservedWindow[];
  readonly interventions: readonly Intervention[];
  /** Nothing is written: the policy says so, or an intervention in force. */
  readonly isDryRun: boolean;
  readonly selection: SelectionReport;
  readonly conditions: ConditionSet;
  readonly steps: Step[];
  /** spec.replicas. */
  readonly present: Count;
  readonly statusReplicas: number;
  /** The scale's label selector. */
  readonly selectorText: string;
  bounds: Bounds;
  /** The count so far; rules change it through {@link step}. */
  count: Count;
  /** The count after stabilization, which ScalingLimited is compared with. */
  stabilized: Count;
  /** The decision's reason, were no further rule to act. */
  reason: string;
  /** No count could be decided: unless a pin acts, the action is `Hold`. */
  isUndecided: boolean;
  evaluatedMetrics: readonly EvaluatedMetric[];
  winner: ProposingMetric | null;
  /** No rule has set AbleToScale yet. */
  isAbleToScaleOpen: boolean;
  recommendations: readonly TimedReplicas[] | undefined;
  /** False where the evaluation stops early and must leave nothing of itself in memory. */
  isRecorded: boolean;
  /** Whether a pin may act: not while the target is paused at zero. */
  isPinnable: boolean;
  isPinned: boolean;
}

export type Evaluation = EvaluationOf<number>;

/** An evaluation whose scale could not be read. */
export type UnreadEvaluation = EvaluationOf<null>;

/**
 * Starts an evaluation with the scale that was read, or with none.
 *
 * @throws TypeError where `observation.time` is no RFC 3339 time: a caller's bug, `parseDecideInput` refuses it
 */
export function startEvaluation<Count extends number | null>(
  input: DecideInput,
  scale: ScaleOf<Count>,
): EvaluationOf<Count> {
  const { policy, settings, observation } = input;
  const now = parseInstant(observation.time);
  if (now === undefined)
    throw new TypeError(`observation.time ${JSON.stringify(observation.time)} is no RFC 3339 time`);
  const time = toUtcText(now, observation.time);
  const { maximumFutureSeconds } = settings;
  const { memory, cutTimes } = cutFutureMemory(input.memory, { now, time, maximumFutureSeconds });
  const isWatermark = policy.family === 'watermark';
  const { minReplicas, maxReplicas } = policy;
  return {
    input,
    memory,
    cutTimes,
    policy,
    settings,
    observation,
    isWatermark,
    now,
    time,
    windows: observation.windows ?? none,
    interventions: observation.interventions ?? none,
    isDryRun: isDryRun(policy, observation),
    selection: reportSelection(input),
    conditions: new ConditionSet(memory.conditions, time),
    steps: [],
    present: scale.specReplicas,
    statusReplicas: scale.statusReplicas ?? 0,
    selectorText: scale.selector ?? '',
    bounds: { min: isWatermark ? Math.max(1, minReplicas) : minReplicas, max: maxReplicas },
    count: scale.specReplicas,
    stabilized: scale.specReplicas,
    reason: 'The present count is the desired count',
    isUndecided: false,
    evaluatedMetrics: none,
    winner: null,
    isAbleToScaleOpen: true,
    recommendations: memory.recommendations ?? undefined,
    isRecorded: true,
    isPinnable: true,
    isPinned: false,
  };
}

const none: readonly never[] = [];

interface ScaleOf<Count> {
  readonly specReplicas: Count;
  readonly statusReplicas?: Optional<number>;
  readonly selector?: Optional<string>;
}

/** The nearest count within the bounds. */
export function toBounds(count: number, { min, max }: Bounds): number {
  return Math.min(Math.max(count, min), max);
}

/** Changes the count and records why. */
export function step(
  evaluation: Evaluation,
  rule: RuleId,
  { after, because }: { after: number; because: string },
): void {
  evaluation.steps.push({ rule, before: evaluation.count, after, because });
  evaluation.count = after;
}

/** Records that a rule was consulted and left the count as it was. */
export function note(evaluation: Evaluation | UnreadEvaluation, rule: RuleId, because: string): void {
  const { count } = evaluation;
  evaluation.steps.push({ rule, before: count, after: count, because });
}

import { type Instant, parseInstant, toUtcText } from '#kernel';
import type { EffectivePolicy } from '#policy';
import type { EvaluatedMetric, ProposingMetric } from '../metrics/evaluated-metric.ts';
import type { DecideInput } from '../model/decide-input.ts';
import type { RuleId, SelectionReport, Step } from '../model/decision.ts';
import type { Memory, TimedReplicas } from '../model/memory.ts';
import type { Observation, ObservedScale } from '../model/observation.ts';
import type { Settings } from '../model/settings.ts';
import { reportSelection } from '../selection/select-pods.ts';
import { ConditionSet } from './condition-set.ts';
import { cutFutureMemory } from './cut-future-memory.ts';

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

/** What an evaluation has whether or not the scale could be read. */
interface EvaluationBase {
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
  readonly selection: SelectionReport;
  readonly conditions: ConditionSet;
  readonly steps: Step[];
  /** The decision's reason, were no further rule to act. */
  reason: string;
  /** No count could be decided: unless a pin acts, the action is `Hold`. */
  isUndecided: boolean;
  evaluatedMetrics: readonly EvaluatedMetric[];
  /** No rule has set AbleToScale yet. */
  isAbleToScaleOpen: boolean;
  recommendations: readonly TimedReplicas[] | undefined;
  /** False where the evaluation stops early and must leave nothing of itself in memory. */
  isRecorded: boolean;
}

/** The state of one decision in the making. */
export interface Evaluation extends EvaluationBase {
  /** spec.replicas. */
  readonly present: number;
  readonly statusReplicas: number;
  bounds: Bounds;
  /** The count so far; rules change it through {@link step}. */
  count: number;
  winner: ProposingMetric | null;
  /** The count after stabilization, which ScalingLimited is compared with. */
  stabilized: number;
  /** Whether a pin may act: not while the target is paused at zero. */
  isPinnable: boolean;
  isPinned: boolean;
}

/** An evaluation whose scale could not be read: there is no count. */
export interface UnreadEvaluation extends EvaluationBase {
  readonly present: null;
  readonly count: null;
}

/**
 * Starts an evaluation with the scale that was read.
 *
 * @throws TypeError where `observation.time` is no RFC 3339 time: a caller's bug, `parseDecideInput` refuses it
 */
export function startEvaluation(input: DecideInput, scale: ObservedScale): Evaluation {
  const base = startBase(input);
  const { policy, isWatermark } = base;
  const { specReplicas, statusReplicas } = scale;
  return {
    ...base,
    present: specReplicas,
    statusReplicas: statusReplicas ?? 0,
    bounds: {
      min: isWatermark ? Math.max(1, policy.minReplicas) : policy.minReplicas,
      max: policy.maxReplicas,
    },
    count: specReplicas,
    winner: null,
    stabilized: specReplicas,
    isPinnable: true,
    isPinned: false,
  };
}

/**
 * Starts an evaluation without a scale.
 *
 * @throws TypeError as {@link startEvaluation}
 */
export function startUnread(input: DecideInput): UnreadEvaluation {
  return { ...startBase(input), present: null, count: null };
}

function startBase(input: DecideInput): EvaluationBase {
  const { policy, settings, observation } = input;
  const now = parseInstant(observation.time);
  const time = toUtcText(observation.time);
  if (now === undefined || time === undefined)
    throw new TypeError(`observation.time ${JSON.stringify(observation.time)} is no RFC 3339 time`);
  const { maximumFutureSeconds } = settings;
  const { memory, cutTimes } = cutFutureMemory(input.memory, { now, time, maximumFutureSeconds });
  return {
    input,
    memory,
    cutTimes,
    policy,
    settings,
    observation,
    isWatermark: policy.family === 'watermark',
    now,
    time,
    selection: reportSelection(input),
    conditions: new ConditionSet(memory.conditions, time),
    steps: [],
    reason: 'The present count is the desired count',
    isUndecided: false,
    evaluatedMetrics: [],
    isAbleToScaleOpen: true,
    recommendations: memory.recommendations ?? undefined,
    isRecorded: true,
  };
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

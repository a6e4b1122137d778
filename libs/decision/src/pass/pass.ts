import { type Instant, parseInstant, toUtcText } from '#kernel';
import type { EffectivePolicy } from '#policy';
import type { MetricEvaluation } from '../metrics/metric-evaluation.ts';
import type { DecideInput } from '../model/decide-input.ts';
import type { RuleId, SelectionReport, Step } from '../model/decision.ts';
import type { TimedReplicas } from '../model/memory.ts';
import type { Observation } from '../model/observation.ts';
import type { Settings } from '../model/settings.ts';
import { isReadable, reportSelection } from '../selection/select-pods.ts';
import { ConditionSet } from './condition-set.ts';

/** The bounds in force for the whole pass: the policy's, or what a schedule or an override put in their place. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/**
 * What a rule says about the rest of the pass: `next` goes on, `conclude` leaves out everything up to the
 * interventions, `end` leaves out those too.
 */
export type Verdict = 'next' | 'conclude' | 'end';

/** One rule of the specification. It reads the pass, may change its count and conditions, and adds its steps. */
export type Rule = (pass: Pass) => Verdict;

/** One pass in the making: what was read, and what the rules have decided so far. */
export interface Pass {
  readonly input: DecideInput;
  readonly policy: EffectivePolicy;
  readonly settings: Settings;
  readonly observation: Observation;
  readonly isWatermark: boolean;
  readonly now: Instant;
  /** `observation.time` in UTC, with the digits it came with. */
  readonly time: string;
  readonly selection: SelectionReport;
  /** spec.replicas; null where the scale could not be read. */
  readonly current: number | null;
  /** spec.replicas, 0 where it could not be read; no rule past the scale's sees that. */
  readonly present: number;
  readonly statusReplicas: number;
  readonly conditions: ConditionSet;
  readonly steps: Step[];
  bounds: Bounds;
  /** The count that the fold has come to; without meaning where the scale could not be read. */
  count: number;
  /** Why the pass cannot decide; null: it can. */
  hold: string | null;
  /** Upstream's reason for a change, where there is one. */
  rescaleReason: string;
  /** Why the count stays, where it does. */
  keepReason: string;
  evaluations: readonly MetricEvaluation[];
  winner: MetricEvaluation | null;
  /** The stabilised proposal, which ScalingLimited is compared with. */
  stabilized: number;
  /** Whether a pin may act: not while the target is paused at zero. */
  isPinnable: boolean;
  /** A pin has acted. */
  isPinned: boolean;
  /** A freeze or a suspension has stopped a change. */
  isStopped: boolean;
  /** Neither a window nor a rule of the pass has said whether the target is able to scale. */
  isAbleToScaleOpen: boolean;
  recommendations: readonly TimedReplicas[] | undefined;
  /** False where the pass looks no further and remembers nothing of itself. */
  isRecorded: boolean;
}

/** Starts a pass on an input whose observation has passed `parseDecideInput` or was made by the shell. */
export function startPass(input: DecideInput): Pass {
  const { policy, settings, observation, memory } = input;
  const { scale } = observation;
  const time = toUtcText(observation.time) ?? observation.time;
  const { current, present, statusReplicas } = countsOf(scale);
  const isWatermark = policy.family === 'watermark';
  return {
    input,
    policy,
    settings,
    observation,
    isWatermark,
    now: parseInstant(observation.time) ?? { seconds: 0, nanos: 0 },
    time,
    selection: reportSelection(input),
    current,
    present,
    statusReplicas,
    conditions: new ConditionSet(memory.conditions, time),
    steps: [],
    bounds: {
      min: isWatermark ? Math.max(1, policy.minReplicas) : policy.minReplicas,
      max: policy.maxReplicas,
    },
    count: present,
    hold: null,
    rescaleReason: '',
    keepReason: 'The present count is the desired count',
    evaluations: [],
    winner: null,
    stabilized: present,
    isPinnable: true,
    isPinned: false,
    isStopped: false,
    isAbleToScaleOpen: true,
    recommendations: memory.recommendations ?? undefined,
    isRecorded: true,
  };
}

function countsOf(scale: Observation['scale']): Pick<Pass, 'current' | 'present' | 'statusReplicas'> {
  if (!isReadable(scale)) return { current: null, present: 0, statusReplicas: 0 };
  const { specReplicas, statusReplicas } = scale;
  return { current: specReplicas, present: specReplicas, statusReplicas: statusReplicas ?? 0 };
}

/** Moves the count and writes down why; the fold of the steps is the decision. */
export function step(pass: Pass, rule: RuleId, { after, because }: { after: number; because: string }): void {
  const isKnown = pass.current !== null;
  pass.steps.push({ rule, before: isKnown ? pass.count : null, after: isKnown ? after : null, because });
  pass.count = after;
}

/** Writes down that a rule was consulted and left the count as it was. */
export function note(pass: Pass, rule: RuleId, because: string): void {
  step(pass, rule, { after: pass.count, because });
}

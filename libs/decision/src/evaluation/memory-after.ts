import { addSeconds, parseInstant } from '#kernel';
import type { DirectionRules, EffectivePolicy, SelectionStrategy } from '#policy';
import type { DecideInput } from '../model/decide-input.ts';
import type { Condition, DecideOutput } from '../model/decision.ts';
import type { Memory, RememberedCondition, TimedReplicas } from '../model/memory.ts';
import { cutFutureMemory } from './cut-future-memory.ts';
import type { Evaluation, UnreadEvaluation } from './evaluation.ts';
import { hasObjectOrExternal } from './has-object-or-external.ts';
import { isBefore, overwriteOutdated } from './overwrite-outdated.ts';

/** The memory for the next decision, as after a successful write where the count changes. */
export function memoryAfter(evaluation: Evaluation | UnreadEvaluation): Memory {
  const { memory, recommendations } = evaluation;
  const changed = evaluation.present === null || evaluation.count === evaluation.present ? null : evaluation;
  if (changed !== null) setWritten(changed);
  const selectionStrategy = strategyAfter(evaluation);
  const lastScaleTime = changed?.time ?? memory.lastScaleTime ?? undefined;
  const change = changed && { ...changed, from: changed.present, to: changed.count };
  const scaleUpEvents = eventsAfter(memory.scaleUpEvents, change, 'up');
  const scaleDownEvents = eventsAfter(memory.scaleDownEvents, change, 'down');
  const conditions = remember(evaluation.conditions.list());
  return memoryOf({
    recommendations,
    scaleUpEvents,
    scaleDownEvents,
    lastScaleTime,
    selectionStrategy,
    conditions,
  });
}

/**
 * The memory after a change of the count that was made in the policy's name, and that no decision from this memory asked
 * for: limits count it from `time` on.
 */
export function memoryAfterChange(
  policy: EffectivePolicy,
  memory: Memory,
  change: { readonly from: number; readonly to: number; readonly time: string },
): Memory {
  const now = parseInstant(change.time);
  if (now === undefined) return memory;
  const counted = { ...change, policy, now };
  return {
    ...memory,
    scaleUpEvents: eventsAfter(memory.scaleUpEvents, counted, 'up'),
    scaleDownEvents: eventsAfter(memory.scaleDownEvents, counted, 'down'),
    lastScaleTime: change.time,
  };
}

/** The fields that there are. */
function memoryOf(fields: { readonly [Field in keyof Memory]-?: Memory[Field] }): Memory {
  const { recommendations, scaleUpEvents, scaleDownEvents, lastScaleTime, selectionStrategy, conditions } =
    fields;
  // Nearly all have all of them, and one object is made faster than those that are spread.
  if (recommendations !== undefined && lastScaleTime !== undefined && selectionStrategy !== undefined)
    return fields;
  return {
    ...(recommendations === undefined ? {} : { recommendations }),
    scaleUpEvents,
    scaleDownEvents,
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    ...(selectionStrategy === undefined ? {} : { selectionStrategy }),
    conditions,
  };
}

/**
 * The memory for the next decision when the write that `output` wants was not made: its recommendations and conditions,
 * and this input's scale events and last scaling.
 */
export function memoryWithoutWrite(input: DecideInput, { decision, memory: after }: DecideOutput): Memory {
  const { time } = decision;
  const now = parseInstant(time);
  const { maximumFutureSeconds } = input.settings;
  const { memory } =
    now === undefined ? input : cutFutureMemory(input.memory, { now, time, maximumFutureSeconds });
  const { lastScaleTime } = memory;
  return {
    ...(after.recommendations === undefined ? {} : { recommendations: after.recommendations }),
    scaleUpEvents: memory.scaleUpEvents ?? [],
    scaleDownEvents: memory.scaleDownEvents ?? [],
    ...(lastScaleTime === undefined || lastScaleTime === null ? {} : { lastScaleTime }),
    ...(after.selectionStrategy === undefined ? {} : { selectionStrategy: after.selectionStrategy }),
    conditions: remember(decision.conditions),
  };
}

/**
 * As {@link memoryWithoutWrite}, when the write was tried and failed: AbleToScale is False `FailedUpdateScale`, since it is,
 * though each decision finds the scale readable first.
 */
export function memoryAfterFailedWrite(input: DecideInput, output: DecideOutput): Memory {
  const memory = memoryWithoutWrite(input, output);
  const conditions = [...(memory.conditions ?? [])];
  const index = conditions.findIndex(({ type }) => type === 'AbleToScale');
  const known = conditions[index];
  const remembered = input.memory.conditions?.find(({ type }) => type === 'AbleToScale');
  const before = [known, remembered].find((condition) => condition?.status === 'False');
  const failed = {
    type: 'AbleToScale',
    status: 'False',
    reason: 'FailedUpdateScale',
    lastTransitionTime: before?.lastTransitionTime ?? output.decision.time,
  } as const;
  if (known === undefined) conditions.push(failed);
  else conditions[index] = failed;
  return { ...memory, conditions };
}

/** The conditions that a successful write adds. */
function setWritten(evaluation: Evaluation): void {
  const { isWatermark, conditions, policy, count, settings, isDryRun } = evaluation;
  if (isWatermark) {
    // A dry run counts as made but was not, so it stays ready.
    if (!isDryRun) conditions.set('AbleToScale', { status: 'True', reason: 'SuccessfulScale', message: '' });
    return;
  }
  conditions.set('AbleToScale', { status: 'True', reason: 'SucceededRescale', message: '' });
  if (!settings.featureGates.ScaleToZero) {
    conditions.remove('ScaledToZero');
    return;
  }
  // Only a minimum of 0 lets a count come to 0.
  const isOwnZero = count === 0 && hasObjectOrExternal(policy);
  conditions.set('ScaledToZero', {
    status: isOwnZero ? 'True' : 'False',
    reason: isOwnZero ? 'ScaledToZero' : 'NotScaledToZero',
    message: '',
  });
}

/** The strategy that the next decision compares with: the requested one with the gate applied. */
function strategyAfter({
  memory,
  settings,
  selection,
  isRecorded,
}: Evaluation | UnreadEvaluation): SelectionStrategy | undefined {
  if (!isRecorded) return memory.selectionStrategy ?? undefined;
  return settings.featureGates.SelectionStrategy ? selection.requested : 'LabelSelector';
}

/** A change of the count that limits look at. */
interface CountedChange {
  readonly policy: EffectivePolicy;
  readonly from: number;
  readonly to: number;
  /** RFC 3339, and the same as an instant. */
  readonly time: string;
  readonly now: Evaluation['now'];
}

/** The events of a direction, with the size of the change where rate policies may look at it. */
function eventsAfter(
  events: Memory['scaleUpEvents'],
  change: CountedChange | null,
  direction: 'up' | 'down',
): readonly TimedReplicas[] {
  if (change === null || change.to > change.from !== (direction === 'up')) return events ?? [];
  const { policy, now, time } = change;
  const { isSet, scaleUp, scaleDown } = policy.behavior;
  const rules = direction === 'up' ? scaleUp : scaleDown;
  const isKept = policy.family === 'watermark' ? (rules.policies ?? []).length > 0 : isSet;
  if (!isKept) return events ?? [];
  const cutoff = addSeconds(now, -longestPeriod(rules));
  const replicas = Math.abs(change.to - change.from);
  return overwriteOutdated(events ?? [], { replicas, time }, (event) => isBefore(event.time, cutoff));
}

function longestPeriod({ policies }: DirectionRules): number {
  return (policies ?? []).reduce((longest, { periodSeconds }) => Math.max(longest, periodSeconds), 0);
}

/** Conditions without their message, which the next decision does not need. */
function remember(conditions: readonly Condition[]): readonly RememberedCondition[] {
  return conditions.map(({ type, status, reason, lastTransitionTime }) => ({
    type,
    status,
    reason,
    lastTransitionTime,
  }));
}

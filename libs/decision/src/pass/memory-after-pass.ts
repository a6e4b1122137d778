import { addSeconds } from '#kernel';
import type { DirectionRules } from '#policy';
import { hasObjectOrExternal } from '../metrics/evaluate-metrics.ts';
import type { DecideInput } from '../model/decide-input.ts';
import type { Action, DecideOutput } from '../model/decision.ts';
import type { Memory, TimedReplicas } from '../model/memory.ts';
import { isBefore, overwriteOutdated } from '../rules/recommendations.ts';
import type { Pass } from './pass.ts';
import { isScaling, remember } from './remembered.ts';

/** The memory for the next pass, as after a successful write where the action scales. */
export function memoryAfterPass(pass: Pass, action: Action): Memory {
  const { input, conditions, recommendations, selection, settings, isRecorded } = pass;
  const { memory } = input;
  const isWrite = isScaling(action);
  if (isWrite) setWritten(pass);
  const strategy = settings.featureGates.SelectionStrategy ? selection.requested : 'LabelSelector';
  const selectionStrategy = isRecorded ? strategy : (memory.selectionStrategy ?? undefined);
  const lastScaleTime = isWrite ? pass.time : (memory.lastScaleTime ?? undefined);
  return {
    ...(recommendations === undefined ? {} : { recommendations }),
    scaleUpEvents: eventsAfter(pass, action, 'ScaleUp'),
    scaleDownEvents: eventsAfter(pass, action, 'ScaleDown'),
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    ...(selectionStrategy === undefined ? {} : { selectionStrategy }),
    conditions: remember(conditions.list()),
  };
}

/**
 * The memory for the next pass when the write that `output` wants was not made: its recommendations and conditions,
 * and this input's scale events and last scaling.
 */
export function memoryWithoutWrite(
  { memory }: DecideInput,
  { decision, memory: after }: DecideOutput,
): Memory {
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

/** As {@link memoryWithoutWrite}, when the write was tried and failed: AbleToScale is False `FailedUpdateScale`. */
export function memoryAfterFailedWrite(input: DecideInput, output: DecideOutput): Memory {
  const memory = memoryWithoutWrite(input, output);
  const conditions = [...(memory.conditions ?? [])];
  const index = conditions.findIndex(({ type }) => type === 'AbleToScale');
  const known = conditions[index];
  const failed = {
    type: 'AbleToScale',
    status: 'False',
    reason: 'FailedUpdateScale',
    lastTransitionTime:
      known?.status === 'False' ? (known.lastTransitionTime ?? output.decision.time) : output.decision.time,
  } as const;
  if (known === undefined) conditions.push(failed);
  else conditions[index] = failed;
  return { ...memory, conditions };
}

/** The conditions that a successful write adds. */
function setWritten(pass: Pass): void {
  const { isWatermark, conditions, policy, count, current, bounds, settings } = pass;
  if (isWatermark) {
    // A dry run counts as made but was not, so it stays ready.
    if (!policy.dryRun)
      conditions.set('AbleToScale', { status: 'True', reason: 'SuccessfulScale', message: '' });
    return;
  }
  conditions.set('AbleToScale', { status: 'True', reason: 'SucceededRescale', message: '' });
  if (!settings.featureGates.ScaleToZero) {
    conditions.remove('ScaledToZero');
    return;
  }
  const isOwnZero = current !== 0 && count === 0 && bounds.min === 0 && hasObjectOrExternal(policy);
  conditions.set('ScaledToZero', {
    status: isOwnZero ? 'True' : 'False',
    reason: isOwnZero ? 'ScaledToZero' : 'NotScaledToZero',
    message: '',
  });
}

/** A change is remembered by its size where rate policies may look at it. */
function eventsAfter(
  pass: Pass,
  action: Action,
  direction: 'ScaleUp' | 'ScaleDown',
): readonly TimedReplicas[] {
  const { scaleUpEvents, scaleDownEvents } = pass.input.memory;
  const events = (direction === 'ScaleUp' ? scaleUpEvents : scaleDownEvents) ?? [];
  const { behavior } = pass.policy;
  const rules = direction === 'ScaleUp' ? behavior.scaleUp : behavior.scaleDown;
  const isKept = pass.isWatermark ? (rules.policies ?? []).length > 0 : behavior.isSet;
  if (action !== direction || !isKept) return events;
  const cutoff = addSeconds(pass.now, -longestPeriod(rules));
  const change = Math.abs(pass.count - pass.present);
  return overwriteOutdated(events, { replicas: change, time: pass.time }, ({ time }) =>
    isBefore(time, cutoff),
  );
}

function longestPeriod({ policies }: DirectionRules): number {
  return (policies ?? []).reduce((longest, { periodSeconds }) => Math.max(longest, periodSeconds), 0);
}

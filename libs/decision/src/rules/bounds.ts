import { describeIntervention, isInForce } from '../evaluation/describe-intervention.ts';
import { type Bounds, type Evaluation, note, type RuleOutcome } from '../evaluation/evaluation.ts';
import type { ObservedWindow, ScheduleWindow } from '../model/observation.ts';

/**
 * Replaces the policy's bounds with those of schedule windows, then with those of overrides. Of several the tightest
 * count; where minimum and maximum cross, the minimum gives way. They apply to the whole evaluation, the min/max
 * correction included.
 */
export function bounds(evaluation: Evaluation): RuleOutcome {
  if (evaluation.windows.length === 0 && evaluation.interventions.length === 0) return 'next';
  const schedules = evaluation.windows.filter(isSchedule).filter(hasBound);
  const overrides = evaluation.interventions
    .filter((intervention) => intervention.kind === 'Override')
    .filter((override) => hasBound(override) && isInForce(evaluation, override));
  if (schedules.length + overrides.length === 0) return 'next';
  const { min, max } = replaceBounds(replaceBounds(evaluation.bounds, schedules), overrides);
  const floor = evaluation.isWatermark ? Math.max(1, min) : min;
  evaluation.bounds = { min: Math.min(floor, max), max };
  const result = describeResult(floor, evaluation.bounds);
  for (const schedule of schedules) note(evaluation, 'schedule', `${describeSchedule(schedule)}; ${result}`);
  for (const override of overrides)
    note(evaluation, 'override', `${describeIntervention(override)}: ${describeBound(override)}; ${result}`);
  return 'next';
}

/** The tightest on each side; a side that none names stays. */
export function replaceBounds({ min, max }: Bounds, bounding: readonly Bound[]): Bounds {
  const minima = bounding.map(({ minReplicas }) => minReplicas).filter(isNumber);
  const maxima = bounding.map(({ maxReplicas }) => maxReplicas).filter(isNumber);
  return {
    min: minima.length === 0 ? min : minima.reduce((a, b) => Math.max(a, b)),
    max: maxima.length === 0 ? max : maxima.reduce((a, b) => Math.min(a, b)),
  };
}

function describeResult(wanted: number, { min, max }: Bounds): string {
  const gaveWay = wanted > max ? `, where the minimum of ${wanted} gave way to the maximum of ${max}` : '';
  return `this pass keeps between ${min} and ${max} replicas${gaveWay}`;
}

function describeSchedule({ name, until, ...bound }: ScheduleWindow): string {
  const end = until === null || until === undefined ? '' : ` until ${until}`;
  return `schedule "${name ?? ''}"${end}: ${describeBound(bound)}`;
}

interface Bound {
  readonly minReplicas?: number | null | undefined;
  readonly maxReplicas?: number | null | undefined;
}

function describeBound({ minReplicas, maxReplicas }: Bound): string {
  const parts = [
    isNumber(minReplicas) ? `at least ${minReplicas}` : '',
    isNumber(maxReplicas) ? `at most ${maxReplicas}` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function isSchedule(window: ObservedWindow): window is ScheduleWindow {
  return window.kind === 'Schedule';
}

function hasBound({ minReplicas, maxReplicas }: Bound): boolean {
  return isNumber(minReplicas) || isNumber(maxReplicas);
}

function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined;
}

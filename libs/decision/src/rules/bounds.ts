import type { ObservedWindow, OverrideIntervention, ScheduleWindow } from '../model/observation.ts';
import { isInForce, describeIntervention } from './intervention.ts';
import { note, type Bounds, type Pass, type Verdict } from '../pass/pass.ts';

/**
 * Puts schedule windows' bounds in the policy's place, then overrides'. Of several the tightest count; where minimum
 * and maximum cross, the minimum gives way. They hold for the whole pass, the min/max correction included.
 */
export function bounds(pass: Pass): Verdict {
  if (pass.current === null) return 'next';
  const schedules = (pass.observation.windows ?? []).filter(isSchedule).filter(hasBound);
  const overrides = (pass.observation.interventions ?? []).filter((intervention) =>
    isInForce(pass, intervention),
  );
  applySchedules(pass, schedules);
  applyOverrides(pass, overrides.filter((intervention) => intervention.kind === 'Override').filter(hasBound));
  return 'next';
}

function applySchedules(pass: Pass, schedules: readonly ScheduleWindow[]): void {
  if (schedules.length === 0) return;
  const { replaced, gaveWay } = tightest(pass, schedules);
  pass.bounds = replaced;
  for (const { name, until, ...bound } of schedules) {
    const end = until === null || until === undefined ? '' : ` until ${until}`;
    note(
      pass,
      'schedule',
      `schedule "${name ?? ''}"${end}: ${describeBound(bound)}; ${describeBounds(replaced)}${gaveWay}`,
    );
  }
}

function applyOverrides(pass: Pass, overrides: readonly OverrideIntervention[]): void {
  if (overrides.length === 0) return;
  const { replaced, gaveWay } = tightest(pass, overrides);
  pass.bounds = replaced;
  for (const override of overrides)
    note(
      pass,
      'override',
      `${describeIntervention(override)}: ${describeBound(override)}; ${describeBounds(replaced)}${gaveWay}`,
    );
}

interface Bound {
  readonly minReplicas?: number | null | undefined;
  readonly maxReplicas?: number | null | undefined;
}

function tightest(pass: Pass, bounding: readonly Bound[]): { replaced: Bounds; gaveWay: string } {
  const minima = bounding.map(({ minReplicas }) => minReplicas).filter(isNumber);
  const maxima = bounding.map(({ maxReplicas }) => maxReplicas).filter(isNumber);
  const floor = pass.isWatermark ? 1 : 0;
  const min = minima.length === 0 ? pass.bounds.min : minima.reduce((a, b) => Math.max(a, b), floor);
  const max = maxima.length === 0 ? pass.bounds.max : maxima.reduce((a, b) => Math.min(a, b));
  if (min <= max) return { replaced: { min, max }, gaveWay: '' };
  return {
    replaced: { min: max, max },
    gaveWay: `, where the minimum of ${min} gave way to the maximum of ${max}`,
  };
}

function describeBound({ minReplicas, maxReplicas }: Bound): string {
  const parts = [
    isNumber(minReplicas) ? `at least ${minReplicas}` : '',
    isNumber(maxReplicas) ? `at most ${maxReplicas}` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function describeBounds({ min, max }: Bounds): string {
  return `this pass keeps between ${min} and ${max} replicas`;
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

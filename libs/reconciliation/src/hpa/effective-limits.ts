import {
  describeIntervention,
  type Direction,
  type Intervention,
  latestPin,
  type ObservedWindow,
  type OverrideIntervention,
  replaceBounds,
  type SuspendIntervention,
} from '#decision';
import { compareInstants, parseInstant } from '#kernel';
import type { EffectivePolicy } from '#policy';

/** What is in force beside a policy at a moment. */
export interface InForce {
  /** RFC 3339. */
  readonly time: string;
  readonly windows: readonly ObservedWindow[];
  /** Those that have expired by `time` do not act. */
  readonly interventions: readonly Intervention[];
  /** What else stops a direction, and has no end that is known. */
  readonly stops?: readonly Stop[];
}

/** What stops a direction, for people: `freeze "release"`. */
export interface Stop {
  readonly direction: Direction;
  readonly name: string;
}

/** A policy's limits with its windows and interventions applied. */
export interface EffectiveLimits {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** The count that an override names, within the bounds; null: none does. */
  readonly pin: number | null;
  readonly stops: readonly Stop[];
  /** The windows and interventions that act, for people. */
  readonly names: readonly string[];
  /** When the first of what acts ends, RFC 3339; null: nothing acts, or without an end. */
  readonly until: string | null;
}

type OwnBounds = Pick<EffectivePolicy, 'minReplicas' | 'maxReplicas'>;

/** Applies windows and interventions to a policy's bounds, as a decision does. */
export function effectiveLimits(policy: OwnBounds, inForce: InForce): EffectiveLimits {
  const { stops = [] } = inForce;
  if (inForce.windows.length === 0 && inForce.interventions.length === 0 && stops.length === 0)
    return ownLimits(policy);
  const interventions = inForce.interventions.filter(({ expires }) => isBefore(inForce.time, expires));
  const schedules = inForce.windows.filter((window) => window.kind === 'Schedule');
  const overrides = interventions.filter((each): each is OverrideIntervention => each.kind === 'Override');
  const written = { min: policy.minReplicas, max: policy.maxReplicas };
  const { min, max } = replaceBounds(replaceBounds(written, schedules), overrides);
  const bounds = { minReplicas: Math.min(min, max), maxReplicas: max };
  const pin = latestPin(overrides);
  return {
    ...bounds,
    pin: pin === null ? null : Math.min(Math.max(pin.replicas, bounds.minReplicas), max),
    stops: [...inForce.windows.flatMap(freezeOf), ...interventions.flatMap(suspensionOf), ...stops],
    names: [
      ...inForce.windows.map(nameOfWindow),
      ...interventions.map(describeIntervention),
      ...stops.map(({ name }) => name),
    ],
    until: earliest([
      ...inForce.windows.map(({ until }) => until),
      ...interventions.map(({ expires }) => expires),
    ]),
  };
}

function ownLimits({ minReplicas, maxReplicas }: OwnBounds): EffectiveLimits {
  const min = Math.min(minReplicas, maxReplicas);
  return { minReplicas: min, maxReplicas, pin: null, stops: [], names: [], until: null };
}

function nameOfWindow({ kind, name }: ObservedWindow): string {
  return `${kind === 'Freeze' ? 'freeze' : 'schedule'} "${name ?? ''}"`;
}

function freezeOf(window: ObservedWindow): readonly Stop[] {
  if (window.kind !== 'Freeze') return [];
  return [{ direction: window.direction, name: `freeze "${window.name ?? ''}"` }];
}

function suspensionOf(intervention: Intervention): readonly Stop[] {
  return intervention.kind === 'Suspend' ? [suspensionStop(intervention)] : [];
}

function suspensionStop({ direction, actor }: SuspendIntervention): Stop {
  return { direction, name: `a suspension by ${actor ?? 'nobody named'}` };
}

function earliest(times: readonly (string | null | undefined)[]): string | null {
  let first: string | null = null;
  for (const time of times) {
    if (time === null || time === undefined) continue;
    if (first === null || isBefore(time, first)) first = time;
  }
  return first;
}

function isBefore(time: string, other: string): boolean {
  const [one, two] = [parseInstant(time), parseInstant(other)];
  return one !== undefined && two !== undefined && compareInstants(one, two) < 0;
}

import type { Fields } from '../reading/fields.ts';
import * as schema from '../schema/parts.ts';
import { allowsZero, type ReadMetrics } from './metric-list.ts';

/** Bounds as written; the minimum's default is 1. */
export interface Bounds {
  readonly minReplicas: number | undefined;
  readonly maxReplicas: number | undefined;
}

/** Reads minReplicas (at least 0) and maxReplicas (at least 1, at least minReplicas). */
export function readBounds(spec: Fields): Bounds {
  const minReplicas = spec.has('minReplicas') ? spec.int32('minReplicas', schema.minReplicas) : 1;
  spec.requires('maxReplicas', 'at least 1, and at least minReplicas');
  const maxReplicas = spec.int32('maxReplicas', schema.maxReplicas);
  if (minReplicas !== undefined && maxReplicas !== undefined && maxReplicas < minReplicas) {
    const message = `maxReplicas must be at least minReplicas (${minReplicas}), is ${maxReplicas}`;
    spec.report('maxReplicas', { code: 'OutOfRange', message });
  }
  return { minReplicas, maxReplicas };
}

/** Warns of a fixed count outside the bounds: a disabled policy is brought to it as it stands. */
export function warnOutsideBounds(
  spec: Fields,
  replicas: number,
  { minReplicas = 0, maxReplicas = replicas }: Bounds,
): void {
  const report = (bound: string): void => {
    const message = `replicas ${replicas} is ${bound}`;
    const hint = 'it is the count of the disabled policy, for which the bounds do not count';
    spec.report('replicas', { severity: 'warning', code: 'CrossingBounds', message, hint });
  };
  if (replicas > maxReplicas) report(`above maxReplicas (${maxReplicas})`);
  else if (replicas < minReplicas) report(`below minReplicas (${minReplicas})`);
}

/** A minimum of 0 needs a metric that does not vanish with the last pod. */
export function checkZeroMinimum(
  spec: Fields,
  minReplicas: number | undefined,
  metrics: ReadMetrics | undefined,
): void {
  if (minReplicas === 0 && !mayBeZero(spec, metrics)) spec.report('metrics', zeroNeedsMetric);
}

/** Whether metrics allow a minimum of 0, or are written in a form of which nothing is known. */
export function mayBeZero(spec: Fields, metrics: ReadMetrics | undefined): boolean {
  const written = spec.raw('metrics') ?? [];
  const isUnreadable = metrics === undefined && !(Array.isArray(written) && written.length === 0);
  return isUnreadable || allowsZero(metrics);
}

/** Why a minimum of 0 is refused. */
export const zeroNeedsMetric = {
  code: 'Required',
  message: 'metrics must have an Object or External metric where minReplicas is 0',
  hint: 'with no pod left, a metric of pods can never scale up again; set minReplicas to 1 or add such a metric',
} as const;

import type { JsonObject } from '#kernel';
import { durationWithin } from '../rules/durations.ts';
import { defaultIntervalSeconds, intervalRule } from '../schema/autoscaling-policy.ts';

/**
 * How often the policy of a document is evaluated, in seconds, whatever else is wrong with the document; undefined: its
 * interval is what is wrong.
 *
 * @param kind Of which `AutoscalingPolicy` alone has an interval of its own.
 */
export function writtenInterval(kind: string, { interval }: JsonObject): number | undefined {
  const isDefault = kind !== 'AutoscalingPolicy' || interval === undefined || interval === null;
  return isDefault ? defaultIntervalSeconds : durationWithin(interval, intervalRule);
}

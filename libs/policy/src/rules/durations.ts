import { wrongType } from '../reading/field-findings.ts';
import type { Fields } from '../reading/fields.ts';
import { hasPlaceholder, placeholderLeft } from '../reading/placeholder.ts';
import { showValue } from '../reading/show-value.ts';
import type { DurationRule } from '../schema/parts.ts';

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Reads a duration such as `15s` or `5h`: one whole number and one unit. In seconds. */
export function readDuration(fields: Fields, name: string, rule: DurationRule): number | undefined {
  const value = fields.raw(name);
  if (typeof value === 'number' || typeof value === 'bigint') {
    fields.report(name, { ...wrongType(name, value, 'a string'), hint: unitHint(value, rule) });
    return undefined;
  }
  const text = fields.string(name);
  if (text === undefined) return undefined;
  const seconds = durationSeconds(text, rule.units);
  const { min, max } = rule;
  if (seconds === undefined) {
    const message = `${name} must be a whole number and one unit of ${unitList(rule.units)}, is ${showValue(text)}`;
    const finding = { code: 'InvalidValue', message, hint: `such as ${min} or ${max}` } as const;
    fields.report(name, hasPlaceholder(text) ? placeholderLeft(name, text) : finding);
    return undefined;
  }
  if (isWithin(seconds, rule)) return seconds;
  fields.report(name, {
    code: 'OutOfRange',
    message: `${name} must be ${min} to ${max}, is ${showValue(text)}`,
  });
  return undefined;
}

/** The seconds of a text; undefined: it is no duration within the rule's bounds. */
export function durationWithin(value: unknown, rule: DurationRule): number | undefined {
  const seconds = typeof value === 'string' ? durationSeconds(value, rule.units) : undefined;
  return seconds !== undefined && isWithin(seconds, rule) ? seconds : undefined;
}

/** What a number without a unit becomes with the smallest unit that brings it within the bounds. */
function unitHint(value: number | bigint, rule: DurationRule): string {
  const written = Array.from(rule.units).map((unit) => `${value}${unit}`);
  const meant = written.find((each) => isWithin(durationSeconds(each, rule.units) ?? 0, rule));
  return `write it with its unit, such as ${meant ?? `${rule.min} or ${rule.max}`}`;
}

function isWithin(seconds: number, { min, max }: DurationRule): boolean {
  return seconds >= secondsOf(min) && seconds <= secondsOf(max);
}

function unitList(units: string): string {
  return Array.from(units).join(', ');
}

function secondsOf(text: string): number {
  return durationSeconds(text, 'smhd') ?? 0;
}

function durationSeconds(text: string, units: string): number | undefined {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const unit = match?.[2];
  if (match === null || unit === undefined || !units.includes(unit)) return undefined;
  return Number(match[1]) * (unitSeconds[unit] ?? 0);
}

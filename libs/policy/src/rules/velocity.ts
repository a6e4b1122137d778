import type { Fields } from '../reading/fields.ts';
import { type QuantityForm, readQuantity } from '../reading/quantities.ts';
import { warnOfLimit } from './unlikely-units.ts';

/** 100 % in thousandths of a percent: a scale-down by all replicas at once is no limit at all. */
const wholeMilliPercent = 100_000n;

/** How to read a velocity. */
export interface LimitRule {
  readonly direction: 'scaleUp' | 'scaleDown';
  readonly form: QuantityForm;
}

/**
 * Reads a velocity in percent of the present count: up at least 0, down at least 0 and below 100; 0 forbids the
 * direction. In thousandths of a percent, rounded away from zero.
 */
export function readLimit(fields: Fields, name: string, rule: LimitRule): bigint | undefined {
  const quantity = readQuantity(fields, name, rule.form);
  if (quantity === undefined) return undefined;
  const isDown = rule.direction === 'scaleDown';
  const isInRange = quantity.milli >= 0n && (!isDown || quantity.milli < wholeMilliPercent);
  if (isInRange && !quantity.isSaturated) {
    warnOfLimit(fields, name, quantity);
    return quantity.milli;
  }
  const range = isDown ? 'at least 0 and below 100' : 'at least 0, within 64 bits in thousandths';
  fields.report(name, { code: 'OutOfRange', message: `${name} must be ${range}, is ${quantity.text}` });
  return undefined;
}

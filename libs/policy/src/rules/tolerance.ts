import { approximateFloat64, parseQuantity } from '#kernel';
import type { Tolerance } from '../model/metric-spec.ts';
import type { Fields } from '../reading/fields.ts';
import { readQuantity } from '../reading/quantities.ts';
import { warnOfTolerance } from './unlikely-units.ts';

/** Reads a tolerance of autoscaling/v2: a fraction, at least 0. */
export function readTolerance(fields: Fields, name: string): Tolerance | undefined {
  const quantity = readQuantity(fields, name);
  if (quantity === undefined) return undefined;
  if (quantity.milli < 0n) {
    fields.report(name, { code: 'OutOfRange', message: `${name} must be at least 0, is ${quantity.text}` });
    return undefined;
  }
  warnOfTolerance(fields, name, quantity);
  const exact = parseQuantity(quantity.text);
  return exact.ok ? { text: quantity.text, fraction: approximateFloat64(exact.value) } : undefined;
}

import type { JsonObject } from '#kernel';
import type { Fields } from '../reading/fields.ts';
import { type PolicyQuantity, type QuantityForm, readQuantity } from '../reading/quantities.ts';
import { warnOfMarkUnits } from './unlikely-units.ts';

/** Thousandths of a Watermark tolerance that is left out: 0.1. */
export const toleranceDefaultMilli = 100;
const toleranceMaximumMilli = 1000n;

/** Two marks; where one was written it is both. */
export interface Marks {
  readonly milli: { readonly lowMilli: bigint; readonly highMilli: bigint };
  /** As the native form writes them. */
  readonly document: JsonObject;
}

/** Reads `lowWatermark` and `highWatermark`: at least one, high not below low, each within 64 bits in thousandths. */
export function readMarks(fields: Fields, form: QuantityForm): Marks | undefined {
  const low = readMark(fields, 'lowWatermark', form);
  const high = readMark(fields, 'highWatermark', form);
  const isWritten = fields.has('lowWatermark') || fields.has('highWatermark');
  if (!isWritten) fields.missing('highWatermark', 'or lowWatermark; one is both');
  if (low !== undefined && high !== undefined && high.milli < low.milli) {
    const message = `highWatermark must be at least lowWatermark (${low.text}), is ${high.text}`;
    fields.report('highWatermark', { code: 'OutOfRange', message });
    return undefined;
  }
  const [one, other] = [low ?? high, high ?? low];
  if (one === undefined || other === undefined) return undefined;
  warnOfMarkUnits(fields.place, one, other);
  return {
    milli: { lowMilli: one.milli, highMilli: other.milli },
    document: { lowWatermark: one.text, highWatermark: other.text },
  };
}

function readMark(fields: Fields, name: string, form: QuantityForm): PolicyQuantity | undefined {
  const quantity = readQuantity(fields, name, form);
  if (quantity?.isSaturated !== true) return quantity;
  fields.report(name, {
    code: 'OutOfRange',
    message: `${name} must fit 64 bits in thousandths, is ${quantity.text}`,
  });
  return undefined;
}

/** Reads the tolerance of a Watermark target: 0 to 1, in thousandths rounded away from zero. */
export function readWatermarkTolerance(fields: Fields, form: QuantityForm): number | undefined {
  const quantity = readQuantity(fields, 'tolerance', form);
  if (quantity === undefined) return undefined;
  if (quantity.milli >= 0n && quantity.milli <= toleranceMaximumMilli) return Number(quantity.milli);
  fields.report('tolerance', {
    code: 'OutOfRange',
    message: `tolerance must be 0 to 1, is ${quantity.text}`,
    hint: 'it is a fraction: 0.1 is 10 %',
  });
  return undefined;
}

import { maxInt64, minInt64, parseMilli, parseQuantity } from '#kernel';
import { wrongType } from './field-findings.ts';
import type { Fields } from './fields.ts';
import type { Finding } from './place.ts';
import { hasPlaceholder, placeholderLeft } from './placeholder.ts';
import { showValue } from './show-value.ts';
import { SpelledNumber } from './spelled-number.ts';
import { suggested } from './suggested.ts';

/** Longer texts mean nothing a shorter one does not, and exact arithmetic on them takes time. */
const maximumLength = 256;

/** The fields of `spec`, of all kinds and versions, that hold a quantity. */
export const quantityFields: ReadonlySet<string> = new Set([
  'value',
  'averageValue',
  'targetValue',
  'targetAverageValue',
  'lowWatermark',
  'highWatermark',
  'tolerance',
  'limitPercent',
  'scaleUpLimitFactor',
  'scaleDownLimitFactor',
]);

/** How a server takes a quantity that is no string. */
export type QuantityForm =
  /** Any JSON number (Kubernetes' own kinds). */
  | 'Number'
  /** A whole number of 64 bits (a custom resource's int-or-string). */
  | 'Whole';

/** A quantity of a policy. */
export interface PolicyQuantity {
  /** As written; a number as JSON writes it. */
  readonly text: string;
  /** Thousandths rounded away from zero, saturated at int64: its sign is the quantity's. */
  readonly milli: bigint;
  /** Whether the thousandths leave int64. */
  readonly isSaturated: boolean;
}

/** Reads a quantity; anything that is none is reported. */
export function readQuantity(
  fields: Fields,
  name: string,
  form: QuantityForm = 'Number',
): PolicyQuantity | undefined {
  const value = fields.raw(name);
  if (value === undefined) return undefined;
  const quantity = quantityOf(value, form);
  if (quantity === undefined) fields.report(name, notAQuantity(name, value, form));
  return quantity;
}

/** The quantity of a value, or `undefined`; nothing is reported. */
export function quantityOf(value: unknown, form: QuantityForm = 'Number'): PolicyQuantity | undefined {
  const text = quantityText(value, form);
  return text === undefined ? undefined : parsePolicyQuantity(text);
}

/** The quantity of a text; `undefined` where it is none. */
export function parsePolicyQuantity(text: string): PolicyQuantity | undefined {
  if (text.length > maximumLength) return undefined;
  const milli = parseMilli(text);
  if (milli !== undefined) return { text, milli: BigInt(milli), isSaturated: false };
  const exact = parseQuantity(text);
  if (!exact.ok) return undefined;
  return { text, milli: exact.value.mantissa < 0n ? minInt64 : maxInt64, isSaturated: true };
}

function quantityText(value: unknown, form: QuantityForm): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof SpelledNumber) return value.text;
  if (form === 'Whole') return wholeText(value);
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

function wholeText(value: unknown): string | undefined {
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isInteger(value))) return undefined;
  const whole = BigInt(value);
  return whole >= minInt64 && whole <= maxInt64 ? whole.toString() : undefined;
}

function notAQuantity(name: string, value: unknown, form: QuantityForm): Finding {
  if (typeof value === 'string') {
    if (hasPlaceholder(value)) return placeholderLeft(name, value);
    const message = `${name} must be a quantity such as 250m, 1.5 or 2Gi, is ${showValue(value)}`;
    return { code: 'InvalidQuantity', message, ...quantityHint(name, value) };
  }
  if (form === 'Number' && typeof value === 'number')
    return { code: 'InvalidQuantity', message: `${name} must be a quantity, is ${showValue(value)}` };
  if (typeof value !== 'number' && typeof value !== 'bigint') return wrongType(name, value, 'a quantity');
  const message = `${name} must be a whole number of 64 bits or a quoted quantity, is ${showValue(value)}`;
  return { code: 'InvalidQuantity', message, hint: `quote it: "${String(value)}"` };
}

/** Units as people write them, and what a quantity calls them. */
const units: Readonly<Record<string, string>> = {
  '': '',
  b: '',
  k: 'k',
  kb: 'k',
  mb: 'M',
  gb: 'G',
  tb: 'T',
  ki: 'Ki',
  kib: 'Ki',
  mi: 'Mi',
  mib: 'Mi',
  gi: 'Gi',
  gib: 'Gi',
  ti: 'Ti',
  tib: 'Ti',
  millicores: 'm',
};

/** The quantity that a text means: `512M` for "512 MB", `0.5` for "0,5"; of a percentage, where it belongs. */
function quantityHint(name: string, text: string): Pick<Finding, 'hint' | 'meant'> {
  const [, whole, decimals = '', unit = ''] = /^(\d{1,15})([.,]\d{1,9})?\s*([a-z]*|%)$/i.exec(text) ?? [];
  if (whole === undefined) return {};
  const number = whole + decimals.replace(',', '.');
  if (unit === '%') return { hint: percentHint(name, number) };
  const meant = units[unit.toLowerCase()];
  return suggested(meant === undefined ? undefined : `${number}${meant}`);
}

function percentHint(name: string, number: string): string {
  if (name === 'tolerance') return `it is a fraction: write ${Number(number) / 100}`;
  if (name === 'targetAverageValue') return `a percentage is written targetAverageUtilization: ${number}`;
  if (name === 'averageValue' || name === 'value')
    return `a percentage is written type: Utilization with averageUtilization: ${number}`;
  return /^limitPercent$|LimitFactor$/.test(name)
    ? `it is in percent: write ${number}`
    : 'a quantity has no %';
}

import { parseQuantity } from '#kernel';
import { decision } from '../../messages/decision.ts';
import { fieldOf } from './bounds-of.ts';
import type { MetricPartsFragment } from './decision.generated.ts';

const texts = decision.metrics;

/** A metric's value and what it is held against, as people read them, and as numbers in the same unit. */
export interface MetricValues {
  /** Null: it has no value, or one that its target does not name. */
  readonly value: { readonly text: string; readonly number: number } | null;
  readonly target: { readonly text: string; readonly marks: readonly number[] } | null;
}

/** Reads the value that the metric's target is about. */
export function metricValues({
  current,
  target,
}: Pick<MetricPartsFragment, 'current' | 'target'>): MetricValues {
  const low = fieldOf(target, 'lowWatermark');
  const high = fieldOf(target, 'highWatermark');
  const kind = kindOf(target) ?? kindOf(current);
  const value = kind === undefined ? null : labelled(kind, fieldOf(current, kind));
  if (low !== undefined && high !== undefined) {
    const marks = [numberOf(low), numberOf(high)].filter((mark) => mark !== undefined);
    return { value, target: { text: texts.between(plain(low), plain(high)), marks } };
  }
  const wanted = kind === undefined ? null : labelled(kind, fieldOf(target, kind));
  return { value, target: wanted === null ? null : { text: wanted.text, marks: [wanted.number] } };
}

const kinds = ['averageUtilization', 'averageValue', 'value'] as const;
type Kind = (typeof kinds)[number];

function kindOf(of: unknown): Kind | undefined {
  return kinds.find((kind) => fieldOf(of, kind) !== undefined);
}

function labelled(kind: Kind, value: unknown): { readonly text: string; readonly number: number } | null {
  const number = numberOf(value);
  if (number === undefined) return null;
  if (kind === 'averageUtilization') return { text: texts.ofRequest(plain(value)), number };
  return { text: kind === 'averageValue' ? texts.perPod(plain(value)) : plain(value), number };
}

function plain(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function numberOf(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const read = parseQuantity(value);
  return read.ok ? Number(read.value.mantissa) * 10 ** read.value.exponent : undefined;
}

import type { Fields } from '../reading/fields.ts';
import { isMap } from '../reading/is-map.ts';
import type { Finding, Place } from '../reading/place.ts';
import { type PolicyQuantity, quantityOf } from '../reading/quantities.ts';
import { suggested } from '../reading/suggested.ts';

/** No pod averages a hundred cores: who writes so many means millicores. */
const unlikelyCpuMilli = 100_000n;
/** No pod lives in a mebibyte: who writes less means megabytes. */
const unlikelyBytesMilli = 1024n * 1024n * 1000n;
/** Marks whose units differ are this far apart at the least where one of the units is a slip. */
const unlikelyRatio = 100n;

/** The fields of a target that hold an amount of a resource, of all kinds. */
const amounts = ['averageValue', 'targetAverageValue', 'lowWatermark', 'highWatermark'] as const;

/** A target of a resource's usage. */
export interface UsageTarget {
  readonly resource: string | undefined;
  /** `total`: all pods together are compared, which may well be hundreds of cores. */
  readonly compares: 'pod' | 'total';
}

/** Warns of amounts of cpu and memory that are what another unit makes of them. `source` has the target, or is it. */
export function warnOfUnits(source: Fields, { resource, compares }: UsageTarget): void {
  const target = source.raw('target');
  const place = isMap(target) ? source.place.child('target') : source.place;
  for (const name of amounts) {
    const quantity = quantityOf(isMap(target) ? target[name] : source.raw(name));
    const finding = quantity === undefined ? undefined : unlikely(name, quantity, { resource, compares });
    if (finding !== undefined) place.child(name).report(finding);
  }
}

function unlikely(name: string, quantity: PolicyQuantity, target: UsageTarget): Finding | undefined {
  const { text, milli } = quantity;
  if (milli <= 0n) return undefined;
  if (target.resource === 'cpu' && target.compares === 'pod' && milli >= unlikelyCpuMilli)
    return finding(`${name} ${text} is read as ${grouped(milli / 1000n)} cores`, withUnit(text, 'm'));
  const isMemory = target.resource === 'memory' || target.resource === 'ephemeral-storage';
  if (!isMemory || milli >= unlikelyBytesMilli) return undefined;
  const bytes = milli < 1000n ? 'less than a byte' : `${grouped(milli / 1000n)} bytes`;
  return finding(`${name} ${text} is read as ${bytes}`, withUnit(text, 'Mi'));
}

/** Warns of marks of which one is written with a unit, the other without, and which are far apart. */
export function warnOfMarkUnits(place: Place, low: PolicyQuantity, high: PolicyQuantity): void {
  const [lowUnit, highUnit] = [unitOf(low.text), unitOf(high.text)];
  if (lowUnit === highUnit || (lowUnit !== '' && highUnit !== '')) return;
  if (low.milli <= 0n || high.milli < low.milli * unlikelyRatio) return;
  const [name, { text }] = highUnit === '' ? ['highWatermark', high] : ['lowWatermark', low];
  const times = grouped(high.milli / low.milli);
  const message = `highWatermark ${high.text} is ${times} times lowWatermark ${low.text}`;
  place.child(name).report(finding(message, withUnit(text, lowUnit + highUnit)));
}

/** Warns of a tolerance that is written in percent: it is a fraction. */
export function warnOfTolerance(fields: Fields, name: string, { text, milli }: PolicyQuantity): void {
  if (milli < 1000n) return;
  const percent = Number(milli) / 1000;
  const message = `${name} ${text} is read as ${percent * 100} %`;
  fields.report(name, finding(message, percent <= 100 ? `${percent / 100}` : undefined));
}

/** Warns of a limit that is written as a fraction: it is in percent. */
export function warnOfLimit(fields: Fields, name: string, { text, milli }: PolicyQuantity): void {
  if (milli <= 0n || milli >= 1000n) return;
  const message = `${name} ${text} is read as ${Number(milli) / 1000} % of the replicas`;
  fields.report(name, finding(message, `${Number(milli) / 10}`));
}

function finding(message: string, meant: string | undefined): Finding {
  return { severity: 'warning', code: 'UnlikelyUnit', message, ...suggested(meant) };
}

/** The number of a quantity with another unit; `undefined` where it is written with an exponent. */
function withUnit(text: string, unit: string): string | undefined {
  const number = /^\+?(\d+(?:\.\d+)?)(?:[a-zA-Z]i?)?$/.exec(text)?.[1];
  return number === undefined ? undefined : `${number}${unit}`;
}

function unitOf(text: string): string {
  return /[a-zA-Z]i?$/.exec(text)?.[0] ?? '';
}

/** `1,250`: a long number is easily read for another. */
function grouped(value: bigint): string {
  return value.toLocaleString('en');
}

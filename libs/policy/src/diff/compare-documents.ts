import { isJsonObject, type Json, type JsonObject, parseQuantity, type Quantity } from '#kernel';
import { quantityFields } from '../reading/quantities.ts';
import { itemKeys } from './item-keys.ts';

/** One value that differs between two forms of a policy. */
export interface FieldChange {
  /** In the native form, items of lists by what they are: `metrics[Resource cpu].resource.target.averageUtilization`. */
  readonly path: string;
  /** Absent: it was not there. */
  readonly before?: Json;
  /** Absent: it is no longer there. */
  readonly after?: Json;
}

/**
 * What differs between two documents of any kind that has metrics. Quantities are compared by value (`500m` is `0.5`); the
 * order of metrics, schedules and rate policies is no change.
 */
export function compareDocuments(before: JsonObject, after: JsonObject): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  compareMaps(before, after, { path: '', changes });
  return changes;
}

interface Visit {
  readonly path: string;
  readonly changes: FieldChange[];
}

function compareMaps(before: JsonObject, after: JsonObject, { path, changes }: Visit): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const name = /^[\w-]+$/.test(key) ? `${path === '' ? '' : `${path}.`}${key}` : `${path}[${key}]`;
    compareValues(key, [before[key], after[key]], { path: name, changes });
  }
}

function compareValues(
  key: string,
  [before, after]: readonly [Json | undefined, Json | undefined],
  { path, changes }: Visit,
): void {
  if (before === undefined && after === undefined) return;
  if (isJsonObject(before) && isJsonObject(after)) {
    compareMaps(before, after, { path, changes });
  } else if (Array.isArray(before) && Array.isArray(after)) {
    compareItems(itemKeys(key, before), itemKeys(key, after), { path, changes });
  } else if (!isSameValue(key, before, after)) {
    changes.push({
      path,
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    });
  }
}

function compareItems(
  before: ReadonlyMap<string, Json>,
  after: ReadonlyMap<string, Json>,
  { path, changes }: Visit,
): void {
  for (const key of new Set([...before.keys(), ...after.keys()]))
    compareValues(key, [before.get(key), after.get(key)], { path: `${path}[${key}]`, changes });
}

/** Whether two values of a field that are no maps or lists say the same. */
export function isSameValue(key: string, before: Json | undefined, after: Json | undefined): boolean {
  if (before === after) return true;
  if (!quantityFields.has(key) || !isScalar(before) || !isScalar(after)) return false;
  const [one, other] = [parseQuantity(before), parseQuantity(after)];
  if (!one.ok || !other.ok) return false;
  const least = Math.min(one.value.exponent, other.value.exponent);
  return scaled(one.value, least) === scaled(other.value, least);
}

/** Exact, in units of 10^least. */
function scaled({ mantissa, exponent }: Quantity, least: number): bigint {
  return mantissa * 10n ** BigInt(exponent - least);
}

function isScalar(value: Json | undefined): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

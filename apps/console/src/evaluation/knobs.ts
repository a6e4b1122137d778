import { isJsonObject, type Json, type JsonObject } from '#kernel';
import type { EffectivePolicy, MetricSpec } from '#policy';
import { pointerTo, valueAt } from './json-pointer.ts';

/** A value of a decision's input that can be changed to see what would have been decided. */
export interface Knob {
  /** JSON Pointer into the input. */
  readonly pointer: string;
  readonly group: 'Count' | 'Target' | 'Measured' | 'Behavior';
  /** What it is a field of: a metric's name, or nothing. */
  readonly of: string;
  /** The field's own name. */
  readonly field: string;
  /** What acts as recorded, written or by default. */
  readonly value: string | number;
}

/** A policy has some ten; one that is made of numbers is cut off here. */
const maximumKnobs = 100;

/** Fields of a metric that say what it is, not what it is held to. */
const identity = new Set([
  'metric',
  'describedObject',
  'selector',
  'name',
  'query',
  'server',
  'container',
  'type',
]);

/** Quantities that a target may write as text. */
const quantityFields = new Set(['averageValue', 'value', 'lowWatermark', 'highWatermark', 'tolerance']);

/** What can be changed of the present count, the policy's bounds, targets and limits, and the tolerance of all. */
export function knobsOf(input: JsonObject, policy: EffectivePolicy): readonly Knob[] {
  const spec = valueAt(input, '/policy/spec');
  if (!isJsonObject(spec)) return [];
  const { metrics, recommender, behavior, ...others } = spec;
  return [
    ...presentCount(input),
    bound('minReplicas', policy.minReplicas),
    bound('maxReplicas', policy.maxReplicas),
    ...(Array.isArray(metrics) ? metrics : []).flatMap((metric: Json, index) =>
      numbersIn(metric, pointerTo('/policy/spec/metrics', index)).map((each): Knob => ({
        ...each,
        group: 'Target',
        of: metricName(policy.metrics[index]),
      })),
    ),
    ...numbersIn(recommender, '/policy/spec/recommender').map((each): Knob => ({
      ...each,
      group: 'Target',
      of: 'recommender',
    })),
    ...toleranceOfAll(input),
    ...policy.metrics.flatMap((metric, index) => measured(input, metric, index)),
    ...numbersIn({ behavior, ...others }, '/policy/spec')
      .filter(isNoBound)
      .map((each): Knob => ({
        ...each,
        group: 'Behavior',
        of: placeOf(each.pointer),
      })),
  ].slice(0, maximumKnobs);
}

function presentCount(input: JsonObject): readonly Knob[] {
  const pointer = '/observation/scale/specReplicas';
  const value = valueAt(input, pointer);
  return typeof value === 'number' ? [{ pointer, group: 'Count', of: '', field: 'specReplicas', value }] : [];
}

function bound(field: 'minReplicas' | 'maxReplicas', value: number): Knob {
  return { pointer: `/policy/spec/${field}`, group: 'Count', of: '', field, value };
}

function isNoBound({ pointer }: Pick<Knob, 'pointer'>): boolean {
  return pointer !== '/policy/spec/minReplicas' && pointer !== '/policy/spec/maxReplicas';
}

/** What counts where neither a target nor the behaviour names a tolerance. */
function toleranceOfAll(input: JsonObject): readonly Knob[] {
  const pointer = '/settings/tolerance';
  const value = valueAt(input, pointer);
  return typeof value === 'number' ? [{ pointer, group: 'Target', of: '', field: 'tolerance', value }] : [];
}

/** What an Object, External or Prometheus metric answered with; the samples of pods are shown with the pods. */
function measured(input: JsonObject, metric: MetricSpec, index: number): readonly Knob[] {
  const answer = valueAt(input, pointerTo('/observation/metrics', index));
  if (!isJsonObject(answer)) return [];
  const pointer = pointerTo('/observation/metrics', index);
  const knob = { group: 'Measured', of: metricName(metric), field: 'value' } as const;
  const values: readonly Json[] = Array.isArray(answer['values']) ? answer['values'] : [];
  return [
    { at: pointerTo(pointer, 'value'), value: answer['value'] },
    ...values.map((value, position) => ({ at: pointerTo(pointer, 'values', position), value })),
  ].flatMap(({ at, value }) =>
    typeof value === 'string' || typeof value === 'number' ? [{ ...knob, pointer: at, value }] : [],
  );
}

/** What people call a metric: its resource, its name or its query. */
export function metricName(metric: MetricSpec | undefined): string {
  if (metric === undefined) return '';
  if ('resource' in metric) return metric.resource;
  return 'metric' in metric ? metric.metric.name : (metric.name ?? metric.query);
}

/** `behavior scaleUp policies 0` of a pointer to one of its fields. */
function placeOf(pointer: string): string {
  return pointer.split('/').slice(3, -1).join(' ');
}

function numbersIn(
  value: Json | undefined,
  pointer: string,
): readonly Pick<Knob, 'pointer' | 'field' | 'value'>[] {
  if (Array.isArray(value))
    return value.flatMap((item: Json, index) => numbersIn(item, pointerTo(pointer, index)));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([field, child]) => {
    if (identity.has(field)) return [];
    const at = pointerTo(pointer, field);
    if (typeof child === 'number' || (typeof child === 'string' && quantityFields.has(field)))
      return [{ pointer: at, field, value: child }];
    return numbersIn(child, at);
  });
}

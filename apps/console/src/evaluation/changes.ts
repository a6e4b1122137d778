import { canonicalJson, isJsonObject, type Json, type JsonObject } from '#kernel';
import { replacedAt } from './json-pointer.ts';
import { scaleLoad } from './scale-load.ts';

/** What is asked to be otherwise in a decision's input. */
export interface Changes {
  /** Percent of the load that was observed. */
  readonly loadPercent: number;
  /** Values by JSON Pointer into the input. */
  readonly values: ReadonlyMap<string, Json>;
}

export const noChanges: Changes = { loadPercent: 100, values: new Map() };

export const maximumLoadPercent = 1_000;

/** A link stays one that can be sent. */
const maximumChanges = 200;

/** The input as it would have been. Changes of what is not there are left out. */
export function changedInput(input: JsonObject, { loadPercent, values }: Changes): JsonObject {
  const observation = input['observation'];
  const scaled = isJsonObject(observation)
    ? { ...input, observation: scaleLoad(observation, loadPercent / 100) }
    : input;
  return [...values].reduce(
    (changed, [pointer, value]) => replacedAt(changed, pointer, value) ?? changed,
    scaled,
  );
}

/** As they stand in an address: `load=150&set=/policy/spec/maxReplicas=20`. What cannot be read is left out. */
export function readChanges(parameters: URLSearchParams): Changes {
  const percent = Number(parameters.get('load') ?? '100');
  const isPercent = Number.isFinite(percent) && percent >= 0 && percent <= maximumLoadPercent;
  const values = parameters.getAll('set').slice(0, maximumChanges).flatMap(readChange);
  return { loadPercent: isPercent ? percent : 100, values: new Map(values) };
}

/** Writes changes into an address, in the place of those that are there. */
export function writeChanges(parameters: URLSearchParams, { loadPercent, values }: Changes): URLSearchParams {
  const written = new URLSearchParams(parameters);
  written.delete('load');
  written.delete('set');
  if (loadPercent !== 100) written.set('load', String(loadPercent));
  for (const [pointer, value] of values) written.append('set', `${pointer}=${JSON.stringify(value)}`);
  return written;
}

/** With another value at a place; the one that is recorded there is no change. */
export function withChange(
  changes: Changes,
  { pointer, recorded }: { readonly pointer: string; readonly recorded: Json | undefined },
  value: Json,
): Changes {
  const values = new Map(changes.values);
  if (recorded !== undefined && canonicalJson(value) === canonicalJson(recorded)) values.delete(pointer);
  else values.set(pointer, value);
  return { ...changes, values };
}

/** Up to the first `=` it is a pointer, whose names have none in what can be changed. */
function readChange(text: string): readonly (readonly [string, Json])[] {
  const [, pointer, json] = /^(\/[^=]{1,500})=(.{1,500})$/s.exec(text) ?? [];
  if (pointer === undefined || json === undefined) return [];
  try {
    return [[pointer, JSON.parse(json) as Json]];
  } catch {
    return [];
  }
}

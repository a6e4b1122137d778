import { isJsonObject, type Json } from '#kernel';
import type { ValueChange } from '../../components/lists/change-list.tsx';

/** A value as a page has it: texts as they are, everything else as JSON. */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What differs between two values, by the path of each member that does; lists are compared as a whole. */
export function jsonChanges(
  before: Json | undefined,
  after: Json | undefined,
  path = '',
): readonly ValueChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isObject(before) || !isObject(after))
    return [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];

  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    jsonChanges(before[name], after[name], path === '' ? name : `${path}.${name}`),
  );
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return value !== undefined && isJsonObject(value);
}

import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { deepEqual } from '../objects/deep-equal.ts';
import { isList, objectAt } from '../objects/kube-object.ts';
import {
  childrenOf,
  type FieldSet,
  type FieldTree,
  isMember,
  self,
  toFieldSet,
  union,
} from './field-tree.ts';
import { childContext, type FieldContext, isGranular, keyDefault, listKind } from './list-keys.ts';

/** Structs that Kubernetes always writes: no manager decides on their presence. */
const alwaysThere: ReadonlySet<string> = new Set([
  '',
  'metadata',
  'spec',
  'status',
  'template',
  'strategy',
  'containers',
]);

/** A named part of a value: a field, or an item of a list that has keys. */
export interface Part {
  readonly element: string;
  readonly value: Json;
  readonly context: FieldContext;
}

/** What an apply configuration names: its leaves, and the items it lists. */
export function appliedFields(value: Json, context: FieldContext): FieldTree {
  const parts = partsOf(value, context);
  if (parts === undefined || parts.length === 0) return {};
  return Object.fromEntries(
    parts.map(({ element, value: part, context: below }) => {
      const tree = appliedFields(part, below);
      return [element, isItem(element) ? { [self]: {}, ...tree } : tree];
    }),
  );
}

/** The fields that a write set to another value, and those that it took away. */
export interface FieldChanges {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two states of an object. */
export function compareFields(
  before: Json | undefined,
  after: Json | undefined,
  context: FieldContext,
): FieldChanges {
  if (deepEqual(before, after)) return { changed: undefined, removed: undefined };
  if (after === undefined) return { changed: undefined, removed: allFields(before ?? null, context) };
  if (before === undefined) return { changed: allFields(after, context), removed: undefined };
  const old = partsOf(before, context);
  const current = partsOf(after, context);
  if (old === undefined || current === undefined) return { changed: {}, removed: undefined };
  return compareParts(old, current);
}

/** The parts of a value that is owned part by part, or undefined where it is owned as a whole. */
export function partsOf(value: Json, context: FieldContext): readonly Part[] | undefined {
  if (isList(value)) return itemParts(value, context);
  if (!isJsonObject(value) || !isGranular(context)) return undefined;
  return fieldParts(value, context);
}

/** Takes the members of a set out of a value; undefined when nothing of it stays. */
export function withoutFields(value: Json, tree: FieldTree, context: FieldContext): Json | undefined {
  const below = new Map(childrenOf(tree));
  if (below.size === 0) return isMember(tree) ? undefined : value;
  const parts = partsOf(value, context);
  if (parts === undefined) return value;
  const kept = parts.flatMap((part) => {
    const gone = below.get(part.element);
    const rest = gone === undefined ? part.value : withoutFields(part.value, gone, part.context);
    const isGone = rest === undefined || (gone !== undefined && isItem(part.element) && isMember(gone));
    return isGone ? [] : [{ ...part, value: rest }];
  });
  if (kept.length === 0 && isMember(tree)) return undefined;
  return isList(value)
    ? kept.map((part) => part.value)
    : Object.fromEntries(kept.map((part) => [part.element.slice(2), part.value]));
}

function compareParts(old: readonly Part[], current: readonly Part[]): FieldChanges {
  const before = new Map(old.map((part) => [part.element, part]));
  const after = new Map(current.map((part) => [part.element, part]));
  const changed: Record<string, FieldTree> = {};
  const removed: Record<string, FieldTree> = {};
  for (const part of [...old, ...current]) {
    const { element } = part;
    const changes = compareFields(before.get(element)?.value, after.get(element)?.value, part.context);
    if (changes.changed !== undefined) changed[element] = changes.changed;
    if (changes.removed !== undefined) removed[element] = changes.removed;
  }
  return { changed: toFieldSet(false, changed), removed: toFieldSet(false, removed) };
}

/** Every field of a value that came or went as a whole. */
function allFields(value: Json, context: FieldContext): FieldTree {
  const parts = partsOf(value, context);
  if (parts === undefined || parts.length === 0) return {};
  const children = Object.fromEntries(
    parts.map((part) => [part.element, allFields(part.value, part.context)]),
  );
  const member = !(context.hasSchema && alwaysThere.has(context.field));
  return union(toFieldSet(member, children), undefined) ?? {};
}

function fieldParts(value: JsonObject, context: FieldContext): readonly Part[] {
  return Object.entries(value).flatMap(([name, part]) =>
    part === undefined ? [] : [{ element: `f:${name}`, value: part, context: childContext(context, name) }],
  );
}

function itemParts(list: readonly Json[], context: FieldContext): readonly Part[] | undefined {
  const kind = listKind(context);
  if (kind === 'Atomic') return undefined;
  const item: FieldContext = { field: `${context.field}[]`, hasSchema: context.hasSchema };
  return list.map((value) => ({
    element: kind === 'Set' ? `v:${JSON.stringify(value)}` : `k:${JSON.stringify(itemKey(value, kind))}`,
    value,
    context: item,
  }));
}

function itemKey(item: Json, keys: readonly string[]): JsonObject {
  const object = objectAt(item);
  return Object.fromEntries(keys.map((key) => [key, object[key] ?? keyDefault(key)]));
}

function isItem(element: string): boolean {
  return !element.startsWith('f:');
}

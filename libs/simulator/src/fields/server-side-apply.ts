import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { deepEqual } from '../objects/deep-equal.ts';
import { isList, type KubeObject, type ManagedFieldsEntry } from '../objects/kube-object.ts';
import { difference, type FieldSet, intersection, pathsOf, pathText, union } from './field-tree.ts';
import { appliedFields, compareFields, partsOf, withoutFields } from './field-values.ts';
import { childContext, type FieldContext, rootContext } from './list-keys.ts';
import { fieldsOf, type FieldWriter, ownableFields, toEntry, withoutSet } from './managed-fields.ts';

/** A field that another manager owns, with another value. */
export interface ApplyConflict {
  /** Such as `"kubectl" using apps/v1`. */
  readonly manager: string;
  /** Such as `.spec.replicas`. */
  readonly field: string;
}

/** The outcome of an apply: the merged object, or the conflicts that stand against it. */
export type ApplyResult =
  | { readonly ok: true; readonly value: KubeObject }
  | { readonly ok: false; readonly error: readonly ApplyConflict[] };

/** What is applied, by whom, and whether conflicts are overruled. */
export interface ApplyRequest {
  readonly configuration: JsonObject;
  readonly writer: FieldWriter;
  readonly force: boolean;
}

/**
 * Server-side apply: what the configuration names is set and owned; what its manager applied before, no longer names,
 * and no other manager owns, is removed.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export function applyConfiguration(live: KubeObject, request: ApplyRequest): ApplyResult {
  const { writer, force } = request;
  const context = rootContext(writer.hasSchema);
  const configuration = ownableFields(request.configuration);
  const applied = namedFields(configuration, context);
  const entries = live.metadata.managedFields ?? [];
  const own = entries.find((entry) => entry.operation === 'Apply' && isOf(entry, writer));
  const others = entries.filter((entry) => entry !== own);
  const merged = mergeApplied(live, configuration, context);
  const { changed } = compareFields(ownableFields(live), ownableFields(asObject(merged)), context);
  if (!force) {
    const conflicts = others.flatMap((entry) => conflictsWith(entry, intersection(changed, applied), writer));
    if (conflicts.length > 0) return { ok: false, error: conflicts };
  }
  const taken = others.flatMap((entry) => withoutSet(entry, intersection(changed, applied)));
  const abandoned = difference(fieldsOf(own), taken.map(fieldsOf).reduce(union, applied));
  const pruned = abandoned === undefined ? merged : (withoutFields(merged, abandoned, context) ?? {});
  const isUnchanged = deepEqual(own?.fieldsV1, applied) && changed === undefined;
  const managedFields = sorted([...taken, ...(isUnchanged ? ownEntry(own) : entryOf(applied, writer))]);
  return { ok: true, value: withEntries(pruned as KubeObject, live, managedFields) };
}

function ownEntry(own: ManagedFieldsEntry | undefined): readonly ManagedFieldsEntry[] {
  return own === undefined ? [] : [own];
}

function entryOf(applied: FieldSet, writer: FieldWriter): readonly ManagedFieldsEntry[] {
  return applied === undefined ? [] : [toEntry(writer, 'Apply', applied)];
}

/** A configuration that names no field gives up what its manager owned. */
function namedFields(configuration: JsonObject, context: FieldContext): FieldSet {
  const fields = appliedFields(configuration, context);
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function isOf(entry: ManagedFieldsEntry, writer: FieldWriter): boolean {
  return entry.manager === writer.manager && entry.subresource === writer.subresource;
}

function conflictsWith(
  entry: ManagedFieldsEntry,
  changed: FieldSet,
  writer: FieldWriter,
): readonly ApplyConflict[] {
  const fields = intersection(changed, fieldsOf(entry));
  return pathsOf(fields).map((path) => ({ manager: managerText(entry, writer), field: pathText(path) }));
}

function managerText(
  { manager, operation, apiVersion, subresource }: ManagedFieldsEntry,
  writer: FieldWriter,
): string {
  const name = JSON.stringify(manager ?? '');
  const via = subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const version = writer.subresource === 'scale' ? 'autoscaling/v1' : (apiVersion ?? writer.apiVersion);
  const using = operation === 'Update' ? ` using ${version}` : '';
  return `${name}${via}${using}`;
}

/** Maps are merged, lists with keys item by item (new items last), everything else is replaced. */
function mergeApplied(live: Json | undefined, applied: Json, context: FieldContext): Json {
  if (live === undefined || live === null) return applied;
  if (isJsonObject(live) && isJsonObject(applied) && partsOf(applied, context) !== undefined)
    return mergeMaps(live, applied, context);

  if (!isList(live) || !isList(applied)) return applied;
  const parts = partsOf(applied, context);
  const old = partsOf(live, context);
  if (parts === undefined || old === undefined) return applied;
  const updates = new Map(parts.map((part) => [part.element, part]));
  const kept = old.map((part) => {
    const update = updates.get(part.element);
    updates.delete(part.element);
    return update === undefined ? part.value : mergeApplied(part.value, update.value, part.context);
  });
  return [...kept, ...[...updates.values()].map((part) => part.value)];
}

function mergeMaps(live: JsonObject, applied: JsonObject, context: FieldContext): JsonObject {
  const merged: Record<string, Json | undefined> = { ...live };
  for (const [key, value] of Object.entries(applied))
    if (value !== undefined) merged[key] = mergeApplied(live[key], value, childContext(context, key));

  return merged;
}

function withEntries(
  object: KubeObject,
  live: KubeObject,
  managedFields: readonly ManagedFieldsEntry[],
): KubeObject {
  const { labels, annotations, finalizers, ownerReferences } = object.metadata;
  const metadata = { ...live.metadata, labels, annotations, finalizers, ownerReferences, managedFields };
  return { ...object, metadata };
}

/** As upstream: applies first, then updates. */
function sorted(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  return [
    ...entries.filter((entry) => entry.operation === 'Apply'),
    ...entries.filter((entry) => entry.operation === 'Update'),
  ];
}

function asObject(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}

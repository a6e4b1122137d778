import { isJsonObject, type JsonObject } from '#kernel';
import {
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  toKubeTime,
} from '../objects/kube-object.ts';
import { difference, type FieldSet, type FieldTree, union } from './field-tree.ts';
import { compareFields } from './field-values.ts';
import { rootContext } from './list-keys.ts';

/** Who writes, and how. */
export interface FieldWriter {
  readonly manager: string;
  readonly nowMilliseconds: number;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** False for custom resources: only their metadata has a schema. */
  readonly hasSchema: boolean;
}

/** Metadata that identifies the object or is kept by the server: no manager owns it. */
const unownedFields: readonly (keyof ObjectMeta)[] = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
];

/** The part of an object that can be owned. */
export function ownableFields(object: JsonObject): JsonObject {
  const { metadata } = object;
  const rest = { ...object, apiVersion: undefined, kind: undefined, metadata: undefined };
  if (!isJsonObject(metadata)) return rest;
  const kept = Object.entries(metadata).filter(([key]) => !unownedFields.some((unowned) => unowned === key));
  return kept.length === 0 ? rest : { ...rest, metadata: Object.fromEntries(kept) };
}

/**
 * The entries after a create or an update: the writer owns what it changed, everybody else loses it, and what is gone
 * is owned by no manager.
 */
export function entriesAfterUpdate(
  before: KubeObject | undefined,
  after: KubeObject,
  writer: FieldWriter,
): readonly ManagedFieldsEntry[] {
  const context = rootContext(writer.hasSchema);
  const { changed, removed } = compareFields(ownableFields(before ?? {}), ownableFields(after), context);
  const lost = union(changed, removed);
  const entries = before?.metadata.managedFields ?? [];
  const own = entries.find((entry) => isSameWriter(entry, writer));
  const others = entries.flatMap((entry) => (entry === own ? [] : withoutSet(entry, lost)));
  const fields = union(difference(fieldsOf(own), removed), changed);
  if (fields === undefined) return others;
  const isUnchanged = own !== undefined && changed === undefined && removed === undefined;
  const entry = isUnchanged ? own : toEntry(writer, 'Update', fields);
  return [...others, entry];
}

/** The fields of an entry. */
export function fieldsOf(entry: ManagedFieldsEntry | undefined): FieldSet {
  // Nested objects throughout, since only this module and FieldsV1 of clients write it.
  return entry?.fieldsV1 as FieldTree | undefined;
}

/** An entry less some fields; none when nothing stays. */
export function withoutSet(entry: ManagedFieldsEntry, lost: FieldSet): readonly ManagedFieldsEntry[] {
  const rest = difference(fieldsOf(entry), lost);
  return rest === undefined ? [] : [{ ...entry, fieldsV1: rest }];
}

/** A new entry, written now. */
export function toEntry(
  writer: FieldWriter,
  operation: ManagedFieldsEntry['operation'],
  fields: FieldTree,
): ManagedFieldsEntry {
  const { manager, apiVersion, nowMilliseconds, subresource } = writer;
  return {
    manager,
    operation,
    apiVersion,
    // As upstream: the scale subresource leaves the time out.
    ...(subresource === 'scale' ? {} : { time: toKubeTime(nowMilliseconds) }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function isSameWriter(entry: ManagedFieldsEntry, writer: FieldWriter): boolean {
  return (
    entry.operation === 'Update' &&
    entry.manager === writer.manager &&
    entry.subresource === writer.subresource &&
    entry.apiVersion === writer.apiVersion
  );
}

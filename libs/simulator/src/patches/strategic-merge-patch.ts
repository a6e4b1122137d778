import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { childContext, type FieldContext, listKind } from '../fields/list-keys.ts';
import { isList, objectAt } from '../objects/kube-object.ts';

const deleteFromPrefix = '$deleteFromPrimitiveList/';

/**
 * Applies a strategic merge patch: as a merge patch, but lists whose items have keys are merged item by item, and
 * `$patch: delete | replace`, `$deleteFromPrimitiveList` and `$retainKeys` are understood. `$setElementOrder` is read
 * over: the order stays as it was.
 *
 * @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/
 */
export function applyStrategicMergePatch(target: Json | undefined, patch: Json, context: FieldContext): Json {
  if (isList(patch)) return mergeLists(isList(target) ? target : [], patch, context);
  if (!isJsonObject(patch)) return patch;
  if (patch['$patch'] === 'replace') return withoutDirectives(patch);
  return mergeObjects(objectAt(target), patch, context);
}

function mergeObjects(target: JsonObject, patch: JsonObject, context: FieldContext): JsonObject {
  const result: Record<string, Json> = retained(target, patch['$retainKeys']);
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (key.startsWith('$')) deleteFrom(result, key, value);
    else if (value === null) Reflect.deleteProperty(result, key);
    else result[key] = applyStrategicMergePatch(result[key], value, childContext(context, key));
  }
  return result;
}

function retained(target: JsonObject, keys: Json | undefined): Record<string, Json> {
  const kept: Record<string, Json> = {};
  for (const [key, value] of Object.entries(target))
    if (value !== undefined && (!isList(keys) || keys.includes(key))) kept[key] = value;

  return kept;
}

function mergeLists(target: readonly Json[], patch: readonly Json[], context: FieldContext): Json {
  const kind = listKind(context);
  if (kind === 'Atomic' || patch.some((item) => objectAt(item)['$patch'] === 'replace'))
    return patch.filter((item) => objectAt(item)['$patch'] === undefined);

  if (kind === 'Set') return [...new Set([...target, ...patch])];
  const key = kind[0] ?? '';
  let merged = target;
  for (const item of patch) merged = mergeItem(merged, objectAt(item), { key, context });
  return merged;
}

function mergeItem(
  list: readonly Json[],
  item: JsonObject,
  { key, context }: { readonly key: string; readonly context: FieldContext },
): readonly Json[] {
  const index = list.findIndex((candidate) => objectAt(candidate)[key] === item[key]);
  if (item['$patch'] === 'delete') return index < 0 ? list : list.toSpliced(index, 1);
  const below: FieldContext = { ...context, field: `${context.field}[]` };
  const merged = applyStrategicMergePatch(list[index], item, below);
  return index < 0 ? [...list, merged] : list.with(index, merged);
}

/** Carries out one `$deleteFromPrimitiveList/…`; every other directive concerns the whole object. */
function deleteFrom(result: Record<string, Json>, directive: string, values: Json): void {
  if (!directive.startsWith(deleteFromPrefix)) return;
  const key = directive.slice(deleteFromPrefix.length);
  const list = result[key];
  if (isList(list) && isList(values)) result[key] = list.filter((value) => !values.includes(value));
}

function withoutDirectives(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith('$')));
}

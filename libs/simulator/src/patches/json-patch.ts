import { isJsonObject, type Json } from '#kernel';
import { deepEqual } from '../objects/deep-equal.ts';
import { isList, textAt, valueAt } from '../objects/kube-object.ts';

/** A patch that does not fit the document; the message names the operation. */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError';
}

/** As the real server: more operations than this are refused. */
const mostOperations = 10_000;

/**
 * Applies a JSON patch, all of it or nothing.
 *
 * @throws JsonPatchError when it is no patch, a path does not exist, or a test fails.
 * @see RFC 6902
 */
export function applyJsonPatch(target: Json, patch: Json): Json {
  if (!isList(patch)) throw new JsonPatchError('a JSON patch is a list of operations');
  if (patch.length > mostOperations)
    throw new JsonPatchError(`${patch.length} operations are more than ${mostOperations}`);

  return patch.reduce(applyOperation, target);
}

function applyOperation(document: Json, operation: Json): Json {
  const op = textAt(operation, 'op');
  const path = pointer(textAt(operation, 'path'));
  const value = valueAt(operation, 'value');
  switch (op) {
    case 'add':
      return edit(document, path, { type: 'Add', value: given(value) });
    case 'replace':
      return edit(document, path, { type: 'Replace', value: given(value) });
    case 'remove':
      return edit(document, path, { type: 'Remove' });
    case 'test':
      if (deepEqual(read(document, path), value)) return document;
      throw new JsonPatchError(`test failed at /${path.join('/')}`);
    case 'copy':
      return edit(document, path, { type: 'Add', value: read(document, from(operation)) });
    case 'move': {
      const moved = read(document, from(operation));
      return edit(edit(document, from(operation), { type: 'Remove' }), path, { type: 'Add', value: moved });
    }
    default:
      throw new JsonPatchError(`unknown operation ${JSON.stringify(op ?? null)}`);
  }
}

type Edit = { readonly type: 'Add' | 'Replace'; readonly value: Json } | { readonly type: 'Remove' };

function edit(document: Json, path: readonly string[], change: Edit): Json {
  const [key, ...rest] = path;
  if (key === undefined) {
    if (change.type === 'Remove') throw new JsonPatchError('the whole document cannot be removed');
    return change.value;
  }
  if (isList(document)) return editList(document, [key, ...rest], change);
  if (!isJsonObject(document)) throw new JsonPatchError(`nothing at /${path.join('/')}`);
  const current = document[key];
  if (rest.length > 0) {
    if (current === undefined) throw new JsonPatchError(`nothing at /${path.join('/')}`);
    return { ...document, [key]: edit(current, rest, change) };
  }
  if (change.type !== 'Add' && current === undefined) throw new JsonPatchError(`nothing at ${key}`);
  if (change.type !== 'Remove') return { ...document, [key]: change.value };
  return { ...document, [key]: undefined };
}

function editList(list: readonly Json[], [key = '', ...rest]: readonly string[], change: Edit): Json {
  const isLast = rest.length === 0;
  const index = key === '-' ? list.length : Number(key);
  const end = change.type === 'Add' && isLast ? list.length + 1 : list.length;
  if (!Number.isInteger(index) || index < 0 || index >= end)
    throw new JsonPatchError(`no item ${key} in a list of ${list.length}`);

  return isLast ? editItem(list, index, change) : list.with(index, edit(list[index] ?? null, rest, change));
}

function editItem(list: readonly Json[], index: number, change: Edit): Json {
  if (change.type === 'Remove') return list.toSpliced(index, 1);
  return change.type === 'Add' ? list.toSpliced(index, 0, change.value) : list.with(index, change.value);
}

function read(document: Json, path: readonly string[]): Json {
  let current: Json | undefined = document;
  for (const key of path) {
    current = isList(current) ? current[Number(key)] : valueAt(current, key);
    if (current === undefined) throw new JsonPatchError(`nothing at /${path.join('/')}`);
  }
  return current;
}

function from(operation: Json): readonly string[] {
  return pointer(textAt(operation, 'from'));
}

function given(value: Json | undefined): Json {
  if (value === undefined) throw new JsonPatchError('an operation lacks its value');
  return value;
}

/** `/a/b~1c` → a, b/c. */
function pointer(text: string | undefined): readonly string[] {
  if (text === '') return [];
  if (text?.startsWith('/') !== true)
    throw new JsonPatchError(`no JSON pointer: ${JSON.stringify(text ?? null)}`);
  return text
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

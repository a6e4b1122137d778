import { isJsonObject, type Json } from '#kernel';
import { isList } from './kube-object.ts';

/** Whether two JSON values are the same; a key with `undefined` equals an absent one, list order counts. */
export function deepEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (isList(left)) {
    return (
      isList(right) && left.length === right.length && left.every((item, i) => deepEqual(item, right[i]))
    );
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  for (const key of keys) if (!deepEqual(left[key], right[key])) return false;
  return true;
}

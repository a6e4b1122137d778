const sizes = new WeakMap<object, number>();

/**
 * How much work it is to walk through a CEL value: its characters, bytes and items, also those of nested values. A list
 * that stands in another several times counts each time, as a comparison visits it each time.
 */
export function valueSize(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Uint8Array) return 1 + value.length;
  // Remembered: values share their parts, and the sum over all paths is exponential in their depth.
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = Array.isArray(value) ? listSize(value) : mapSize(value);
  sizes.set(value, size);
  return size;
}

function listSize(list: readonly unknown[]): number {
  let size = 1;
  for (const item of list) size += valueSize(item);
  return size;
}

function mapSize(map: object): number {
  let size = 1;
  for (const [key, value] of Object.entries(map) as [string, unknown][])
    size += 1 + key.length + valueSize(value);
  return size;
}

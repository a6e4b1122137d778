/**
 * The code of whatever was caught, Node's own (`ENOENT`) or an `AdapterError`'s; undefined where it has none that is a text.
 * As with `messageOf`, an error of another realm has one, too.
 */
export function codeOf(caught: unknown): string | undefined {
  if (typeof caught !== 'object' || caught === null || !('code' in caught)) return undefined;
  return typeof caught.code === 'string' ? caught.code : undefined;
}

import { leafValues, type ValuePath } from '#policy';
import type { RepositoryDocument } from '#repository';
import type { StoredDocument } from '../ports/revision-store.port.ts';

/** The line of each leaf of a document, in the order of its value: what the syntax tree knew, in a few bytes. */
export function linesOf({ value, locate }: RepositoryDocument): readonly number[] {
  return leafValues(value).map(({ path }) => locate(path).line);
}

/** Where a value stands, or the first of the values inside it; null: it is not known. */
export function lineIn(
  { value, lines }: Pick<StoredDocument, 'value' | 'lines'>,
  path: ValuePath,
): number | null {
  const index = leafValues(value).findIndex((leaf) => path.every((key, depth) => leaf.path[depth] === key));
  return lines?.[index] ?? null;
}

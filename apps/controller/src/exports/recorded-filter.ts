import { canonicalJson, type JsonObject } from '#kernel';
import { type ExportFilter, sha256Hex } from '#ledger';

/** A request may have a thousand names of 320 characters: each would stay in the ledger for ever. */
const maximumNames = 50;

/** A filter as it is recorded: long lists by their first names, their number and the hash of their canonical JSON. */
export function recordedFilter(filter: ExportFilter): JsonObject {
  return {
    ...filter,
    namespaces: recordedNames(filter.namespaces),
    policies: recordedNames(filter.policies),
  };
}

/** A list of names as it is recorded; null: it does not narrow. */
export function recordedNames(names: readonly string[] | null): readonly string[] | JsonObject | null {
  if (names === null || names.length <= maximumNames) return names;
  return {
    first: names.slice(0, maximumNames),
    count: names.length,
    sha256: sha256Hex(canonicalJson(names)),
  };
}

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { QueryError } from '../../admin/requests/query-error.ts';

/** Comparing a pair takes some 2 µs. A component for each of 70 rows may ask for `id` in words of its own. */
const maximumPairs = 3_000;

/** A document of as many tokens as are read has far fewer, but for fragments that are spread again and again. */
const maximumFields = 20_000;

/** Deeper ones are refused by their depth, and fragments in a circle by validation. */
const maximumLevels = 20;

/**
 * Refuses documents in which fields have the same name so often that comparing them, as validation does with each pair and
 * then with what is asked of both, would hold the thread.
 *
 * @see https://spec.graphql.org/draft/#sec-Field-Selection-Merging
 * @throws QueryError `BadQuery`
 */
export function refuseRepeated({ definitions }: DocumentNode): void {
  const fragments = new Map(
    definitions
      .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment.selectionSet]),
  );
  let [pairs, fields] = [0, 0];
  const look = (sets: readonly SelectionSetNode[], level: number): void => {
    for (const same of fieldsByName(sets, fragments).values()) {
      fields += same.length;
      pairs += (same.length * (same.length - 1)) / 2;
      if (pairs > maximumPairs || fields > maximumFields) throw tooManyPairs();
      if (level < maximumLevels) {
        look(
          same.flatMap(({ selectionSet }) => selectionSet ?? []),
          level + 1,
        );
      }
    }
  };
  for (const each of definitions) if (each.kind === Kind.OPERATION_DEFINITION) look([each.selectionSet], 1);
}

function tooManyPairs(): QueryError {
  return new QueryError(
    'BadQuery',
    `fields of one name are asked for in one place so often that more than ${maximumPairs} pairs of them would be compared: ask for each once`,
  );
}

/** The fields of one place by the names that they have in the answer, those of fragments included, each fragment once. */
function fieldsByName(
  sets: readonly SelectionSetNode[],
  fragments: ReadonlyMap<string, SelectionSetNode>,
): ReadonlyMap<string, readonly FieldNode[]> {
  const found = new Map<string, FieldNode[]>();
  const seen = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (selection.kind === Kind.FIELD) add(selection);
      else spread(selection.name.value);
    }
  };
  const add = (field: FieldNode): void => {
    const name = (field.alias ?? field.name).value;
    const same = found.get(name);
    if (same === undefined) found.set(name, [field]);
    else same.push(field);
  };
  const spread = (name: string): void => {
    const fragment = fragments.get(name);
    if (fragment === undefined || seen.has(name)) return;
    seen.add(name);
    collect(fragment);
  };
  for (const set of sets) collect(set);
  return found;
}

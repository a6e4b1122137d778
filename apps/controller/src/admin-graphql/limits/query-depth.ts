import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';

/** What the schema says of itself, which is as deep as the tools that ask for it have it, and bounded by validation. */
const introspection: ReadonlySet<string> = new Set(['__schema', '__type']);

/**
 * How deep fields are nested in the deepest operation of a valid document, whose fragments are in no circle: each is
 * looked at once. Introspection counts as one field.
 */
export function queryDepth({ definitions }: DocumentNode): number {
  const fragments = new Map(
    definitions
      .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  const known = new Map<string, number>();
  const ofFragment = (name: string): number => {
    const depth = known.get(name) ?? ofSelection(fragments.get(name)?.selectionSet);
    known.set(name, depth);
    return depth;
  };
  const ofSelection = (set: SelectionSetNode | undefined): number =>
    Math.max(
      0,
      ...(set?.selections ?? []).map((selection) => {
        if (selection.kind === Kind.INLINE_FRAGMENT) return ofSelection(selection.selectionSet);
        if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
        return introspection.has(selection.name.value) ? 1 : 1 + ofSelection(selection.selectionSet);
      }),
    );
  const depths = definitions.map((each) =>
    each.kind === Kind.OPERATION_DEFINITION ? ofSelection(each.selectionSet) : 0,
  );
  return Math.max(0, ...depths);
}

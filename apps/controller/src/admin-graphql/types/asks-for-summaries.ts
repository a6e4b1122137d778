import { type FieldNode, type GraphQLResolveInfo, Kind } from 'graphql';
import type { Decision } from './decision.type.ts';

const summaryFields = [
  ...(['id', 'kind', 'time', 'cluster', 'hash', 'previousHash', 'policy'] as const),
  ...(['action', 'reason', 'currentReplicas', 'desiredReplicas'] as const),
] satisfies readonly (keyof Decision)[];

/** A decision of which its summary has everything that is asked for. */
export type SummarizedDecision = Pick<Decision, (typeof summaryFields)[number]>;

const isInSummary: ReadonlySet<string> = new Set([...summaryFields, '__typename']);

/**
 * Whether the decisions of a connection are asked for nothing but what their summaries have. What is selected on a
 * condition counts as asked for.
 */
export function asksForSummaries({ fieldNodes, fragments }: SelectionInfo): boolean {
  const edges = namedBelow(fieldNodes, 'edges', fragments);
  return asksForSummary({ fieldNodes: namedBelow(edges, 'node', fragments), fragments });
}

/** Likewise of one decision. */
export function asksForSummary({ fieldNodes, fragments }: SelectionInfo): boolean {
  return fieldsBelow(fieldNodes, fragments).every(({ name }) => isInSummary.has(name.value));
}

type SelectionInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

function namedBelow(
  fields: readonly FieldNode[],
  wanted: string,
  fragments: SelectionInfo['fragments'],
): readonly FieldNode[] {
  return fieldsBelow(fields, fragments).filter(({ name }) => name.value === wanted);
}

/** Looks at each fragment once: a document can spread them so that following each spread never ends. */
function fieldsBelow(
  fields: readonly FieldNode[],
  fragments: SelectionInfo['fragments'],
): readonly FieldNode[] {
  const found = new Set<FieldNode>();
  const sets = new Set(fields.map(({ selectionSet }) => selectionSet));
  // What is added meanwhile is looked at, too.
  for (const set of sets) {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) found.add(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) sets.add(selection.selectionSet);
      else sets.add(fragments[selection.name.value]?.selectionSet);
    }
  }
  return [...found];
}

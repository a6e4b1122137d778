/** The text of a GraphQL document, with the types of its answer and its variables. */
export interface TypedDocument<R, V> {
  readonly text: string;
  /** Never there: it carries the types. */
  readonly types?: (variables: V) => R;
}

/** Of an operation and the fragments that it spreads. Made by `npm run generate`, and by nothing else. */
export function typedDocument<R, V>(parts: readonly string[]): TypedDocument<R, V> {
  return { text: parts.join('\n\n') };
}

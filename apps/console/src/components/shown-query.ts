/** A query as it was asked. */
export interface ShownQuery {
  readonly document: { readonly text: string };
  readonly variables: unknown;
}

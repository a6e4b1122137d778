/** A query as it was asked, or a mutation as it would be. */
export interface ShownQuery {
  readonly document: { readonly text: string };
  readonly variables: unknown;
}

/** A request to the REST API, where that is what is sent. */
export interface ShownRequest {
  /** From the root of this server on. */
  readonly path: string;
  readonly body: unknown;
}

/** What is behind a panel: queries, the first of them what its content comes by, or a request. */
export type Shown = ShownQuery | readonly ShownQuery[] | ShownRequest;

/** The queries; undefined: it is a request. */
export function shownQueries(shown: Shown): readonly ShownQuery[] | undefined {
  if ('path' in shown) return undefined;
  return 'document' in shown ? [shown] : shown;
}

/** The request as a command for a shell, with the token in a variable. */
export function curlOf({ path, body }: ShownRequest, origin: string): string {
  return [
    `curl -sS '${quoted(`${origin}${path}`)}'`,
    `-H "authorization: Bearer $PLIMSOLL_TOKEN"`,
    `-H 'content-type: application/json'`,
    `-d '${quoted(JSON.stringify(body))}'`,
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return text.replaceAll("'", String.raw`'\''`);
}

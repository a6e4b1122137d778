/** What the address of GraphiQL may hold; behind `#`, so that no log has it. */
export interface GivenQuery {
  readonly query?: string;
  readonly variables?: string;
}

/** Takes the query that stands in the address out of it; nothing is asked before a person says so. */
export function takeGivenQuery(): GivenQuery {
  const parameters = new URLSearchParams(location.hash.slice(1));
  if (parameters.has('query')) history.replaceState(null, '', location.pathname);
  const { query, variables } = Object.fromEntries(parameters);
  return { ...(query === undefined ? {} : { query }), ...(variables === undefined ? {} : { variables }) };
}

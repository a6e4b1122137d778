/** Addresses of pages; names are escaped, whatever is in them. */
export const links = {
  fleet: '/',
  /** For a screen on a wall. */
  wall: '/?tv',
  policy: ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
    `/policies/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`,
  decision: (id: string): string => `/decisions/${encodeURIComponent(id)}`,
  sources: '/sources',
  /** Those in a namespace. */
  fleetOf: (namespace: string): string => `/?${new URLSearchParams({ namespace }).toString()}`,
  interventions: '/interventions',
  /** With the place filled in where one is to begin. */
  interventionIn: (kind: 'Namespace' | 'Source', name: string): string =>
    `/interventions?${new URLSearchParams({ in: kind, name }).toString()}`,
  source: (name: string): string => `/sources/${encodeURIComponent(name)}`,
  revision: (source: string, sha: string): string =>
    `/sources/${encodeURIComponent(source)}/revisions/${encodeURIComponent(sha)}`,
  controller: '/controller',
  audit: '/audit',
  /** One entry of the ledger, of any kind. */
  entry: (id: string): string => `/audit/${encodeURIComponent(id)}`,
  /** All that a commit has brought about. */
  auditOfCommit: (commit: string): string => `/audit?${new URLSearchParams({ commit }).toString()}`,
  /** The timeline of a kind of entries of a policy. */
  auditOf: (kind: string, policy: { readonly namespace: string; readonly name: string }): string =>
    `/audit?${new URLSearchParams({ kind, policy: `${policy.namespace}/${policy.name}` }).toString()}`,
  reports: '/reports',
  playground: '/playground',
  graphiql: '/graphiql',
  /** Behind `#`, so that no log has it. */
  graphiqlOf: (query: string, variables: string): string =>
    `/graphiql#${new URLSearchParams({ query, variables }).toString()}`,
  playgroundOf: (decision: string): string => `/playground?decision=${encodeURIComponent(decision)}`,
} as const;

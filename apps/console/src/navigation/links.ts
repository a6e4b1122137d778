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
  /** The timeline of a kind of entries in a namespace. */
  auditOf: (kind: string, namespace: string): string =>
    `/audit?${new URLSearchParams({ kind, namespace }).toString()}`,
  reports: '/reports',
  playground: '/playground',
  graphiql: '/graphiql',
  /** Behind `#`, so that no log has it. */
  graphiqlOf: (query: string, variables: string): string =>
    `/graphiql#${new URLSearchParams({ query, variables }).toString()}`,
  playgroundOf: (decision: string): string => `/playground?decision=${encodeURIComponent(decision)}`,
} as const;

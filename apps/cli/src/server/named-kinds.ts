/** What a shell is offered names of: contexts as they are kept here, and what a controller has. */
export const namedKinds = ['contexts', 'policies', 'sources', 'namespaces', 'interventions'] as const;

/** One of them. */
export type NamedKind = (typeof namedKinds)[number];

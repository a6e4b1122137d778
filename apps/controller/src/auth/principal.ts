/** What a caller may do; each role includes those before it. */
export const roles = ['viewer', 'operator', 'approver', 'admin'] as const;
export type Role = (typeof roles)[number];

/** A role, and the namespaces that it holds in. */
export interface Grant {
  readonly role: Role;
  /** Names, where `*` stands for any characters; `*` alone is every namespace, and what belongs to none. */
  readonly namespaces: readonly string[];
}

/** Who calls: the name stands in every OperatorAction. */
export interface Principal {
  readonly name: string;
  readonly grants: readonly Grant[];
  /** Who approves a revision is compared with its authors by these; absent: unknown. */
  readonly email?: string | undefined;
  readonly forgeLogin?: string | undefined;
  /** The person behind a token that was made through the API; absent: the caller itself. */
  readonly owner?: string;
  /** Of a token that was made through the API. */
  readonly token?: {
    readonly id: string;
    /** RFC 3339. */
    readonly expiresAt: string;
  };
}

/** The namespaces that a caller has a role in. */
export type NamespaceScope =
  { readonly kind: 'All' } | { readonly kind: 'Some'; readonly patterns: readonly string[] };

/** A caller without any grant. */
export const nobody: Principal = { name: 'nobody', grants: [] };

/** The grant of a role in every namespace. */
export function grantEverywhere(role: Role): readonly Grant[] {
  return [{ role, namespaces: ['*'] }];
}

/** The person behind a caller: one person is not two because of a token. */
export function ownerOf({ owner, name }: Principal): string {
  return owner ?? name;
}

/** Whether a caller has a role in a namespace; `null`: for what belongs to no namespace, which wants a grant of `*`. */
export function mayAct({ grants }: Principal, wanted: Role, namespace: string | null): boolean {
  return grants.some(
    ({ role, namespaces }) =>
      includes(role, wanted) &&
      namespaces.some((pattern) => pattern === '*' || (namespace !== null && matches(pattern, namespace))),
  );
}

/** The namespaces that a caller has a role in, as lists are narrowed by. */
export function visibleNamespaces({ grants }: Principal, wanted: Role): NamespaceScope {
  const patterns = grants.flatMap(({ role, namespaces }) => (includes(role, wanted) ? namespaces : []));
  return patterns.includes('*')
    ? { kind: 'All' }
    : { kind: 'Some', patterns: [...new Set(patterns)].toSorted() };
}

/** Whether a caller has a role in any namespace at all. */
export function hasRole({ grants }: Principal, wanted: Role): boolean {
  return grants.some(({ role, namespaces }) => includes(role, wanted) && namespaces.length > 0);
}

/** Whether a namespace is among those that the patterns stand for. */
export function matchesAny(patterns: readonly string[], namespace: string): boolean {
  return patterns.some((pattern) => matches(pattern, namespace));
}

function includes(role: Role, wanted: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(wanted);
}

/** Takes time in proportion to both lengths, whatever the pattern. */
function matches(pattern: string, namespace: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return pattern === namespace;
  if (!namespace.startsWith(head) || !namespace.endsWith(tail)) return false;
  const end = namespace.length - tail.length;
  let place = head.length;
  for (const part of rest) {
    const found = namespace.indexOf(part, place);
    if (found === -1) return false;
    place = found + part.length;
  }
  return place <= end;
}

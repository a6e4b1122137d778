import { matchesNamespace } from '#kernel';

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

/** Whose a request is; `CrossOrigin`: a session's, from a page that may not use it; undefined: nobody's. */
export type FoundCaller = Principal | 'CrossOrigin' | undefined;

/** The namespaces that a caller has a role in. */
export type NamespaceScope =
  { readonly kind: 'All' } | { readonly kind: 'Some'; readonly patterns: readonly string[] };

/** A caller without any grant. */
export const nobody: Principal = { name: 'nobody', grants: [] };

/** The grant of a role in every namespace. */
export function grantEverywhere(role: Role): readonly Grant[] {
  return [{ role, namespaces: ['*'] }];
}

/**
 * The name of a caller whom another system knows: `oidc:ann@example.com`. What stands after a `/` is the name of a token, so
 * that one in the user's own name is written as in a URL, as are `%` and what is not seen, or makes a name look like another:
 * control and format characters (those of writing direction among them) and others that have no form of their own,
 * separators of lines, spaces but a single one within, and accents apart from the letter that they belong to.
 */
export function externalName(system: 'oidc' | 'kubernetes', user: string): string {
  const text = user.toWellFormed();
  const seen = text.replaceAll(unseen, encodeURIComponent);
  return `${system}:${text === text.normalize('NFC') ? seen : seen.replaceAll(/\P{ASCII}/gu, writtenApart)}`;
}

const unseen = /[%/\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|^ | (?= |$)/gu;

/** Text that Unicode has another form for, which looks the same. */
function writtenApart(character: string): string {
  const isApart = /\p{M}/u.test(character) || character !== character.normalize('NFC');
  return isApart ? encodeURIComponent(character) : character;
}

/** Whether a person is one whom another system knows, and not the configuration. */
export function isExternal(owner: string): boolean {
  return owner.startsWith('oidc:') || owner.startsWith('kubernetes:');
}

/** What is left of grants where their giver may do less than when it gave them: the highest of its roles, per pattern. */
export function grantsWithin(grants: readonly Grant[], giver: Principal): readonly Grant[] {
  return grants.flatMap(({ role, namespaces }) => {
    const lower = roles.slice(0, roles.indexOf(role) + 1);
    const left = Map.groupBy(namespaces, (pattern) =>
      lower.findLast((each) => mayGrant(giver, each, pattern)),
    );
    return [...left].flatMap(([kept, patterns]) =>
      kept === undefined ? [] : [{ role: kept, namespaces: patterns }],
    );
  });
}

/** A pattern is within another that matches it as text: what stands for `*` in one is then within the other's. */
export function mayGrant(caller: Principal, role: Role, pattern: string): boolean {
  return mayAct(caller, role, pattern === '*' ? null : pattern);
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
      namespaces.some(
        (pattern) => pattern === '*' || (namespace !== null && matchesNamespace(pattern, namespace)),
      ),
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

function includes(role: Role, wanted: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(wanted);
}

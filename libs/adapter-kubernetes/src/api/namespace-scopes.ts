/** The namespaces that are watched: `all` with one watch per kind, or a list with one watch per kind and namespace (Roles instead of ClusterRoles). */
export type WatchedNamespaces =
  { readonly all: true } | { readonly all: false; readonly names: readonly string[] };

/** Reads the configuration's list, in which `*` is all of them. */
export function watchedNamespaces(names: readonly string[]): WatchedNamespaces {
  return names.includes('*') ? { all: true } : { all: false, names: [...new Set(names)] };
}

/** One value per watch: for all namespaces together, or for each of them. */
export class NamespaceScopes<T> {
  readonly #scopes = new Map<string, T>();
  readonly #all: T | undefined;

  /** @param make called with the namespace, or undefined for all of them */
  constructor(namespaces: WatchedNamespaces, make: (namespace: string | undefined) => T) {
    if (namespaces.all) this.#all = make(undefined);
    else for (const name of namespaces.names) this.#scopes.set(name, make(name));
  }

  /** What watches the namespace; undefined: nothing does. */
  of(namespace: string): T | undefined {
    return this.#all ?? this.#scopes.get(namespace);
  }

  values(): readonly T[] {
    return this.#all === undefined ? [...this.#scopes.values()] : [this.#all];
  }
}

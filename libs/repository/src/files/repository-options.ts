/** One tenant of a source: a glob of directories, and what its policies may touch. */
export interface TenantOptions {
  readonly name: string;
  /** A glob of directories from the repository's root: `teams/shop`, `teams/*`. Globs of tenants do not overlap. */
  readonly path: string;
  /** The namespaces that its policies may be in; absent: any. */
  readonly namespaces?: readonly string[];
  /** Where neither a kustomization nor the document names one. */
  readonly namespace?: string;
  readonly limits?: TenantLimits;
  /** Prometheus servers and recommender hosts that its policies may name; absent: all configured ones. */
  readonly servers?: readonly string[];
}

/** Bounds of a tenant's policies. */
export interface TenantLimits {
  readonly maxReplicas?: number;
  readonly minIntervalSeconds?: number;
}

/** What of a repository is read. Globs and paths count from the repository's root. */
export interface RepositoryOptions {
  /** A folder; empty: the whole repository. */
  readonly path: string;
  /** Globs of files or folders; empty: everything. A glob without a slash matches at any depth. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Where neither a kustomization, the document nor its tenant names one. */
  readonly namespace?: string;
  /** None: the whole source is one tenant. */
  readonly tenants: readonly TenantOptions[];
  readonly limits: RepositoryLimits;
  /** The namespaces that the controller manages; absent: all of them. */
  readonly managed?: ManagedNamespaces;
}

/** Which namespaces a controller manages, and what a policy outside them is. */
export interface ManagedNamespaces {
  readonly namespaces: readonly string[];
  readonly outside: 'warning' | 'error';
}

/** Bounds of what is read. */
export interface RepositoryLimits {
  readonly fileBytes: number;
  readonly files: number;
  readonly documentsPerFile: number;
  readonly aliasExpansions: number;
}

/** The limits of a source that sets none. */
export const defaultRepositoryLimits: RepositoryLimits = {
  fileBytes: 5 * 1024 * 1024,
  files: 50_000,
  documentsPerFile: 1_000,
  aliasExpansions: 10_000,
};

/** The name under which documents outside all tenants are kept, and those of a source without tenants. */
export const rootTenant = '';

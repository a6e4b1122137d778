import {
  type FileStatus,
  identityKey,
  type RepositoryDocument,
  type RepositoryReading,
  type ResolveCache,
  resolveDocuments,
  type ResolvedPolicy,
  rootTenant,
  type TenantDiagnostic,
  type UntakenDocument,
} from '#repository';
import type { SourceOptions } from './source-options.ts';

/** How documents are resolved. */
export interface ResolveTreeOptions extends SourceOptions {
  /** What documents of an earlier tree came to. */
  readonly known?: ResolveCache;
}

/** The policies of a tree, each as it would be in force by itself. */
export interface ResolvedTree {
  /** By namespace/name. */
  readonly policies: ReadonlyMap<string, ResolvedPolicy>;
  /** Documents of policies that are invalid, or that share a name, by namespace/name. */
  readonly invalid: ReadonlyMap<string, RepositoryDocument>;
  /** Documents of ours, and files that may hold one, that cannot be read. */
  readonly unreadable: readonly UntakenDocument[];
  /** Documents of policies that are not taken for another reason. */
  readonly untaken: readonly UntakenDocument[];
  /** What became of each file, by its path from the top. */
  readonly files: ReadonlyMap<string, FileStatus['status']>;
  /** Errors only. */
  readonly errors: readonly TenantDiagnostic[];
}

/**
 * Resolves every policy of a tree with the defaults and guardrails that act on it. A policy counts even where another
 * one of its tenant is invalid: what is asked here is what each of them says, not what may be activated.
 */
export function resolveTree(reading: RepositoryReading, options: ResolveTreeOptions): ResolvedTree {
  const { repository, read, known } = options;
  const tenants = Map.groupBy(reading.documents, ({ tenant }) => tenant);
  const root = tenants.get(rootTenant) ?? [];
  const context = {
    read,
    tenant: (name: string) => repository.tenants.find((tenant) => tenant.name === name),
    ...(known !== undefined && { known }),
  };
  const policies = new Map<string, ResolvedPolicy>();
  const invalid = new Map<string, RepositoryDocument>();
  const errors = reading.diagnostics.filter(isError);
  for (const [tenant, documents] of tenants) {
    const resolved = resolveDocuments(documents, tenant === rootTenant ? [] : root, context);
    errors.push(...resolved.diagnostics.filter(isError));
    for (const policy of resolved.policies) add(policies, invalid, policy);
  }
  for (const document of reading.documents) {
    const key = identityKey(document);
    if (document.role === 'Policy' && !policies.has(key)) invalid.set(key, document);
  }
  const [unreadable, untaken] = [
    reading.untaken.filter(({ reason }) => reason === 'Unreadable'),
    reading.untaken.filter(({ reason }) => reason !== 'Unreadable'),
  ];
  const files = new Map(reading.files.map(({ path, status }) => [path, status]));
  return { policies, invalid, unreadable, untaken, files, errors };
}

/** Of two policies of one name, neither counts. */
function add(
  policies: Map<string, ResolvedPolicy>,
  invalid: Map<string, RepositoryDocument>,
  policy: ResolvedPolicy,
): void {
  const key = identityKey(policy.source);
  if (policies.delete(key) || invalid.has(key)) invalid.set(key, policy.source);
  else policies.set(key, policy);
}

function isError({ severity }: TenantDiagnostic): boolean {
  return severity === 'error';
}

import { folderMatcher } from './glob.ts';
import { type RepositoryOptions, rootTenant, type TenantOptions } from './repository-options.ts';
import { folderOf, foldersUp } from './tree-file.ts';

/** Finds the tenant of a file. */
export interface TenantLookup {
  /** The tenant's name; the root's where no tenant's folders hold the path. */
  readonly of: (path: string) => string;
  /** The settings of a tenant; undefined for the root. */
  readonly options: (name: string) => TenantOptions | undefined;
}

/** Builds the lookup of a source's tenants: the first whose glob matches a folder around the file. */
export function tenantLookup({ tenants }: RepositoryOptions): TenantLookup {
  const matchers = tenants.map((tenant) => ({ name: tenant.name, matches: folderMatcher(tenant.path) }));
  const folders = new Map<string, string>();
  const ofFolder = (folder: string): string => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const ups = foldersUp(folder);
    const found =
      matchers.find(({ matches }) => ups.some((up) => up !== '' && matches(up)))?.name ?? rootTenant;
    folders.set(folder, found);
    return found;
  };
  const byName = new Map(tenants.map((tenant) => [tenant.name, tenant]));
  return { of: (path) => ofFolder(folderOf(path)), options: (name) => byName.get(name) };
}

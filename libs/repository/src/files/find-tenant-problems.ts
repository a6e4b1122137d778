import { foldersOverlap } from './glob.ts';
import type { TenantOptions } from './repository-options.ts';

/** What is wrong with a tenant of a list. */
export interface TenantProblem {
  readonly index: number;
  readonly field: 'name' | 'path';
  /** A sentence without its subject: `overlaps with …`. */
  readonly message: string;
}

/**
 * Finds what is wrong with the tenants of a source, of whose globs each is right: a name twice, and two whose folders
 * could be the same, or one inside the other. The whole language of the globs is compared, not the folders that there
 * are: no commit can make two tenants claim one file.
 */
export function findTenantProblems(
  tenants: readonly Pick<TenantOptions, 'name' | 'path'>[],
): readonly TenantProblem[] {
  const problems: TenantProblem[] = [];
  for (const [index, { name, path }] of tenants.entries()) {
    const before = tenants.slice(0, index);
    if (before.some((other) => other.name === name))
      problems.push({ index, field: 'name', message: 'is the name of another tenant too' });
    const other = before.find((each) => foldersOverlap(each.path, path));
    if (other !== undefined) {
      problems.push({
        index,
        field: 'path',
        message: `overlaps with ${other.path} of tenant ${other.name}: a folder could belong to both`,
      });
    }
  }
  return problems;
}

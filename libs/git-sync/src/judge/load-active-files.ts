import type { GitRepositoryPort } from '../ports/git.port.ts';
import type { SourceState } from '../ports/revision-store.port.ts';

/** The files of each tenant's active revision; undefined where that is not on disk. */
export type ActiveFiles = (tenant: string) => ReadonlyMap<string, string> | undefined;

/**
 * Loads them from disk.
 *
 * @throws AdapterError
 */
export async function loadActiveFiles(
  repository: GitRepositoryPort,
  state: SourceState,
): Promise<ActiveFiles> {
  const files = new Map<string, ReadonlyMap<string, string>>();
  for (const commit of new Set(Object.values(state.tenants))) {
    if (!(await repository.hasCommit(commit))) continue;
    const tree = await repository.loadTree(commit, Number.MAX_SAFE_INTEGER);
    files.set(commit, new Map(tree.map(({ path, id }) => [path, id])));
  }
  return (tenant) => files.get(state.tenants[tenant] ?? '');
}

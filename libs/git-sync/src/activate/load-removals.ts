import { isJsonObject } from '#kernel';
import type { CommitReference } from '#reconciliation';
import type { PolicyVersion, RevisionRecord, RevisionStorePort } from '../ports/revision-store.port.ts';

/** A version, as far as it says how it left. */
type EndedVersion = Pick<PolicyVersion, 'source' | 'validTo' | 'departure'>;

/** As many revisions as one read takes. */
const revisionsPerRead = 100;

/**
 * Loads which commits left documents out, by the versions that left so: what a commit left out ended as the commit came
 * into force. Reads nothing where no version left.
 */
export async function loadRemovals<V extends EndedVersion>(
  versions: readonly V[],
  load: RevisionStorePort['loadRevisions'],
): Promise<ReadonlyMap<V, CommitReference>> {
  const left = versions.filter(({ departure }) => departure === 'Pruned' || departure === 'Kept');
  const found = new Map<V, CommitReference>();
  for (let start = 0; start < left.length; start += revisionsPerRead) {
    const part = left.slice(start, start + revisionsPerRead);
    const outcomes = ['active', 'partial'] as const;
    const queries = part.map(({ source, validTo }) => ({
      source,
      by: { finishedAt: validTo ?? '' },
      outcomes,
    }));
    for (const [index, revision] of (await load(queries)).entries()) {
      const version = part[index];
      if (version !== undefined && revision !== undefined && isByCommit(version, revision))
        found.set(version, revision.commit);
    }
  }
  return found;
}

/** What is kept in the cluster may have left by a rollback, too. */
function isByCommit({ departure }: EndedVersion, { details }: RevisionRecord): boolean {
  if (departure === 'Pruned') return true;
  const { allowedBy } = details;
  if (!Array.isArray(allowedBy)) return false;
  return !allowedBy.some((action) => isJsonObject(action) && action['action'] === 'RollBackSource');
}

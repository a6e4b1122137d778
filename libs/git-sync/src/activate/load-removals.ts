import { isJsonObject } from '#kernel';
import type { PolicyVersion, RevisionRecord, RevisionStorePort } from '../ports/revision-store.port.ts';
import { operatorOfRemoval } from './releases-of.ts';

/** A version, as far as it says how it left. */
type EndedVersion = Omit<PolicyVersion, 'removedBy' | 'removedByOperator'>;

/** What took a version out of force. */
export type Removal = Pick<PolicyVersion, 'removedBy' | 'removedByOperator'>;

export const noRemoval: Removal = { removedBy: null, removedByOperator: null };

/** As many revisions as one read takes. */
const revisionsPerRead = 100;

/**
 * Loads which commits left documents out, and which operators took them out, by the versions that left so: they ended as a
 * revision came into force. Reads nothing where no version left.
 */
export async function loadRemovals<V extends EndedVersion>(
  versions: readonly V[],
  load: RevisionStorePort['loadRevisions'],
): Promise<ReadonlyMap<V, Removal>> {
  const left = versions.filter(({ departure }) => departure !== null && departure !== 'SourceRemoved');
  const found = new Map<V, Removal>();
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
      if (version === undefined || revision === undefined) continue;
      const removedBy = isByCommit(version, revision) ? revision.commit : null;
      found.set(version, { removedBy, removedByOperator: operatorOfRemoval(version, revision.details) });
    }
  }
  return found;
}

/** What is kept in the cluster may have left by a rollback, too. */
function isByCommit({ departure }: EndedVersion, { details }: RevisionRecord): boolean {
  if (departure === 'Pruned') return true;
  if (departure !== 'Kept') return false;
  const { allowedBy } = details;
  if (!Array.isArray(allowedBy)) return false;
  return !allowedBy.some((action) => isJsonObject(action) && action['action'] === 'RollBackSource');
}

import { isJsonObject } from '#kernel';
import type {
  AllowingAction,
  PolicyVersion,
  RevisionRecord,
  RevisionStorePort,
} from '../ports/revision-store.port.ts';
import { allowingActionsOf } from './allowing-actions.ts';
import { operatorOfRemoval } from './releases-of.ts';

/** A version without what took it out of force: that is its revision's to say. */
export type EndedVersion = Omit<PolicyVersion, keyof Removal>;

/** What took a version out of force. */
export type Removal = Pick<PolicyVersion, 'removedBy' | 'removedByOperator' | 'removalAllowedBy'>;

export const noRemoval: Removal = { removedBy: null, removedByOperator: null, removalAllowedBy: null };

/** As many revisions as one read takes. */
const revisionsPerRead = 100;

/**
 * Loads which commits left documents out, which operators took them out, and which let that happen, by the versions that
 * left so: they ended as a revision came into force. Reads nothing where no version left.
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
      found.set(version, {
        removedBy: isByCommit(version, revision) ? revision.commit : null,
        removedByOperator: operatorOfRemoval(version, revision.details),
        removalAllowedBy: allowingRemoval(version, revision),
      });
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

/** Without a rollback, which is what removed it; who releases a policy by its name needs nobody. */
function allowingRemoval(
  version: EndedVersion,
  { details }: RevisionRecord,
): readonly AllowingAction[] | null {
  if (version.departure === 'Released') return [];
  const allowing = allowingActionsOf(details, version);
  return allowing === null ? null : allowing.filter(({ action }) => action !== 'RollBackSource');
}

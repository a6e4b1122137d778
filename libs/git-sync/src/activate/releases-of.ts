import { isJsonObject, type JsonObject } from '#kernel';
import type { OperatorReference } from '#ledger';
import { identityKey } from '#repository';
import type { Approvals } from '../holds/approvals.ts';
import type { EndedDocument, PolicyVersion } from '../ports/revision-store.port.ts';
import { operatorOfActivation } from './operator-of.ts';

/** Who released policies by their names in a run, as its revision keeps it: one record for all where it was one action. */
export function releasesOf(approvals: Approvals, left: readonly EndedDocument[]): readonly JsonObject[] {
  const operatorOf = operatorOfActivation(approvals);
  const releases = left.flatMap(({ document, departure }) => {
    const operator = operatorOf(document, departure);
    return operator?.action === 'ReleasePolicy'
      ? [{ policy: identityKey(document), by: operator.by, reason: operator.reason }]
      : [];
  });
  const groups = Map.groupBy(releases, ({ by, reason }) => JSON.stringify([by, reason]));
  const [one] = releases;
  return groups.size === 1 && one !== undefined ? [{ ...one, policy: null }] : releases;
}

/** Which operator took a version out of force, by the revision with which it left; null: a commit did, or it is not known. */
export function operatorOfRemoval(
  version: Pick<PolicyVersion, 'departure' | 'role' | 'tenant' | 'namespace' | 'name' | 'file'>,
  details: JsonObject,
): OperatorReference | null {
  const { departure } = version;
  if (departure === 'Released') {
    const name = identityKey(version);
    const release = recordsIn(details['releasedBy']).find(({ policy }) => policy === null || policy === name);
    return release === undefined ? null : referenceOf('ReleasePolicy', release);
  }
  if (departure !== 'RolledBack' && departure !== 'Kept') return null;
  const rollback = recordsIn(details['allowedBy']).find(({ action }) => action === 'RollBackSource');
  return rollback === undefined ? null : referenceOf('RollBackSource', rollback);
}

function recordsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function referenceOf(action: OperatorReference['action'], { by, reason }: JsonObject): OperatorReference {
  return { action, by: typeof by === 'string' ? by : '', reason: typeof reason === 'string' ? reason : '' };
}

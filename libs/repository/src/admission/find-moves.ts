import type { RepositoryDocument } from '../documents/repository-reading.ts';
import { type DocumentInForce, identityKey, targetKey, writtenTargetKey } from './in-force.ts';

/** A name or a target that one tenant gives up and another takes up in one commit. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/**
 * Finds what moves between tenants; within one tenant nothing needs to wait. What its tenant still has is no move but a
 * conflict, which is the newcomer's alone.
 */
export function findMoves(
  inForce: readonly DocumentInForce[],
  fresh: readonly RepositoryDocument[],
): readonly Move[] {
  const policies = fresh.filter(({ role }) => role === 'Policy');
  const [first] = policies;
  const isOne = (document: RepositoryDocument): boolean => document.tenant === first?.tenant;
  if (policies.every(isOne) && inForce.every(({ source }) => isOne(source))) return [];
  const names = tenantsBy(policies, identityKey);
  const targets = tenantsBy(policies, writtenTargetKey);
  return inForce.flatMap(({ source, policy }) => {
    if (policy === undefined) return [];
    const taken = [names.get(identityKey(source)), targets.get(targetKey(policy))];
    return taken
      .filter((tenants) => tenants !== undefined && !tenants.has(source.tenant))
      .flatMap((tenants) => [...(tenants ?? [])].map((to) => ({ from: source.tenant, to })));
  });
}

function tenantsBy(
  documents: readonly RepositoryDocument[],
  keyOf: (document: RepositoryDocument) => string | undefined,
): ReadonlyMap<string, ReadonlySet<string>> {
  const tenants = new Map<string, Set<string>>();
  for (const document of documents) {
    const key = keyOf(document);
    if (key === undefined) continue;
    const known = tenants.get(key);
    if (known === undefined) tenants.set(key, new Set([document.tenant]));
    else known.add(document.tenant);
  }
  return tenants;
}

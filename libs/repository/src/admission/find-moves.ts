import type { RepositoryDocument } from '../documents/repository-reading.ts';
import { type DocumentInForce, identityKey, targetKey, writtenTargetKey } from './in-force.ts';

/** A name or a target that one tenant gives up and another takes up in one commit. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/**
 * Finds what moves between tenants; within one tenant nothing needs to wait. What its tenant still has is no move but a
 * conflict, which is the newcomer's alone. One policy per step.
 */
export function* findMovesInSteps(
  inForce: readonly DocumentInForce[],
  fresh: readonly RepositoryDocument[],
): Generator<void, readonly Move[], void> {
  const policies = fresh.filter(({ role }) => role === 'Policy');
  const [first] = policies;
  const isOne = (document: RepositoryDocument): boolean => document.tenant === first?.tenant;
  if (policies.every(isOne) && inForce.every(({ source }) => isOne(source))) return [];
  const names = yield* tenantsBy(policies, identityKey);
  const targets = yield* tenantsBy(policies, writtenTargetKey);
  const moves: Move[] = [];
  for (const { source, policy } of inForce) {
    yield;
    if (policy === undefined) continue;
    for (const tenants of [names.get(identityKey(source)), targets.get(targetKey(policy))]) {
      if (tenants === undefined || tenants.has(source.tenant)) continue;
      for (const to of tenants) moves.push({ from: source.tenant, to });
    }
  }
  return moves;
}

function* tenantsBy(
  documents: readonly RepositoryDocument[],
  keyOf: (document: RepositoryDocument) => string | undefined,
): Generator<void, ReadonlyMap<string, ReadonlySet<string>>, void> {
  const tenants = new Map<string, Set<string>>();
  for (const document of documents) {
    yield;
    const key = keyOf(document);
    if (key === undefined) continue;
    const known = tenants.get(key);
    if (known === undefined) tenants.set(key, new Set([document.tenant]));
    else known.add(document.tenant);
  }
  return tenants;
}

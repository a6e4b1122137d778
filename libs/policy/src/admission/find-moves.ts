import { isJsonObject } from '#kernel';

import type { RepositoryDocument } from '../repository/repository-reading.ts';
import { type DocumentInForce, targetKey } from './in-force.ts';

/** A name or a target that one tenant gives up and another takes up in one commit. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** Finds what moves between tenants; within one tenant nothing needs to wait. */
export function findMoves(
  inForce: readonly DocumentInForce[],
  fresh: readonly RepositoryDocument[],
): readonly Move[] {
  const policies = fresh.filter(({ role }) => role === 'Policy');
  const names = new Map(policies.map((document) => [nameOf(document), document.tenant]));
  const targets = new Map(policies.map((document) => [targetOf(document), document.tenant]));
  const moves: Move[] = [];
  for (const { source, policy } of inForce) {
    if (policy === undefined) continue;
    for (const to of [names.get(nameOf(source)), targets.get(targetKey(policy))])
      if (to !== undefined && to !== source.tenant) moves.push({ from: source.tenant, to });
  }
  return moves;
}

function nameOf({ namespace, name }: RepositoryDocument): string {
  return `${namespace}/${name}`;
}

/** The target that a document names, before it is validated; empty where it names none. */
function targetOf({ value, namespace }: RepositoryDocument): string {
  const spec = isJsonObject(value['spec']) ? value['spec'] : {};
  const target = isJsonObject(spec['scaleTargetRef']) ? spec['scaleTargetRef'] : {};
  const { apiVersion, kind, name } = target;
  if (typeof kind !== 'string' || typeof name !== 'string') return '';
  return targetKey({
    namespace,
    target: { apiVersion: typeof apiVersion === 'string' ? apiVersion : '', kind, name },
  });
}

import { apiGroupOf } from '#kernel';
import type { DecideInput } from '../model/decide-input.ts';
import type { FilterReason } from '../model/decision.ts';
import type { ObservedOwner, ObservedPod, Optional, OwnerReference } from '../model/observation.ts';

/** Levels of owners that are compared with the target; the pod's own references are level 1. */
const maxDepth = 10;

/** The fields by which references and owners are compared. */
interface Identity {
  readonly apiVersion?: Optional<string>;
  readonly kind?: Optional<string>;
  readonly name?: Optional<string>;
  readonly uid?: Optional<string>;
}

/**
 * Makes the filter of `selectionStrategy: OwnerReference`: for a pod, null where its owner chain reaches the target
 * within ten levels, else why not. All references count, not only controllers.
 *
 * @see docs/spec/decision-contract.md "Selection"
 */
export function createOwnerFilter({
  policy,
  observation,
}: DecideInput): (pod: ObservedPod) => FilterReason | null {
  const target: Identity = { ...policy.target, uid: observation.target?.uid };
  const owners = indexOwners(observation.owners);
  const knownReasons = new Map<string, FilterReason | null>();
  const reasonOf = (references: readonly OwnerReference[]): FilterReason | null => {
    const [only] = references;
    if (only === undefined) return 'NoOwner';
    if (references.length > 1) return climb({ references, target, owners });
    // Pods of one ReplicaSet share their chain, which is climbed once.
    const key = `${keyOf(only)}/${only.uid ?? ''}`;
    const known = knownReasons.get(key);
    if (known !== undefined) return known;
    const outcome = climb({ references, target, owners });
    knownReasons.set(key, outcome);
    return outcome;
  };
  let latest: Optional<readonly OwnerReference[]> = noReferences;
  let reason: FilterReason | null = 'NoOwner';
  return ({ ownerReferences }) => {
    // A cache keeps one list for all pods of a template.
    if (ownerReferences !== latest) {
      reason = reasonOf(ownerReferences ?? noReferences);
      latest = ownerReferences;
    }
    return reason;
  };
}

const noReferences: readonly OwnerReference[] = [];

interface Climb {
  readonly references: readonly OwnerReference[];
  readonly target: Identity;
  readonly owners: ReadonlyMap<string, readonly ObservedOwner[]>;
}

/** Breadth first, each owner once, so that cycles end. */
function climb({ references, target, owners }: Climb): FilterReason | null {
  const visited = new Set<ObservedOwner>();
  let level = references;
  let isBroken = false;
  for (let depth = 1; depth <= maxDepth && level.length > 0; depth += 1) {
    if (level.some((reference) => isSame(reference, target))) return null;
    const found = level.map((reference) =>
      (owners.get(keyOf(reference)) ?? []).filter((candidate) => isSame(reference, candidate)),
    );
    isBroken ||= found.some((candidates) => candidates.length === 0);
    level = found
      .flat()
      .filter((owner) => !visited.has(owner) && visited.add(owner))
      .flatMap(({ ownerReferences }) => ownerReferences ?? []);
  }
  if (isBroken) return 'OwnerNotFound';
  return level.length > 0 ? 'ChainTooDeep' : 'OtherOwner';
}

function indexOwners(
  owners: DecideInput['observation']['owners'],
): ReadonlyMap<string, readonly ObservedOwner[]> {
  const index = new Map<string, ObservedOwner[]>();
  if (owners === null || owners === undefined || 'error' in owners) return index;
  for (const owner of owners) {
    const key = keyOf(owner);
    const known = index.get(key);
    if (known === undefined) index.set(key, [owner]);
    else known.push(owner);
  }
  return index;
}

/** API group, kind and name agree, and the uid where both have one. */
function isSame(a: Identity, b: Identity): boolean {
  if (!hasText(a.name) || !hasText(a.kind) || a.name !== b.name || a.kind !== b.kind) return false;
  if (apiGroupOf(a.apiVersion ?? '') !== apiGroupOf(b.apiVersion ?? '')) return false;
  return !hasText(a.uid) || !hasText(b.uid) || a.uid === b.uid;
}

function keyOf({ apiVersion, kind, name }: Identity): string {
  return `${apiGroupOf(apiVersion ?? '')}/${kind ?? ''}/${name ?? ''}`;
}

function hasText(text: Optional<string>): text is string {
  return text !== null && text !== undefined && text !== '';
}

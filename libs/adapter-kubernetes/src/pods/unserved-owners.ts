import type { ObservedPod } from '#decision';
import { AdapterError, apiGroupOf } from '#kernel';
import type { KindAbsences } from '../api/kind-absences.ts';
import { kindKey, type KindName } from '../api/kind-name.ts';
import type { OwnerReference } from '../api/kube-object.ts';
import type { RestMapper } from '../api/rest-mapper.ts';
import type { OwnerObject } from '../targets/workload.ts';
import type { Timing } from '../time/timing.ts';

export interface UnservedOwnersOptions {
  readonly absences: KindAbsences;
  readonly mapper: RestMapper;
  readonly timing: Timing;
}

/** One lookup that met references to kinds that are not served. */
export interface UnservedLookup {
  readonly namespace: string;
  readonly pods: readonly ObservedPod[];
  /** The owners that were found, above which such references may stand. */
  readonly found: readonly OwnerObject[];
  readonly unserved: readonly OwnerReference[];
}

/** The decision contract looks at levels 1 to 10. */
const maximumLevels = 10;
/** Pods that lead to kinds that are not served: the oldest is forgotten, and waits for its confirmation again. */
const maximumPods = 50_000;
/** A pod that no lookup has met for as long is gone. */
const forgottenMilliseconds = 10 * 60_000;

interface SeenPod {
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Separates owners that certainly do not exist, by their kind, from those that could not be looked up. */
export class UnservedOwners {
  readonly #options: UnservedOwnersOptions;
  readonly #seen = new Map<string, SeenPod>();

  constructor(options: UnservedOwnersOptions) {
    this.#options = options;
  }

  /**
   * Resolves where every kind is confirmed as not served for every pod that leads to it, so that its owners do not
   * exist.
   *
   * @throws AdapterError `UnknownKind` where that is not confirmed yet; what discovery throws.
   */
  async confirm(lookup: UnservedLookup): Promise<void> {
    for (const { kind, since } of this.#latestPods(lookup)) {
      const presence = await this.#options.absences.presenceOf(kind, since);
      if (presence.kind === 'Absent') continue;
      if (presence.kind === 'Served') this.#options.mapper.refresh();
      const message =
        presence.kind === 'Served' ? `${kind.kind} has just begun to be served` : presence.message;
      throw new AdapterError({ code: 'UnknownKind', message, retryable: true });
    }
  }

  /** Forgets pods that are gone; to be called now and then. */
  sweep(): void {
    const now = this.#options.timing.elapsed();
    for (const [key, { lastAt }] of this.#seen)
      if (now - lastAt >= forgottenMilliseconds) this.#seen.delete(key);
  }

  /** Each kind that is not served, and when the newest of the pods that lead to it was first seen. */
  #latestPods(lookup: UnservedLookup): readonly { readonly kind: KindName; readonly since: number }[] {
    const { namespace, pods, unserved } = lookup;
    const reach = reachOf(lookup);
    const latest = new Map<string, { readonly kind: KindName; readonly since: number }>();
    for (const kind of unserved) latest.set(kindKey(kind), { kind, since: 0 });
    for (const pod of pods) {
      const kinds = reach((pod.ownerReferences ?? []) as readonly OwnerReference[]);
      if (kinds.length === 0) continue;
      const firstAt = this.#firstSeen(`${namespace}/${pod.name}/${pod.uid ?? ''}`);
      for (const kind of kinds) {
        const since = Math.max(latest.get(kindKey(kind))?.since ?? 0, firstAt);
        latest.set(kindKey(kind), { kind, since });
      }
    }
    return [...latest.values()];
  }

  #firstSeen(key: string): number {
    const lastAt = this.#options.timing.elapsed();
    const firstAt = this.#seen.get(key)?.firstAt ?? lastAt;
    if (this.#seen.size >= maximumPods && !this.#seen.has(key)) {
      const [oldest] = this.#seen.keys();
      if (oldest !== undefined) this.#seen.delete(oldest);
    }
    this.#seen.set(key, { firstAt, lastAt });
    return firstAt;
  }
}

/** From a pod's references to the unserved kinds that they lead to; pods of one template share the list, and the answer. */
function reachOf({
  found,
  unserved,
}: UnservedLookup): (references: readonly OwnerReference[]) => readonly KindName[] {
  const owners = new Map(found.map((owner) => [nameOf(owner), owner]));
  const absent = new Set(unserved.map(nameOf));
  const known = new Map<readonly OwnerReference[], readonly KindName[]>();
  return (references) => {
    const before = known.get(references);
    if (before !== undefined) return before;
    const reached = new Map<string, KindName>();
    const seen = new Set<string>();
    let level = references;
    for (let depth = 1; depth <= maximumLevels && level.length > 0; depth += 1) {
      const fresh = level.filter((reference) => !seen.has(nameOf(reference)));
      for (const reference of fresh) {
        seen.add(nameOf(reference));
        if (absent.has(nameOf(reference))) reached.set(kindKey(reference), reference);
      }
      level = fresh.flatMap((reference) => owners.get(nameOf(reference))?.ownerReferences ?? []);
    }
    known.set(references, [...reached.values()]);
    return [...reached.values()];
  };
}

function nameOf({ apiVersion, kind, name }: OwnerReference | OwnerObject): string {
  return `${apiGroupOf(apiVersion)}/${kind}/${name}`;
}

import type { ObservedPod } from '#decision';
import { AdapterError, apiGroupOf } from '#kernel';
import type { OwnersPort, OwnersQuery, OwnersReading } from '#reconciliation';
import type { ApiClient } from '../api/api-client.ts';
import { hasCode, transportFailure } from '../api/api-failure.ts';
import type { KindAbsences } from '../api/kind-absences.ts';
import { type OwnerReference, parseKubeObject } from '../api/kube-object.ts';
import { objectPath, type RestMapper } from '../api/rest-mapper.ts';
import { untilAborted } from '../api/until-aborted.ts';
import { acceptOfObject } from '../informer/watched-resource.ts';
import { type OwnerObject, slimOwner } from '../targets/workload.ts';
import type { Timing } from '../time/timing.ts';
import { type CacheCounts, type Loaded, TtlCache } from '../time/ttl-cache.ts';
import type { OwnerCaches } from './owner-caches.ts';
import { UnservedOwners } from './unserved-owners.ts';

export interface OwnerResolverOptions {
  readonly client: ApiClient;
  readonly mapper: RestMapper;
  readonly absences: KindAbsences;
  readonly caches: OwnerCaches;
  readonly timing: Timing;
  /** How long an owner that is not watched is believed to be there. Default 15 minutes. */
  readonly lifetimeMilliseconds?: number;
  /** How long a confirmed absence is believed: one interval at most. Default 10 s. */
  readonly absenceLifetimeMilliseconds?: number;
}

/** The decision contract looks at levels 1 to 10. */
const maximumLevels = 10;
const defaultLifetimeMilliseconds = 15 * 60_000;
const defaultAbsenceLifetimeMilliseconds = 10_000;
/** An owner takes some 500 bytes. */
const maximumOwners = 50_000;
/** Policies that were cleared within a lifetime; beyond it all are cleared, which costs GETs and is never untrue. */
const maximumCleared = 20_000;
/** A read that is under way when a cache is cleared has long ended by then. */
const longestReadMilliseconds = 60_000;

/** From when on a policy believes what was read. */
interface Cleared {
  readonly generation: number;
  /** Nothing older is kept by then. */
  readonly until: number;
}

/** The cache for owners that are not watched, and all lookups by what they gave. */
export interface OwnerCounts extends CacheCounts {
  /** Since the start: one per owner reference, once per pass. `watched`: found in a watched cache; the others were read. */
  readonly lookups: {
    readonly watched: number;
    readonly found: number;
    readonly absent: number;
    readonly failed: number;
  };
}

/** Where owners are looked up, and since when an answer may have been read. */
interface Scope {
  readonly namespace: string;
  readonly since: number;
}

/** Follows owner references: watched kinds in memory, what is not found there and other kinds by GETs through a cache. */
export class OwnerResolver implements OwnersPort {
  readonly #options: OwnerResolverOptions;
  readonly #fetched: TtlCache<OwnerObject | null>;
  readonly #unserved: UnservedOwners;
  readonly #cleared = new Map<string, Cleared>();
  #allCleared = 0;
  readonly #lookups = { watched: 0, found: 0, absent: 0, failed: 0 };

  constructor(options: OwnerResolverOptions) {
    this.#options = options;
    this.#fetched = new TtlCache({ timing: options.timing, maximumEntries: maximumOwners });
    this.#unserved = new UnservedOwners(options);
  }

  async resolveOwners(query: OwnersQuery, signal: AbortSignal): Promise<OwnersReading> {
    const { policy, namespace, pods } = query;
    const since = this.#cleared.get(policy)?.generation ?? this.#allCleared;
    try {
      return await untilAborted(signal, () => this.#walk({ namespace, since }, pods));
    } catch (error) {
      signal.throwIfAborted();
      const { message } = transportFailure('owner lookup', error, []);
      return { error: { reason: 'OwnerLookupFailed', message } };
    }
  }

  listWatchedOwners({ namespace, pods }: OwnersQuery): readonly OwnerObject[] | undefined {
    const found = new Map<string, OwnerObject>();
    const seen = new Set<string>();
    let level: readonly OwnerReference[] = referencesOf(pods);
    for (let depth = 1; depth <= maximumLevels && level.length > 0; depth += 1) {
      const next: OwnerReference[] = [];
      for (const reference of level) {
        if (!isNew(seen, keyOf(namespace, reference))) continue;
        const owner = this.#watched(namespace, reference);
        if (owner === undefined) return undefined;
        found.set(nameOf(owner), owner);
        next.push(...owner.ownerReferences);
      }
      level = next;
    }
    this.#lookups.watched += seen.size;
    return [...found.values()];
  }

  clearFilterCache(policy: string): void {
    const generation = this.#fetched.advance();
    if (this.#cleared.size >= maximumCleared) {
      this.#cleared.clear();
      this.#allCleared = generation;
    }
    const until =
      this.#options.timing.elapsed() + longestReadMilliseconds + this.#longestLifetimeMilliseconds;
    this.#cleared.set(policy, { generation, until });
  }

  /** Drops what is out of date; to be called now and then. */
  sweep(): void {
    this.#fetched.sweep();
    this.#unserved.sweep();
    const now = this.#options.timing.elapsed();
    for (const [policy, { until }] of this.#cleared) if (until <= now) this.#cleared.delete(policy);
  }

  get counts(): OwnerCounts {
    return { ...this.#fetched.counts, lookups: { ...this.#lookups } };
  }

  get #longestLifetimeMilliseconds(): number {
    const { lifetimeMilliseconds, absenceLifetimeMilliseconds } = this.#options;
    return Math.max(
      lifetimeMilliseconds ?? defaultLifetimeMilliseconds,
      absenceLifetimeMilliseconds ?? defaultAbsenceLifetimeMilliseconds,
    );
  }

  async #walk(scope: Scope, pods: readonly ObservedPod[]): Promise<readonly OwnerObject[]> {
    const { namespace } = scope;
    const found = new Map<string, OwnerObject>();
    const unserved: OwnerReference[] = [];
    const seen = new Set<string>();
    let level: readonly OwnerReference[] = referencesOf(pods);
    for (let depth = 1; depth <= maximumLevels && level.length > 0; depth += 1) {
      const fresh = level.filter((reference) => isNew(seen, keyOf(namespace, reference)));
      const lookup = await this.#lookUpAll(scope, fresh);
      for (const owner of lookup.owners) found.set(nameOf(owner), owner);
      unserved.push(...lookup.unserved);
      level = lookup.owners.flatMap((owner) => owner.ownerReferences);
    }
    const owners = [...found.values()];
    if (unserved.length > 0) await this.#unserved.confirm({ namespace, pods, found: owners, unserved });
    return owners;
  }

  async #lookUpAll(scope: Scope, references: readonly OwnerReference[]): Promise<Lookup> {
    const { namespace } = scope;
    const owners: OwnerObject[] = [];
    const missing: OwnerReference[] = [];
    const unserved: OwnerReference[] = [];
    for (const reference of references) {
      const watched = this.#watched(namespace, reference);
      if (watched === undefined) {
        missing.push(reference);
      } else {
        this.#lookups.watched += 1;
        owners.push(watched);
      }
    }
    const fetch = (reference: OwnerReference): Promise<OwnerObject | null> =>
      this.#fetchCounted(scope, reference).catch((error: unknown) => {
        if (!hasCode(error, 'UnknownKind')) throw error;
        unserved.push(reference);
        return null;
      });
    const fetched = await Promise.all(missing.map(fetch));
    return { owners: [...owners, ...fetched.filter((owner) => owner !== null)], unserved };
  }

  /** The owner that is meant, where a watched cache has it. */
  #watched(namespace: string, reference: OwnerReference): OwnerObject | undefined {
    const watched = this.#options.caches.lookUp(reference, namespace, reference.name);
    return typeof watched === 'object' && isMeant(watched.found, reference) ? watched.found : undefined;
  }

  async #fetchCounted(scope: Scope, reference: OwnerReference): Promise<OwnerObject | null> {
    try {
      const owner = await this.#fetch(scope, reference);
      this.#lookups[owner === null || !isMeant(owner, reference) ? 'absent' : 'found'] += 1;
      return owner;
    } catch (error) {
      this.#lookups.failed += 1;
      throw error;
    }
  }

  #fetch({ namespace, since }: Scope, reference: OwnerReference): Promise<OwnerObject | null> {
    return this.#fetched.get(keyOf(namespace, reference), () => this.#load(namespace, reference), since);
  }

  /** A live answer; one of another uid is an absence, kept as short. An error is thrown, and so kept not at all. */
  async #load(namespace: string, reference: OwnerReference): Promise<Loaded<OwnerObject | null>> {
    const { client, mapper, lifetimeMilliseconds, absenceLifetimeMilliseconds } = this.#options;
    const absent = absenceLifetimeMilliseconds ?? defaultAbsenceLifetimeMilliseconds;
    const mapping = await mapper.mappingOf(reference.apiVersion, reference.kind);
    try {
      const answer = await client.json({
        path: objectPath(mapping, { namespace, name: reference.name }),
        accept: acceptOfObject('Metadata'),
      });
      const owner = slimOwner(parseKubeObject(answer), reference);
      const isThere = isMeant(owner, reference);
      return {
        value: owner,
        lifetimeMilliseconds: isThere ? (lifetimeMilliseconds ?? defaultLifetimeMilliseconds) : absent,
      };
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
      await this.#requireServed(reference);
      return { value: null, lifetimeMilliseconds: absent };
    }
  }

  /**
   * A path of a kind that is not served any more is not found either: its owners are not gone one by one, the kind may
   * be being replaced.
   *
   * @throws AdapterError `UnknownKind` where discovery does not list the kind, or has not within the last ten minutes.
   */
  async #requireServed(reference: OwnerReference): Promise<void> {
    const { absences, caches } = this.#options;
    if (caches.isBuiltIn(reference)) return;
    const presence = await absences.presenceOf(reference, 0);
    if (presence.kind === 'Served' && !absences.hasVanishedLately(reference)) return;
    const message = `${reference.kind} of ${reference.apiVersion} is not served, or was not lately`;
    throw new AdapterError({ code: 'UnknownKind', message, retryable: true });
  }
}

/** What one level of references leads to. */
interface Lookup {
  readonly owners: readonly OwnerObject[];
  /** References to kinds that discovery does not list. */
  readonly unserved: readonly OwnerReference[];
}

/** Every reference of the pods, once; pods of one template share the list itself. */
function referencesOf(pods: readonly ObservedPod[]): readonly OwnerReference[] {
  const first = pods[0]?.ownerReferences;
  if (first && pods.every(({ ownerReferences }) => ownerReferences === first))
    return first as readonly OwnerReference[];
  const lists = new Set(pods.map((pod) => (pod.ownerReferences ?? []) as readonly OwnerReference[]));
  return [...lists].flat();
}

function nameOf({ apiVersion, kind, name }: OwnerObject): string {
  return `${apiVersion}/${kind}/${name}`;
}

function isMeant(owner: OwnerObject, { uid }: OwnerReference): boolean {
  return uid === '' || owner.uid === uid;
}

function keyOf(namespace: string, { apiVersion, kind, name, uid }: OwnerReference): string {
  return `${namespace}/${apiGroupOf(apiVersion)}/${kind}/${name}/${uid}`;
}

function isNew(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

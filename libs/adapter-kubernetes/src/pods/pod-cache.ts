import type { ObservedPod } from '#decision';
import { LabelIndex, type LabelRequirements, parseLabelSelector } from '#kernel';
import type { PodListing, PodQuery, PodsPort } from '#reconciliation';
import { WatchedCache, type WatchOptions } from '../informer/watched-cache.ts';
import { Interner } from './interner.ts';
import { slimPod } from './slim-pod.ts';

/** Selectors change with policies; this many parsed ones are kept. */
const maximumSelectors = 20_000;

/** The slim cache of all pods in the watched namespaces. */
export class PodCache implements PodsPort {
  readonly watched: WatchedCache<ObservedPod>;
  readonly #indexes = new Map<string, LabelIndex<ObservedPod>>();
  readonly #selectors = new Map<string, LabelRequirements | undefined>();

  constructor(context: WatchOptions) {
    const interner = new Interner();
    let before: ObservedPod | undefined;
    this.watched = new WatchedCache(context, {
      groupPath: '/api/v1',
      resource: 'pods',
      representation: 'Object',
      transform: (pod) => (before = slimPod(pod, { interner, before })),
      listener: ({ before, after, namespace }) => this.#reindex(namespace, before, after),
    });
  }

  listPods({ namespace, selector }: PodQuery): PodListing {
    const trust = this.watched.trustOf(namespace);
    if (!trust.isTrusted) return { state: 'Unsynced', message: trust.message };
    const requirements = this.#parsed(selector);
    if (requirements === undefined) return { state: 'Synced', pods: [] };
    return { state: 'Synced', pods: this.#indexes.get(namespace)?.select(requirements) ?? [] };
  }

  #reindex(namespace: string, before: ObservedPod | undefined, after: ObservedPod | undefined): void {
    const index = this.#indexes.get(namespace) ?? new LabelIndex<ObservedPod>();
    if (before !== undefined) index.remove(before);
    if (after !== undefined) index.add(after);
    if (index.isEmpty) this.#indexes.delete(namespace);
    else this.#indexes.set(namespace, index);
  }

  /** Undefined for a selector that is empty or does not parse. */
  #parsed(selector: string): LabelRequirements | undefined {
    if (this.#selectors.has(selector)) return this.#selectors.get(selector);
    if (this.#selectors.size >= maximumSelectors) this.#selectors.clear();
    const parsed = selector === '' ? undefined : parseLabelSelector(selector);
    const requirements = parsed?.ok === true ? parsed.value : undefined;
    this.#selectors.set(selector, requirements);
    return requirements;
  }
}

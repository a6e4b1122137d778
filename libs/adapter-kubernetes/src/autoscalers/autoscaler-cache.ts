import {
  type AutoscalerName,
  type NativeAutoscaler,
  type NativeAutoscalerListing,
  type OwnedAutoscaler,
  readNativeAutoscaler,
} from '#reconciliation';
import { WatchedCache, type WatchOptions } from '../informer/watched-cache.ts';
import type { ScaleClient } from '../targets/scale-client.ts';
import { AskedCounts } from './asked-counts.ts';

type SlimAutoscaler = Omit<NativeAutoscaler, 'selector'>;

/** The HPAs of the watched namespaces. */
export class AutoscalerCache {
  readonly watched: WatchedCache<NativeAutoscaler>;
  readonly #scales: ScaleClient;
  /** By namespace; one that has changed is listed anew when it is asked for. */
  readonly #listings = new Map<string, readonly NativeAutoscaler[]>();
  /** Those that Plimsoll made, by `namespace/name`. */
  readonly #owned = new Map<string, OwnedAutoscaler>();
  readonly #asked: AskedCounts;

  constructor(context: WatchOptions, scales: ScaleClient) {
    this.#scales = scales;
    this.#asked = new AskedCounts(context.timing);
    this.watched = new WatchedCache<NativeAutoscaler>(context, {
      groupPath: '/apis/autoscaling/v2',
      resource: 'horizontalpodautoscalers',
      representation: 'Object',
      transform: ({ namespace, body }) => this.withSelector(namespace, readNativeAutoscaler(body)),
      versionOf: ({ resourceVersion }) => resourceVersion,
      listener: ({ after, namespace, name }) => {
        this.#listings.delete(namespace);
        const policy = after?.isWrittenByPlimsoll === true ? after.policy : null;
        const key = `${namespace}/${name}`;
        if (policy === null) this.#owned.delete(key);
        else this.#owned.set(key, { namespace, name, policy });
        this.#asked.note(key, after?.status?.desiredReplicas ?? null);
      },
    });
  }

  listAutoscalers(namespace: string): NativeAutoscalerListing {
    const trust = this.watched.trustOf(namespace);
    if (!trust.isTrusted) return { state: 'Unsynced', message: trust.message };
    const listed = this.#listings.get(namespace);
    if (listed !== undefined) return { state: 'Synced', autoscalers: listed };
    const autoscalers = [...this.watched.values(namespace)];
    if (autoscalers.length > 0) this.#listings.set(namespace, autoscalers);
    return { state: 'Synced', autoscalers };
  }

  listOwned(): readonly OwnedAutoscaler[] {
    return [...this.#owned.values()];
  }

  askedLately({ namespace, name }: AutoscalerName): ReadonlySet<number> {
    return this.#asked.lately(`${namespace}/${name}`);
  }

  /** The selector is that of the target's scale, as far as it is known whenever it is read. */
  withSelector(namespace: string, autoscaler: SlimAutoscaler): NativeAutoscaler {
    const scales = this.#scales;
    const target = { ...autoscaler.target, namespace };
    return {
      ...autoscaler,
      get selector(): string | null {
        return scales.cachedScale(target)?.selector ?? null;
      },
    };
  }
}

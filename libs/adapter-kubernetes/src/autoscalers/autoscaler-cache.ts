import {
  type NativeAutoscaler,
  type NativeAutoscalerListing,
  type OwnedAutoscaler,
  readNativeAutoscaler,
} from '#reconciliation';
import { WatchedCache, type WatchOptions } from '../informer/watched-cache.ts';
import type { ScaleClient } from '../targets/scale-client.ts';

type SlimAutoscaler = Omit<NativeAutoscaler, 'selector'>;

/** The HPAs of the watched namespaces. */
export class AutoscalerCache {
  readonly watched: WatchedCache<NativeAutoscaler>;
  readonly #scales: ScaleClient;
  /** By namespace; one that has changed is listed anew when it is asked for. */
  readonly #listings = new Map<string, readonly NativeAutoscaler[]>();
  /** Those that Plimsoll made, by `namespace/name`. */
  readonly #owned = new Map<string, OwnedAutoscaler>();

  constructor(context: WatchOptions, scales: ScaleClient) {
    this.#scales = scales;
    this.watched = new WatchedCache<NativeAutoscaler>(context, {
      groupPath: '/apis/autoscaling/v2',
      resource: 'horizontalpodautoscalers',
      representation: 'Object',
      transform: ({ namespace, body }) => this.withSelector(namespace, readNativeAutoscaler(body)),
      listener: ({ after, namespace, name }) => {
        this.#listings.delete(namespace);
        const policy = after?.isWrittenByPlimsoll === true ? after.policy : null;
        if (policy === null) this.#owned.delete(`${namespace}/${name}`);
        else this.#owned.set(`${namespace}/${name}`, { namespace, name, policy });
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

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
  readonly watched: WatchedCache<SlimAutoscaler>;
  readonly #scales: ScaleClient;
  /** Those that Plimsoll made, by `namespace/name`. */
  readonly #owned = new Map<string, OwnedAutoscaler>();

  constructor(context: WatchOptions, scales: ScaleClient) {
    this.#scales = scales;
    this.watched = new WatchedCache<SlimAutoscaler>(context, {
      groupPath: '/apis/autoscaling/v2',
      resource: 'horizontalpodautoscalers',
      representation: 'Object',
      transform: ({ body }) => readNativeAutoscaler(body),
      listener: ({ after, namespace, name }) => {
        const policy = after?.isWrittenByPlimsoll === true ? after.policy : null;
        if (policy === null) this.#owned.delete(`${namespace}/${name}`);
        else this.#owned.set(`${namespace}/${name}`, { namespace, name, policy });
      },
    });
  }

  listAutoscalers(namespace: string): NativeAutoscalerListing {
    const trust = this.watched.trustOf(namespace);
    if (!trust.isTrusted) return { state: 'Unsynced', message: trust.message };
    const autoscalers = [...this.watched.values(namespace)].map((autoscaler) =>
      this.withSelector(namespace, autoscaler),
    );
    return { state: 'Synced', autoscalers };
  }

  listOwned(): readonly OwnedAutoscaler[] {
    return [...this.#owned.values()];
  }

  /** The selector is that of the target's scale, as far as it is known. */
  withSelector(namespace: string, autoscaler: SlimAutoscaler): NativeAutoscaler {
    const scale = this.#scales.cachedScale({ ...autoscaler.target, namespace });
    return { ...autoscaler, selector: scale?.selector ?? null };
  }
}

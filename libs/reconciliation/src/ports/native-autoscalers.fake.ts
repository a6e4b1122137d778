import type {
  NativeAutoscaler,
  NativeAutoscalerListing,
  NativeAutoscalersPort,
} from './native-autoscalers.port.ts';

/** HPAs in memory. */
export class FakeNativeAutoscalers implements NativeAutoscalersPort {
  readonly #listings = new Map<string, NativeAutoscalerListing>();

  /** The namespace's HPAs from now on. */
  set(namespace: string, autoscalers: readonly NativeAutoscaler[]): void {
    this.#listings.set(namespace, { state: 'Synced', autoscalers });
  }

  /** The cache has no answer from now on. */
  unsync(namespace: string): void {
    this.#listings.set(namespace, { state: 'Unsynced', message: 'the HPA cache is not synced' });
  }

  listAutoscalers(namespace: string): NativeAutoscalerListing {
    return this.#listings.get(namespace) ?? { state: 'Synced', autoscalers: [] };
  }
}

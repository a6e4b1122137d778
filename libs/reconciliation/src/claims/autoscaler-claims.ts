import type { NativeAutoscaler, NativeAutoscalersPort } from '../ports/native-autoscalers.port.ts';
import type { PodsPort } from '../ports/pods.port.ts';
import { autoscalerKeyOf, type PodClaims } from './pod-claims.ts';

interface AutoscalerClaimsPorts {
  readonly nativeAutoscalers: NativeAutoscalersPort;
  readonly pods: PodsPort;
}

/** Lets native HPAs claim the pods that their selectors find, as policies do; those that are gone claim none. */
export class AutoscalerClaims {
  readonly #claims: PodClaims;
  readonly #claimed = new Map<string, ReadonlySet<string>>();

  constructor(claims: PodClaims) {
    this.#claims = claims;
  }

  /** Looks at the HPAs of a namespace. Where a cache has no answer, what was claimed before stays. */
  refresh(ports: AutoscalerClaimsPorts, namespace: string): void {
    const listing = ports.nativeAutoscalers.listAutoscalers(namespace);
    if (listing.state === 'Unsynced') return;
    const present = new Set(listing.autoscalers.map(({ name }) => autoscalerKeyOf(namespace, name)));
    for (const key of this.#claimed.get(namespace) ?? [])
      if (!present.has(key)) this.#claims.release(key, namespace);

    this.#claimed.set(namespace, present);
    for (const autoscaler of listing.autoscalers) this.#claim(ports, namespace, autoscaler);
  }

  #claim(
    { pods }: Pick<AutoscalerClaimsPorts, 'pods'>,
    namespace: string,
    autoscaler: NativeAutoscaler,
  ): void {
    const { name, selector, target } = autoscaler;
    if (selector === null) return;
    const listing = pods.listPods({ namespace, selector });
    if (listing.state === 'Unsynced') return;
    const podNames = listing.pods.map((pod) => pod.name);
    this.#claims.claim({ key: autoscalerKeyOf(namespace, name), namespace, target, podNames });
  }
}

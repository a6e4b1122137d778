import type { ScaleTargetRef } from '#policy';
import { isSameTarget } from '../policies/scale-target.ts';

/** The pods that a policy's selector, or a native HPA's, found last. */
export interface PodClaim {
  readonly key: string;
  readonly namespace: string;
  readonly target: ScaleTargetRef;
  readonly podNames: readonly string[];
}

/**
 * Which selectors found which pods, so that a policy sees who shares its pods without matching every selector against
 * every pod: looking costs as much as the policy has pods, however many policies there are.
 *
 * A claim is as old as its policy's last pass. Until every policy of a namespace has looked once
 * ({@link PodClaims.awaitedIn}), no policy there knows its competitors.
 */
export class PodClaims {
  readonly #claims = new Map<string, PodClaim>();
  /** By namespace and name of the pod; nearly every pod is claimed by one policy alone. */
  readonly #byPod = new Map<string, Map<string, PodClaim | readonly PodClaim[]>>();
  readonly #awaited = new Map<string, Set<string>>();

  /** Replaces what the policy claimed before; it has looked. */
  claim(claim: PodClaim): void {
    this.#noteLooked(claim.key, claim.namespace);
    const before = this.#claims.get(claim.key);
    if (before !== undefined && isSameClaim(before, claim)) return;
    this.#drop(claim.key);
    this.#claims.set(claim.key, claim);
    const pods = this.#byPod.get(claim.namespace) ?? new Map<string, PodClaim | readonly PodClaim[]>();
    this.#byPod.set(claim.namespace, pods);
    for (const podName of claim.podNames) {
      const others = listOf(pods.get(podName));
      pods.set(podName, others.length === 0 ? claim : [...others, claim]);
    }
  }

  /** Notes that a policy of the namespace is in force and has not looked yet. */
  expect(key: string, namespace: string): void {
    const keys = this.#awaited.get(namespace) ?? new Set<string>();
    this.#awaited.set(namespace, keys.add(key));
  }

  /** Notes that the policy has looked at its pods, or has none; its neighbours need not wait for it any more. */
  #noteLooked(key: string, namespace: string): void {
    const keys = this.#awaited.get(namespace);
    keys?.delete(key);
    if (keys?.size === 0) this.#awaited.delete(namespace);
  }

  /** The expected policies of the namespace that have not looked yet, sorted. */
  awaitedIn(namespace: string): readonly string[] {
    return [...(this.#awaited.get(namespace) ?? [])].sort();
  }

  /** Forgets a policy that is not in force any more, or whose target has no pods that it would scale. */
  release(key: string, namespace: string): void {
    this.#drop(key);
    this.#noteLooked(key, namespace);
  }

  /** The names of policies and HPAs that claim at least one of this policy's pods, sorted; its own target's left out. */
  competitorsOf(key: string): string[] {
    const own = this.#claims.get(key);
    if (own === undefined) return [];
    const pods = this.#byPod.get(own.namespace);
    const sharing = new Set<PodClaim>();
    for (const podName of own.podNames) {
      const claims = pods?.get(podName);
      if (claims !== own) for (const other of listOf(claims)) sharing.add(other);
    }
    if (sharing.size === 0) return [];
    const rivals = [...sharing].filter(({ target }) => !isSameTarget(target, own.target));
    return [...new Set(rivals.map((rival) => nameOf(rival.key)))].sort();
  }

  #drop(key: string): void {
    const claim = this.#claims.get(key);
    if (claim === undefined) return;
    this.#claims.delete(key);
    const pods = this.#byPod.get(claim.namespace);
    if (pods === undefined) return;
    for (const podName of claim.podNames) {
      const others = listOf(pods.get(podName)).filter((other) => other !== claim);
      const [only] = others;
      if (only === undefined) pods.delete(podName);
      else pods.set(podName, others.length === 1 ? only : others);
    }
    if (pods.size === 0) this.#byPod.delete(claim.namespace);
  }
}

function listOf(claims: PodClaim | readonly PodClaim[] | undefined): readonly PodClaim[] {
  if (claims === undefined) return [];
  return 'key' in claims ? [claims] : claims;
}

/** The usual case by far: between two passes no pod came or went. */
function isSameClaim(before: PodClaim, now: PodClaim): boolean {
  return (
    before.podNames.length === now.podNames.length &&
    isSameTarget(before.target, now.target) &&
    before.podNames.every((podName, index) => podName === now.podNames[index])
  );
}

/** The key under which a native HPA claims: a policy may have the same name. */
export function autoscalerKeyOf(namespace: string, name: string): string {
  return `${autoscalerPrefix}${namespace}/${name}`;
}

const autoscalerPrefix = 'HorizontalPodAutoscaler ';

function nameOf(key: string): string {
  return key.startsWith(autoscalerPrefix) ? key.slice(autoscalerPrefix.length) : key;
}

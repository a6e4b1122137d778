import type { ScaleTargetRef } from '#policy';
import { isSameTarget } from '../scale-target.ts';

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
  readonly #byPod = new Map<string, Set<string>>();
  readonly #awaited = new Map<string, Set<string>>();

  /** Replaces what the policy claimed before; it has looked. */
  claim(claim: PodClaim): void {
    this.#noteLooked(claim.key, claim.namespace);
    const before = this.#claims.get(claim.key);
    if (before !== undefined && isSameClaim(before, claim)) return;
    this.#drop(claim.key);
    this.#claims.set(claim.key, claim);
    for (const podName of claim.podNames) {
      const pod = podKeyOf(claim.namespace, podName);
      const keys = this.#byPod.get(pod) ?? new Set<string>();
      this.#byPod.set(pod, keys.add(claim.key));
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
    const sharing = new Set<string>();
    for (const podName of own.podNames)
      for (const other of this.#byPod.get(podKeyOf(own.namespace, podName)) ?? []) sharing.add(other);

    const rivals = [...sharing].filter((other) => !this.#hasTarget(other, own.target));
    return [...new Set(rivals.map(nameOf))].sort();
  }

  #hasTarget(key: string, target: ScaleTargetRef): boolean {
    const claim = this.#claims.get(key);
    return claim !== undefined && isSameTarget(claim.target, target);
  }

  #drop(key: string): void {
    const claim = this.#claims.get(key);
    if (claim === undefined) return;
    this.#claims.delete(key);
    for (const podName of claim.podNames) this.#dropPod(podKeyOf(claim.namespace, podName), key);
  }

  #dropPod(pod: string, key: string): void {
    const keys = this.#byPod.get(pod);
    keys?.delete(key);
    if (keys?.size === 0) this.#byPod.delete(pod);
  }
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

function podKeyOf(namespace: string, podName: string): string {
  return `${namespace}/${podName}`;
}

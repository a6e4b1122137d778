import { namespacedName } from '#kernel';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import type { ClockPort } from '../ports/clock.port.ts';
import type { PodsPort } from '../ports/pods.port.ts';
import type { ScalePort } from '../ports/scale.port.ts';
import type { PodClaims } from './pod-claims.ts';

interface NeighbourClaimsPorts {
  readonly pods: PodsPort;
  readonly scale: ScalePort;
  readonly clock: ClockPort;
}

/** Between two looks at a namespace: as often as its policies would look by default. */
const intervalMilliseconds = 15_000;

/**
 * Lets the policies that other processes carry out claim the pods that their targets' selectors find, as those that this
 * process carries out do: two policies that share pods may be of different shards. Only targets that are watched have a
 * selector that is known here.
 */
export class NeighbourClaims {
  readonly #claims: PodClaims;
  /** By namespace, the keys of what was claimed. */
  readonly #claimed = new Map<string, ReadonlySet<string>>();
  readonly #dueAt = new Map<string, number>();
  #selected: readonly ActivePolicy[] = [];
  /** The keys of the policies that this process carries out. */
  #own: ReadonlySet<string> = new Set();
  #byNamespace: ReadonlyMap<string, readonly ActivePolicy[]> = new Map();

  constructor(claims: PodClaims) {
    this.#claims = claims;
  }

  /** Notes which policies are in force, and which of them this process carries out. */
  note(active: readonly ActivePolicy[], selected: readonly ActivePolicy[]): void {
    if (selected === this.#selected) return;
    this.#selected = selected;
    this.#own = new Set(selected.map(({ policy }) => namespacedName(policy)));
    const others =
      selected === active ? [] : active.filter(({ policy }) => !this.#own.has(namespacedName(policy)));
    this.#byNamespace = Map.groupBy(others, ({ policy }) => policy.namespace);
    this.#dueAt.clear();
  }

  /** Looks at the pods of a namespace's other policies, once in 15 s. */
  refresh(ports: NeighbourClaimsPorts, namespace: string): void {
    const others = this.#byNamespace.get(namespace) ?? [];
    if (others.length === 0 && !this.#claimed.has(namespace)) return;
    const now = ports.clock.monotonicMilliseconds();
    if (now < (this.#dueAt.get(namespace) ?? now)) return;
    this.#dueAt.set(namespace, now + intervalMilliseconds);
    this.#releaseGone(namespace, others);
    for (const active of others) this.#claim(ports, active);
  }

  /** One that this process carries out now has claimed for itself. */
  #releaseGone(namespace: string, others: readonly ActivePolicy[]): void {
    const present = new Set(others.map(({ policy }) => namespacedName(policy)));
    for (const key of this.#claimed.get(namespace) ?? [])
      if (!present.has(key) && !this.#own.has(key)) this.#claims.release(key, namespace);
    this.#claimed.set(namespace, present);
  }

  #claim({ pods, scale }: Pick<NeighbourClaimsPorts, 'pods' | 'scale'>, { policy }: ActivePolicy): void {
    const { namespace, target } = policy;
    const selector = scale.cachedScale(scaleTargetOf(policy))?.selector ?? '';
    if (!policy.enabled || selector === '') return;
    const listing = pods.listPods({ namespace, selector });
    if (listing.state === 'Unsynced') return;
    const podNames = listing.pods.map(({ name }) => name);
    this.#claims.claim({ key: namespacedName(policy), namespace, target, podNames });
  }
}

import { type NamespacedName, namespacedName } from '#kernel';
import type { LogPort } from '../ports/log.port.ts';
import type { OwnedAutoscaler } from '../ports/native-autoscalers.port.ts';
import type { KeptHpa } from '../runtime/departed-policies.ts';

/** How often it is looked for HPAs that nothing explains, in milliseconds. */
const intervalMilliseconds = 60_000;

/** An HPA that Plimsoll made and that no policy explains. */
export interface OrphanedHpa extends OwnedAutoscaler {
  /** Why it is there, and what takes it away. */
  readonly message: string;
  /** Since when its deletion fails, RFC 3339; null: it is not tried to delete it. */
  readonly since: string | null;
}

/**
 * The HPAs that Plimsoll made and that no policy explains, by name; `isExplained` tells of a policy's key. Of policies
 * whose HPAs are out of reach the record alone says that there is one. Pure.
 */
export function orphanedHpas(
  owned: readonly OwnedAutoscaler[],
  {
    outOfReach,
    kept,
  }: {
    readonly outOfReach: readonly NamespacedName[];
    readonly kept: readonly (NamespacedName & KeptHpa)[];
  },
  isExplained: (key: string) => boolean,
): readonly OrphanedHpa[] {
  return [
    ...owned
      .filter((hpa) => hpa.policy !== namespacedName(hpa) || !isExplained(hpa.policy))
      .map(unexplainedHpa),
    ...outOfReach.map(hpaOutOfReach),
    ...kept.map((each) => keptHpa(each, each)),
  ].sort((a, b) => (namespacedName(a) < namespacedName(b) ? -1 : 1));
}

/** An HPA that nothing explains, as after a lost database. */
export function unexplainedHpa(hpa: OwnedAutoscaler): OrphanedHpa {
  const message = `policy ${hpa.policy} is not in force, and nothing says how it left; it stays as it is: a policy of its name takes it up, or delete it`;
  return { ...hpa, message, since: null };
}

/** The HPA of a policy that left, in a namespace that is not among the configured ones any more. */
export function hpaOutOfReach({ namespace, name }: NamespacedName): OrphanedHpa {
  const hpa = { namespace, name, policy: namespacedName({ namespace, name }) };
  return { ...hpa, message: outOfReachText(hpa), since: null };
}

/** The HPA of a policy that left, which should be gone, and is not. */
export function keptHpa({ namespace, name }: NamespacedName, kept: KeptHpa): OrphanedHpa {
  const hpa = { namespace, name };
  return { ...hpa, policy: namespacedName(hpa), message: keptText(hpa, kept), since: kept.since };
}

/** Why the HPA of a policy that left is still there, and what helps. */
export function keptText(
  { namespace, name }: NamespacedName,
  { message, isSeen }: Pick<KeptHpa, 'message' | 'isSeen'>,
): string {
  const byHand = `or run kubectl --namespace ${namespace} delete hpa ${name}`;
  return isSeen
    ? `HorizontalPodAutoscaler ${name} is to be deleted and is still there, so that it goes on scaling: ${message}. It is tried again; let the API server delete it, ${byHand}`
    : `HorizontalPodAutoscaler ${name} is to be deleted, and may still be there and go on scaling, since it cannot be looked at: ${message}. It is tried again; let the API server show it, ${byHand}`;
}

/**
 * Logs each HPA that is orphaned, once, and not before a minute has passed: with a new database policies come into force
 * only after the start. It stays: a policy of its name takes it up again, or a person deletes it.
 */
export class OrphanReports {
  #known: ReadonlySet<string> = new Set();
  #dueAt: number | null = null;

  /** Whether it is time to look, in milliseconds of a clock that never goes back; once per minute. */
  takeDue(now: number): boolean {
    const dueAt = (this.#dueAt ??= now + intervalMilliseconds);
    if (now < dueAt) return false;
    this.#dueAt = now + intervalMilliseconds;
    return true;
  }

  /** Those whose deletion fails are told of where it fails. */
  report(log: LogPort, orphans: readonly OrphanedHpa[], isManaged: (namespace: string) => boolean): void {
    for (const hpa of orphans) {
      const key = namespacedName(hpa);
      if (this.#known.has(key) || hpa.since !== null) continue;
      const text = `${key}  HorizontalPodAutoscaler is orphaned: it was rendered from policy ${hpa.policy}, which is not in force; ${isManaged(hpa.namespace) ? 'it stays as it is' : outOfReachText(hpa)}`;
      log.write({ level: 'info', text, fields: { hpa: key, policy: hpa.policy, reason: 'Orphaned' } });
    }
    this.#known = new Set(orphans.map(namespacedName));
  }
}

function outOfReachText({ namespace, name }: OwnedAutoscaler): string {
  return `namespace ${namespace} is not among the configured namespaces any more, so it is neither watched nor deleted, and goes on scaling: add the namespace again, and it is deleted, or run kubectl --namespace ${namespace} delete hpa ${name}`;
}

import { type NamespacedName, namespacedName } from '#kernel';
import type { LogPort } from '../ports/log.port.ts';
import type { OwnedAutoscaler } from '../ports/native-autoscalers.port.ts';

/** How often it is looked for HPAs that nothing explains, in milliseconds. */
const intervalMilliseconds = 60_000;

/**
 * The HPAs that Plimsoll made and that no policy explains, by name; `isExplained` tells of a policy's key. Of policies
 * whose HPAs are out of reach the record alone says that there is one. Pure.
 */
export function orphanedHpas(
  owned: readonly OwnedAutoscaler[],
  outOfReach: readonly NamespacedName[],
  isExplained: (key: string) => boolean,
): readonly OwnedAutoscaler[] {
  return [
    ...owned.filter((hpa) => hpa.policy !== namespacedName(hpa) || !isExplained(hpa.policy)),
    ...outOfReach.map(({ namespace, name }) => ({
      namespace,
      name,
      policy: namespacedName({ namespace, name }),
    })),
  ].sort((a, b) => (namespacedName(a) < namespacedName(b) ? -1 : 1));
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

  report(log: LogPort, orphans: readonly OwnedAutoscaler[], isManaged: (namespace: string) => boolean): void {
    for (const hpa of orphans) {
      const key = namespacedName(hpa);
      if (this.#known.has(key)) continue;
      const text = `${key}  HorizontalPodAutoscaler is orphaned: it was rendered from policy ${hpa.policy}, which is not in force; ${isManaged(hpa.namespace) ? 'it stays as it is' : outOfReachText(hpa)}`;
      log.write({ level: 'info', text, fields: { hpa: key, policy: hpa.policy, reason: 'Orphaned' } });
    }
    this.#known = new Set(orphans.map(namespacedName));
  }
}

function outOfReachText({ namespace, name }: OwnedAutoscaler): string {
  return `namespace ${namespace} is not among the configured namespaces any more, so it is neither watched nor deleted, and goes on scaling: add the namespace again, and it is deleted, or run kubectl --namespace ${namespace} delete hpa ${name}`;
}

import type { PassReport, PassReportsPort } from '#reconciliation';

/** A policy that has left. */
export interface PolicyName {
  readonly namespace: string;
  readonly name: string;
}

/** The live status of every policy: what its latest pass came to. Lost at a restart, and made again by the next pass. */
export class StatusRegistry implements PassReportsPort {
  readonly #reports = new Map<string, PassReport>();
  readonly #listeners = new Set<(report: PassReport) => void>();

  publish(report: PassReport): void {
    this.#reports.set(report.key, report);
    for (const listener of this.#listeners) listener(report);
  }

  /** The latest report of a policy, by `namespace/name`. */
  latest(key: string): PassReport | undefined {
    return this.#reports.get(key);
  }

  /** The latest report of every policy that had a pass. */
  list(): readonly PassReport[] {
    return [...this.#reports.values()];
  }

  /** Calls the listener for every report from now on; it must not throw. Returns what ends it. */
  subscribe(listener: (report: PassReport) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets policies that are no longer in force, and returns their names. */
  retain(keys: ReadonlySet<string>): readonly PolicyName[] {
    const gone = [...this.#reports.entries()].filter(([key]) => !keys.has(key));
    for (const [key] of gone) this.#reports.delete(key);
    return gone.map(([, { active }]) => ({ namespace: active.policy.namespace, name: active.policy.name }));
  }
}

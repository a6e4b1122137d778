import type { PassReport, PassReportsPort } from '#reconciliation';

/** How many policies' statuses are kept beyond those in force, before the pruned ones are dropped. */
const slack = 1_000;

/** The live status of every policy: what its latest pass came to. Lost at a restart, and made again by the next pass. */
export class StatusBoard implements PassReportsPort {
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

  /** Calls the listener for every report from now on; it must not throw. Returns what ends it. */
  subscribe(listener: (report: PassReport) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets policies that are no longer in force. */
  retain(keys: ReadonlySet<string>): void {
    if (this.#reports.size <= keys.size + slack) return;
    for (const key of this.#reports.keys()) if (!keys.has(key)) this.#reports.delete(key);
  }
}

import type { StoredLease } from '#coordination';
import { OutageLog } from '../logging/outage-log.ts';
import type { ElectionTools } from './election-tools.ts';

/** So many are deleted one after the other; what is left waits for the next look, so that no burst of requests comes of it. */
const maximumAtOnce = 10;

/** Deletes Leases that nobody uses any more, in the background: nothing waits for it, and no failure is that of a renewal. */
export class UnusedLeases {
  readonly #leases: Pick<ElectionTools['leases'], 'delete'>;
  readonly #outages: OutageLog;
  #deleting: Promise<unknown> | null = null;

  constructor({ leases, logger }: Pick<ElectionTools, 'leases' | 'logger'>) {
    this.#leases = leases;
    this.#outages = new OutageLog(logger, {
      fails: 'Leases that nobody uses any more could not be deleted',
      works: 'Leases that nobody uses any more are deleted again',
    });
  }

  /** Deletes some of them, unless some are being deleted. One that has changed since it was read is left. */
  delete(unused: readonly StoredLease[]): void {
    if (unused.length === 0 || this.#deleting !== null) return;
    const some = unused.slice(0, maximumAtOnce);
    this.#deleting = this.#outages.during(() => this.#deleteAll(some)).then(() => (this.#deleting = null));
  }

  async #deleteAll(leases: readonly StoredLease[]): Promise<void> {
    for (const lease of leases) await this.#leases.delete(lease);
  }
}

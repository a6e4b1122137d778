import { lastingMilliseconds, type StoredLease } from '#coordination';
import { OutageLog } from '../../logging/outage-log.ts';
import type { ElectionTools } from './election-tools.ts';

/** So many are deleted one after the other; what is left waits for the next look, so that no burst of requests comes of it. */
const maximumAtOnce = 10;

/** A Lease as it was first seen. */
interface Unchanged {
  readonly resourceVersion: string;
  readonly since: number;
}

/** Deletes Leases that nobody uses any more, in the background: nothing waits for it, and no failure is that of a renewal. */
export class UnusedLeases {
  readonly #tools: Pick<ElectionTools, 'leases' | 'logger' | 'terms'>;
  readonly #outages: OutageLog;
  #unchanged: ReadonlyMap<string, Unchanged> = new Map();
  #deleting: Promise<unknown> | null = null;

  constructor(tools: Pick<ElectionTools, 'leases' | 'logger' | 'terms'>) {
    this.#tools = tools;
    this.#outages = new OutageLog(tools.logger, {
      fails: 'Leases that nobody uses any more could not be deleted',
      works: 'Leases that nobody uses any more are deleted again',
    });
  }

  /**
   * Those of Leases that look unused which nobody holds: their holders have not renewed them for as long as they last. This
   * process may be the last to learn of a larger number of shards, whose holders renew theirs.
   */
  unheld(leases: readonly StoredLease[], readAt: number): readonly StoredLease[] {
    const seen = leases.map(({ name, resourceVersion }): readonly [string, Unchanged] => {
      const before = this.#unchanged.get(name);
      const isSame = before?.resourceVersion === resourceVersion;
      return [name, isSame ? before : { resourceVersion, since: readAt }];
    });
    this.#unchanged = new Map(seen);
    return leases.filter((lease) => {
      const unchanged = readAt - (this.#unchanged.get(lease.name)?.since ?? readAt);
      return lease.record.holder === null || unchanged >= lastingMilliseconds(lease, this.#tools.terms);
    });
  }

  /** Deletes some of them, unless some are being deleted. One that has changed since it was read is left. */
  delete(unused: readonly StoredLease[]): void {
    if (unused.length === 0 || this.#deleting !== null) return;
    const some = unused.slice(0, maximumAtOnce);
    this.#deleting = this.#outages.during(() => this.#deleteAll(some)).then(() => (this.#deleting = null));
  }

  async #deleteAll(leases: readonly StoredLease[]): Promise<void> {
    for (const lease of leases) await this.#tools.leases.delete(lease);
  }
}

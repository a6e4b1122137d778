import { AdapterError } from '#kernel';
import type { CountedLosses, LossStorePort, ReadLosses, StoredLosses } from './loss-store.port.ts';

/** A store that several processes share, with a clock of its own. */
export class InMemoryLossStore implements LossStorePort {
  readonly #rows = new Map<string, { readonly at: number; readonly count: StoredLosses }>();
  /** Of the latest epoch of each scope; what is of an earlier one is refused. */
  readonly epochs = new Map<string, bigint>();
  /** Milliseconds from an arbitrary start. */
  now = 0;
  /** Counts that were stored. */
  writes = 0;
  isAway = false;

  read(maximumAgeMilliseconds: number): Promise<ReadLosses> {
    if (this.isAway) return Promise.reject(away());
    const fresh = [...this.#rows.values()].filter(({ at }) => at > this.now - maximumAgeMilliseconds);
    const counts = fresh.map(({ count }) => count);
    return Promise.resolve({ counts, time: this.now });
  }

  store(counts: readonly CountedLosses[]): Promise<void> {
    if (this.isAway) return Promise.reject(away());
    if (counts.some(({ fence }) => fence.epoch !== (this.epochs.get(fence.scope) ?? fence.epoch)))
      return Promise.reject(new AdapterError({ code: 'Fenced', message: 'fenced', retryable: true }));
    for (const { fence, ...count } of counts) {
      const { scope, epoch } = fence;
      this.#rows.set(`${scope} ${count.metricSource}`, { count: { scope, epoch, ...count }, at: this.now });
    }
    this.writes += counts.length;
    return Promise.resolve();
  }
}

function away(): AdapterError {
  return new AdapterError({
    code: 'DatabaseUnavailable',
    message: 'the database is away',
    retryable: true,
  });
}

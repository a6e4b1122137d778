import type { AdapterError } from '#kernel';
import type { ClockPort } from '#reconciliation';
import type { Cluster } from './open-cluster.ts';

/** That the API server is not reached. */
export interface Outage {
  /** RFC 3339. */
  readonly since: string;
  /** What came of the latest attempt, without the names of what was asked for: every viewer may read it. */
  readonly message: string;
}

/** Watches end and begin again all the time; one that is away for so long is an outage. */
const awayMilliseconds = 120_000;

export interface ClusterOutageOptions {
  readonly cluster: Pick<Cluster, 'kubernetes'>;
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
}

/** Whether the cluster is reached. What a Role refuses is no outage. */
export class ClusterOutage {
  readonly #options: ClusterOutageOptions;
  /** Of the process, since when it has asked for what it has never been given. */
  readonly #startedMilliseconds: number;
  /** The two clocks are read one after the other: the same moment must not be told anew with each look. */
  #latest: { readonly at: number; readonly since: string } | null = null;

  constructor(options: ClusterOutageOptions) {
    this.#options = options;
    this.#startedMilliseconds = options.clock.monotonicMilliseconds();
  }

  /**
   * By the cache that misses the API server the longest. A start carries nothing out before every cache is listed, so what
   * has never been answered is told at once. Null: it is reached, or has been within the latest two minutes.
   */
  find(): Outage | null {
    const { clock, cluster } = this.#options;
    const { informers, unlisted } = cluster.kubernetes.health();
    const now = clock.monotonicMilliseconds();
    const away = informers.flatMap(({ isWatching, freshAt, refusedSince, lastFailure }) =>
      isWatching || freshAt === undefined || refusedSince !== undefined || now - freshAt < awayMilliseconds
        ? []
        : [{ at: freshAt, lastFailure }],
    );
    const never = unlisted.flatMap(({ freshAt, refusedSince, lastFailure }) =>
      freshAt !== undefined || refusedSince !== undefined || lastFailure === undefined
        ? []
        : [{ at: this.#startedMilliseconds, lastFailure }],
    );
    const [longest] = [...never, ...away].toSorted((one, other) => one.at - other.at);
    if (longest === undefined) return null;
    if (this.#latest?.at !== longest.at) {
      const since = new Date(Date.parse(clock.now()) - (now - longest.at)).toISOString();
      this.#latest = { at: longest.at, since };
    }
    return { since: this.#latest.since, message: reasonOf(longest.lastFailure) };
  }
}

/** What failed without an answer names no path; of an answer the code alone does not. */
function reasonOf(failure: AdapterError | undefined): string {
  if (failure === undefined) return 'the watch is silent';
  return failure.cause instanceof Error ? failure.cause.message : failure.code;
}

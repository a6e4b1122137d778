import type { AdapterError } from '#kernel';
import type { ClockPort } from '#reconciliation';
import type { Cluster } from './open-cluster.ts';

/** That the API server is not reached. */
export interface Outage {
  /** When it was last reached, RFC 3339. */
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
   * Since when the API server was last reached: the latest moment at which it sent anything to a cache that now misses it,
   * or at which an open watch was cut off. A start carries nothing out before every cache is listed, so what has never been
   * answered is told at once, since the process began where nothing has been. Null: it is reached, or no cache has missed
   * it for two minutes.
   */
  find(): Outage | null {
    const { clock, cluster } = this.#options;
    const { informers, unlisted } = cluster.kubernetes.health();
    const now = clock.monotonicMilliseconds();
    const away = informers.flatMap(({ isWatching, freshAt, reachedAt, refusedSince, lastFailure }) =>
      isWatching || freshAt === undefined || refusedSince !== undefined || now - freshAt < awayMilliseconds
        ? []
        : [{ at: reachedAt ?? freshAt, lastFailure }],
    );
    const never = unlisted.flatMap(({ freshAt, refusedSince, lastFailure }) =>
      freshAt !== undefined || refusedSince !== undefined || lastFailure === undefined
        ? []
        : [{ at: this.#startedMilliseconds, lastFailure }],
    );
    const [last] = [...away, ...never].toSorted((one, other) => other.at - one.at);
    if (last === undefined) return null;
    if (this.#latest?.at !== last.at) {
      const since = new Date(Date.parse(clock.now()) - (now - last.at)).toISOString();
      this.#latest = { at: last.at, since };
    }
    return { since: this.#latest.since, message: reasonOf(last.lastFailure) };
  }
}

/** What failed without an answer names no path; of an answer the code alone does not. */
function reasonOf(failure: AdapterError | undefined): string {
  if (failure === undefined) return 'the watch is silent';
  return failure.cause instanceof Error ? failure.cause.message : failure.code;
}

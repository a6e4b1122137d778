import type { ObservedMetric } from '#decision';
import type { MetricsPort, MetricsQuery, MetricsTick } from './metrics.port.ts';

/** What the fake does with the queries of one namespace. */
export type FakeMetricsAnswer =
  | { readonly kind: 'Answers'; readonly metrics: readonly ObservedMetric[] }
  | { readonly kind: 'Hangs' }
  | {
      readonly kind: 'Waits';
      readonly until: Promise<unknown>;
      readonly metrics: readonly ObservedMetric[];
    }
  | { readonly kind: 'Rejects'; readonly message: string };

/** Metrics in memory, by namespace and selector text. */
export class FakeMetrics implements MetricsPort {
  /** Ticks opened so far. */
  ticks = 0;
  /** Namespaces opened in them so far. */
  namespaces = 0;
  /** What was asked, in order. */
  readonly queries: MetricsQuery[] = [];
  /** Whether what queries get is there before they are asked. */
  isPresent = false;
  /** What the preparation of a namespace takes. */
  prepared: () => Promise<void> = () => Promise.resolve();
  readonly #answers = new Map<string, FakeMetricsAnswer>();

  /** What queries of this namespace and selector get from now on. */
  set(query: Pick<MetricsQuery, 'namespace' | 'selector'>, answer: FakeMetricsAnswer): void {
    this.#answers.set(keyOf(query), answer);
  }

  openTick(): MetricsTick {
    this.ticks += 1;
    return {
      openNamespace: () => {
        this.namespaces += 1;
        return {
          prepare: () => this.prepared(),
          presentMetrics: (query) => this.#present(query),
          fetchMetrics: (query) => this.#fetch(query),
        };
      },
    };
  }

  #present(query: MetricsQuery): readonly ObservedMetric[] | undefined {
    const answer = this.isPresent ? this.#answers.get(keyOf(query)) : undefined;
    return answer?.kind === 'Answers' ? answer.metrics : undefined;
  }

  #fetch(query: MetricsQuery): Promise<readonly ObservedMetric[]> {
    this.queries.push(query);
    const answer = this.#answers.get(keyOf(query)) ?? { kind: 'Answers', metrics: [] };
    if (answer.kind === 'Answers') return Promise.resolve(answer.metrics);
    if (answer.kind === 'Waits') return answer.until.then(() => answer.metrics);
    if (answer.kind === 'Rejects') return Promise.reject(new Error(answer.message));
    // It does not even heed the signal: who waits must end the wait.
    return new Promise(() => undefined);
  }
}

function keyOf({ namespace, selector }: Pick<MetricsQuery, 'namespace' | 'selector'>): string {
  return `${namespace}\n${selector}`;
}

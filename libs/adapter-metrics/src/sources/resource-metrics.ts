import { LabelIndex, parseLabelSelector } from '#kernel';
import { maximumPodMetricsBytes, type MetricsApi, sourceTimeoutMilliseconds } from '../metrics-api.ts';
import type { SharedCalls } from '../shared-calls.ts';
import { podMetricsParser, type PodUsage, podUsagesOf } from './pod-metrics.ts';

/** Which pods' usage. */
export interface UsageQuery {
  readonly namespace: string;
  readonly selector: string;
}

/** One piece of work per turn of the event loop: many large answers that arrive together must not block it. */
export class LoopTurns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn of its own. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.#last;
  }
}

/** Asks metrics.k8s.io: once for a namespace when several selectors of it are due, once for a selector when it is alone. */
export class ResourceMetrics {
  readonly #api: MetricsApi;
  readonly #calls: SharedCalls;
  /** The selectors of a namespace that came before its first call went out; undefined after it. */
  readonly #gathering = new Map<string, Gathering>();
  /** Namespaces that were asked for before the selectors of their policies came. */
  readonly #prepared = new Set<string>();
  readonly #turns: LoopTurns;

  constructor(api: MetricsApi, calls: SharedCalls, turns: LoopTurns) {
    this.#turns = turns;
    this.#api = api;
    this.#calls = calls;
  }

  /** Asks for a namespace of which several selectors will come; resolves with the answer or its failure. */
  async prepare(namespace: string): Promise<void> {
    this.#prepared.add(namespace);
    await this.#indexOf(namespace).catch(() => undefined);
  }

  /**
   * Usage of the pods whose samples' own labels match: a pod that our cache does not know yet counts, as upstream.
   *
   * @throws AdapterError
   */
  async usageOf({ namespace, selector }: UsageQuery): Promise<readonly PodUsage[]> {
    const isAlone = await this.#isAlone(namespace, selector);
    return isAlone ? this.#listSelector(namespace, selector) : this.#selectFromNamespace(namespace, selector);
  }

  /** Policies that are due together ask within one turn of the event loop. */
  async #isAlone(namespace: string, selector: string): Promise<boolean> {
    if (this.#prepared.has(namespace)) return false;
    const known = this.#gathering.get(namespace);
    if (known !== undefined) {
      if (known.isOpen) known.selectors.add(selector);
      await known.closed;
      return known.selectors.size === 1 && known.selectors.has(selector);
    }
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const gathering: Gathering = { selectors: new Set([selector]), closed: promise, isOpen: true };
    this.#gathering.set(namespace, gathering);
    setImmediate(() => {
      gathering.isOpen = false;
      resolve(undefined);
    });
    await promise;
    return gathering.selectors.size === 1;
  }

  #listSelector(namespace: string, selector: string): Promise<readonly PodUsage[]> {
    return this.#calls.once(`usage/${namespace}/${selector}`, () => this.#list(namespace, selector));
  }

  async #selectFromNamespace(namespace: string, selector: string): Promise<readonly PodUsage[]> {
    const index = await this.#indexOf(namespace);
    const parsed = parseLabelSelector(selector);
    return parsed.ok ? index.select(parsed.value) : [];
  }

  #indexOf(namespace: string): Promise<LabelIndex<PodUsage>> {
    return this.#calls.once(`usage/${namespace}`, async () => {
      const usages = await this.#list(namespace);
      await this.#turns.next();
      const built = new LabelIndex<PodUsage>();
      for (const usage of usages) built.add(usage);
      return built;
    });
  }

  async #list(namespace: string, labelSelector?: string): Promise<readonly PodUsage[]> {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`;
    const answer = await this.#api.json({
      path,
      query: { labelSelector },
      timeoutMilliseconds: sourceTimeoutMilliseconds,
      maximumBytes: maximumPodMetricsBytes,
      mapItem: podMetricsParser(namespace),
    });
    return podUsagesOf(answer);
  }
}

interface Gathering {
  readonly selectors: Set<string>;
  readonly closed: Promise<undefined>;
  isOpen: boolean;
}

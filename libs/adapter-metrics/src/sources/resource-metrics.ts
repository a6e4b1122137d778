import { LabelIndex, parseLabelSelector } from '#kernel';
import { maximumPodMetricsBytes, type MetricsApi, sourceTimeoutMilliseconds } from '../metrics-api.ts';
import type { SharedCalls } from '../shared-calls.ts';
import { groupUsages, podMetricsParser, type PodUsage, podUsagesOf, type UsageGroup } from './pod-metrics.ts';

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
  /** Of namespaces that were asked for and answered. */
  readonly #indexes = new Map<string, LabelIndex<UsageGroup>>();
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

  /** What {@link usageOf} would resolve with, where the answer is there; undefined: it is not, or could not be had. */
  presentUsageOf({ namespace, selector }: UsageQuery): readonly PodUsage[] | undefined {
    const index = this.#indexes.get(namespace);
    return index === undefined ? undefined : selectUsages(index, selector);
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
    return selectUsages(await this.#indexOf(namespace), selector);
  }

  #indexOf(namespace: string): Promise<LabelIndex<UsageGroup>> {
    return this.#calls.once(`usage/${namespace}`, async () => {
      const usages = await this.#list(namespace);
      await this.#turns.next();
      const built = new LabelIndex<UsageGroup>();
      for (const group of groupUsages(usages)) built.add(group);
      this.#indexes.set(namespace, built);
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

function selectUsages(index: LabelIndex<UsageGroup>, selector: string): readonly PodUsage[] {
  const parsed = parseLabelSelector(selector);
  const groups = parsed.ok ? index.select(parsed.value) : [];
  const [only] = groups;
  return groups.length === 1 && only !== undefined ? only.usages : groups.flatMap(({ usages }) => usages);
}

interface Gathering {
  readonly selectors: Set<string>;
  readonly closed: Promise<undefined>;
  isOpen: boolean;
}

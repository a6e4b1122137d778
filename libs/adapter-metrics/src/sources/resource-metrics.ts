import { LabelIndex, type Labelled, parseLabelSelector } from '#kernel';
import { maximumPodMetricsBytes, type MetricsApi, sourceTimeoutMilliseconds } from '../api/metrics-api.ts';
import type { SharedCalls } from '../api/shared-calls.ts';
import {
  groupUsages,
  type PodItem,
  podMetricsParser,
  type PodUsage,
  podUsagesOf,
  type UsageGroup,
} from './pod-metrics.ts';
import {
  type ObservedPodSample,
  podSampleParser,
  type SampleGroup,
  slimUsage,
  type UsageSpec,
} from './pod-samples.ts';

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
  /** Namespaces that were asked for before the selectors of their policies came, and the resources that all of these want. */
  readonly #prepared = new Map<string, Set<string>>();
  /** Of namespaces that were asked for and answered. */
  readonly #indexes = new Map<string, LabelIndex<UsageGroup>>();
  /** Of those of which one resource is wanted, by namespace and resource. */
  readonly #samples = new Map<string, LabelIndex<SampleGroup>>();
  readonly #turns: LoopTurns;

  constructor(api: MetricsApi, calls: SharedCalls, turns: LoopTurns) {
    this.#turns = turns;
    this.#api = api;
    this.#calls = calls;
  }

  /**
   * Asks for a namespace of which several selectors will come; resolves with the answer or its failure.
   *
   * @param resource what all of them want of every container; null: they want several, or of one container
   */
  async prepare(namespace: string, resource: string | null): Promise<void> {
    const resources = this.#prepared.get(namespace) ?? new Set<string>();
    this.#prepared.set(namespace, resource === null ? resources : resources.add(resource));
    const answer = resource === null ? this.#indexOf(namespace) : this.#samplesOf(namespace, resource);
    await answer.catch(() => undefined);
  }

  /**
   * Samples of the pods whose samples' own labels match: a pod that our cache does not know yet counts, as upstream.
   *
   * @throws AdapterError
   */
  async samplesOf(query: UsageQuery, metric: UsageSpec): Promise<readonly ObservedPodSample[]> {
    if (this.#isPreparedFor(query, metric))
      return selectSamples(await this.#samplesOf(query.namespace, metric.resource), query.selector);
    return (await this.#usageOf(query)).map((usage) => slimUsage(usage, metric));
  }

  /** What {@link samplesOf} would resolve with, where the answer is there; undefined: it is not, or could not be had. */
  presentSamplesOf(query: UsageQuery, metric: UsageSpec): readonly ObservedPodSample[] | undefined {
    const { namespace, selector } = query;
    if (this.#isPreparedFor(query, metric)) {
      const samples = this.#samples.get(samplesKey(namespace, metric.resource));
      return samples === undefined ? undefined : selectSamples(samples, selector);
    }
    const index = this.#indexes.get(namespace);
    return index === undefined
      ? undefined
      : selectUsages(index, selector).map((usage) => slimUsage(usage, metric));
  }

  #isPreparedFor({ namespace }: UsageQuery, { type, resource }: UsageSpec): boolean {
    return type === 'Resource' && this.#prepared.get(namespace)?.has(resource) === true;
  }

  async #usageOf({ namespace, selector }: UsageQuery): Promise<readonly PodUsage[]> {
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
    return this.#calls.once(`usage/${namespace}/${selector}`, () =>
      this.#list(namespace, podMetricsParser(namespace), selector),
    );
  }

  async #selectFromNamespace(namespace: string, selector: string): Promise<readonly PodUsage[]> {
    return selectUsages(await this.#indexOf(namespace), selector);
  }

  #indexOf(namespace: string): Promise<LabelIndex<UsageGroup>> {
    return this.#calls.once(`usage/${namespace}`, async () => {
      const usages = await this.#list(namespace, podMetricsParser(namespace));
      await this.#turns.next();
      const built = new LabelIndex<UsageGroup>();
      for (const group of groupUsages(usages)) built.add(group);
      this.#indexes.set(namespace, built);
      return built;
    });
  }

  #samplesOf(namespace: string, resource: string): Promise<LabelIndex<SampleGroup>> {
    const key = samplesKey(namespace, resource);
    return this.#calls.once(`samples/${key}`, async () => {
      const items = await this.#list(namespace, podSampleParser(namespace, resource));
      await this.#turns.next();
      const built = new LabelIndex<SampleGroup>();
      for (const { labels, usages } of groupUsages(items))
        built.add({ labels, samples: usages.map(({ sample }) => sample) });
      this.#samples.set(key, built);
      return built;
    });
  }

  async #list<T extends PodItem>(
    namespace: string,
    mapItem: (item: unknown) => T | null,
    labelSelector?: string,
  ): Promise<readonly T[]> {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`;
    const answer = await this.#api.json({
      path,
      query: { labelSelector },
      timeoutMilliseconds: sourceTimeoutMilliseconds,
      maximumBytes: maximumPodMetricsBytes,
      mapItem,
    });
    // The items of the answer are what they were mapped to.
    return podUsagesOf(answer) as readonly T[];
  }
}

function samplesKey(namespace: string, resource: string): string {
  return `${namespace}/${resource}`;
}

function selectUsages(index: LabelIndex<UsageGroup>, selector: string): readonly PodUsage[] {
  return groupsOf(index, selector).flatMap(({ usages }) => usages);
}

/** Of one group, as nearly every selector finds, the list itself. */
function selectSamples(index: LabelIndex<SampleGroup>, selector: string): readonly ObservedPodSample[] {
  const groups = groupsOf(index, selector);
  const [only] = groups;
  return groups.length === 1 && only !== undefined ? only.samples : groups.flatMap(({ samples }) => samples);
}

function groupsOf<T extends Labelled>(index: LabelIndex<T>, selector: string): readonly T[] {
  const parsed = parseLabelSelector(selector);
  return parsed.ok ? index.select(parsed.value) : [];
}

interface Gathering {
  readonly selectors: Set<string>;
  readonly closed: Promise<undefined>;
  isOpen: boolean;
}

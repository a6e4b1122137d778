import { ok, type Result, runInTimeSlices, runSteps, type SliceClock } from '#kernel';
import type { StreamHead } from '../entries/entry.ts';
import type { AppendBatch } from '../ports/append-batch.ts';
import { type Fence, fenceKey } from '../ports/fence.port.ts';
import type { LedgerPort } from '../ports/ledger.port.ts';
import { type AppendFailure, type AppendRequest, statesOf } from './append-request.ts';
import { type Chained, chainEntriesInSteps } from './chain.ts';
import { type LostEntries, StoredHeads } from './stored-heads.ts';

/** The maximum number of heads in memory, about 20 MB; the heads of further streams are read for each batch. */
const maximumCachedHeads = 100_000;

/** A request, and the fences that it is stored under. */
export interface FencedRequest {
  readonly request: AppendRequest;
  readonly fences: readonly Fence[];
}

/** Requests that are stored together. */
export interface ChainedBatch {
  /** One per request. */
  readonly links: readonly Chained[];
  readonly append: AppendBatch;
}

export interface BatchChainOptions {
  readonly port: LedgerPort;
  readonly cluster: string;
  /** Lets the loop turn while thousands of entries are hashed; without it they are hashed at once. */
  readonly clock?: SliceClock;
  /** Hears once per stream that the database has lost entries of it that were stored. It returns at once and never throws. */
  readonly onLost?: (lost: LostEntries) => void;
}

interface Heads {
  readonly before: ReadonlyMap<string, StreamHead>;
  readonly after: ReadonlyMap<string, StreamHead>;
}

/** Chains the batches of a queue to each other, from heads that it keeps in memory. */
export class BatchChain {
  static #chains = 0;
  readonly #port: LedgerPort;
  readonly #cluster: string;
  readonly #clock: SliceClock | undefined;
  /** Tells the batches of this queue from those of others in the process. */
  readonly #number = (BatchChain.#chains += 1);
  #batches = 0;
  readonly #heads = new Map<string, StreamHead>();
  readonly #stored: StoredHeads;

  constructor({ port, cluster, clock, onLost = () => undefined }: BatchChainOptions) {
    this.#port = port;
    this.#cluster = cluster;
    this.#clock = clock;
    this.#stored = new StoredHeads(onLost);
  }

  /**
   * Chains requests and keeps their new heads, which the caller has forgotten when the batch is not stored.
   *
   * @throws AdapterError; the heads could not be read.
   */
  async chain(group: readonly FencedRequest[]): Promise<Result<ChainedBatch, AppendFailure>> {
    const requests = group.map(({ request }) => request);
    const before = await this.#currentHeads(requests);
    const links = await this.#inSlices(this.#links(requests, before));
    if (!links.ok) return links;
    const after = new Map(links.value.flatMap((link) => [...link.heads]));
    // Streams beyond the cache's limit stay uncached.
    for (const [stream, head] of after) if (this.#heads.has(stream)) this.#heads.set(stream, head);
    return ok({ links: links.value, append: this.#batchOf(group, links.value, { before, after }) });
  }

  /** What is chained next starts from the heads of the database. */
  forget(): void {
    this.#heads.clear();
  }

  /** Notes where streams end with a batch that is stored. */
  noteStored(heads: Iterable<StreamHead>): void {
    this.#stored.note(heads);
  }

  /** Looks whether the database has lost any of what was stored. @throws AdapterError */
  compareStored(): Promise<void> {
    return this.#stored.compareAll((streams) => this.#port.heads(streams));
  }

  #inSlices<T>(steps: Iterator<void, T, void>): T | Promise<T> {
    return this.#clock === undefined
      ? runSteps(steps)
      : runInTimeSlices(steps, this.#clock, 'ledger: chaining');
  }

  async #currentHeads(requests: readonly AppendRequest[]): Promise<Map<string, StreamHead>> {
    const streams = new Set(requests.flatMap(({ drafts }) => drafts.map(({ stream }) => stream)));
    const missing = [...streams].filter((stream) => !this.#heads.has(stream));
    if (this.#heads.size + missing.length > maximumCachedHeads) return this.#readHeads([...streams]);
    for (const [stream, head] of await this.#readHeads(missing)) this.#heads.set(stream, head);
    return this.#cachedHeads(streams);
  }

  async #readHeads(streams: readonly string[]): Promise<Map<string, StreamHead>> {
    const heads = streams.length === 0 ? [] : await this.#port.heads(streams);
    this.#stored.compare(heads);
    return new Map(heads.map((head) => [head.stream, head]));
  }

  #cachedHeads(streams: ReadonlySet<string>): Map<string, StreamHead> {
    const heads = new Map<string, StreamHead>();
    for (const stream of streams) {
      const head = this.#heads.get(stream);
      if (head !== undefined) heads.set(stream, head);
    }
    return heads;
  }

  *#links(
    requests: readonly AppendRequest[],
    before: ReadonlyMap<string, StreamHead>,
  ): Generator<void, Result<readonly Chained[], AppendFailure>, void> {
    const heads = new Map(before);
    const links: Chained[] = [];
    for (const { drafts } of requests) {
      const link = yield* chainEntriesInSteps({ cluster: this.#cluster, heads, drafts });
      if (!link.ok) return link;
      links.push(link.value);
      for (const [stream, head] of link.value.heads) heads.set(stream, head);
    }
    return ok(links);
  }

  #batchOf(group: readonly FencedRequest[], links: readonly Chained[], heads: Heads): AppendBatch {
    this.#batches += 1;
    const journal = group.findLast(({ request }) => request.journal !== undefined)?.request.journal;
    const shardCount = group.findLast(({ request }) => request.shardCount !== undefined)?.request.shardCount;
    return {
      id: `${this.#number}.${this.#batches}`,
      fences: distinctFences(group),
      entries: links.flatMap((link) => link.entries),
      before: [...heads.after.keys()].flatMap((stream) => heads.before.get(stream) ?? []),
      after: [...heads.after.values()],
      states: group.flatMap(({ request }, index) => statesOf(request, links[index]?.entries ?? [])),
      conditions: group.flatMap(({ request }) => request.conditions ?? []),
      forget: group.flatMap(({ request }) => request.forget ?? []),
      begin: group.flatMap(({ request }) => request.interventions?.begin ?? []),
      end: group.flatMap(({ request }) => request.interventions?.end ?? []),
      tokens: {
        put: group.flatMap(({ request }) => request.tokens?.put ?? []),
        forget: group.flatMap(({ request }) => request.tokens?.forget ?? []),
      },
      sources: group.flatMap(({ request }) => request.sources ?? []),
      ...(shardCount === undefined ? {} : { shardCount }),
      ...(journal === undefined ? {} : { journal }),
    };
  }
}

function distinctFences(group: readonly FencedRequest[]): readonly Fence[] {
  const fences = new Map<string, Fence>();
  for (const waiting of group) for (const fence of waiting.fences) fences.set(fenceKey(fence), fence);
  return [...fences.values()];
}

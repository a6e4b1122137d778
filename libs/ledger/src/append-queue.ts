import { AdapterError, err, ok, type Result, runInTimeSlices, runSteps, type SliceClock } from '#kernel';
import { type Chained, chainEntriesInSteps, type InvalidEntry } from './chain.ts';
import type { ChainedEntry, EntryDraft, StreamHead } from './entry.ts';
import type { Fence } from './fence.port.ts';
import {
  type AppendBatch,
  type AppendRefusal,
  type JournalPlace,
  type LedgerPort,
  maximumBatchEntries,
  outcomeUnknown,
  type PolicyState,
  type RecordedConditions,
} from './ledger.port.ts';
import type { InterventionChanges } from './standing-intervention.ts';
import { type LostEntries, StoredHeads } from './stored-heads.ts';
import type { PolicyKey } from './stream-name.ts';

/** The maximum number of waiting requests; more means that the database is slower than the fleet. */
export const maximumQueuedRequests = 20_000;

/** The maximum number of heads in memory, about 20 MB; the heads of further streams are read for each batch. */
const maximumCachedHeads = 100_000;

/** Two writers of one stream are rare, and each attempt starts from the latest entry. */
const maximumChainAttempts = 5;

/** States that refer to entries of their request. */
export interface DerivedStates {
  /** Whose states they are: known before there are entries, since the request's fences follow from it. */
  readonly policies: readonly PolicyKey[];
  readonly from: (appended: readonly ChainedEntry[]) => readonly PolicyState[];
}

export interface AppendRequest {
  /** At most `maximumBatchEntries`. */
  readonly drafts: readonly EntryDraft[];
  readonly states?: readonly PolicyState[] | DerivedStates;
  readonly conditions?: readonly RecordedConditions[];
  readonly forget?: readonly PolicyKey[];
  readonly interventions?: InterventionChanges;
  /** Where the request is a replay of records of a journal: up to which of them. One such request waits at a time. */
  readonly journal?: JournalPlace;
}

/** Why a request was refused. Nothing of it was stored. */
export type AppendFailure =
  | AppendRefusal
  | InvalidEntry
  | { readonly code: 'QueueFull'; readonly message: string }
  | { readonly code: 'TooLarge'; readonly message: string };

/** What became of a request. */
export type Appended = Result<readonly ChainedEntry[], AppendFailure>;

interface Waiting {
  readonly request: AppendRequest;
  readonly fences: readonly Fence[];
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

interface Batch {
  /** One per request. */
  readonly links: readonly Chained[];
  readonly append: AppendBatch;
}

interface Heads {
  readonly before: ReadonlyMap<string, StreamHead>;
  readonly after: ReadonlyMap<string, StreamHead>;
}

interface Prepared {
  readonly group: readonly Waiting[];
  /** `null`: the requests could not be chained together, or the heads could not be read. */
  readonly batch: Batch | null;
}

export interface AppendQueueOptions {
  readonly port: LedgerPort;
  readonly cluster: string;
  /** Waits before a batch whose answer was lost is sent again; false: the process is ending, so it is not. */
  readonly beforeRetry: () => Promise<boolean>;
  /** Lets the loop turn while thousands of entries are hashed; without it they are hashed at once. */
  readonly clock?: SliceClock;
  /** Hears of the entries of every batch once it is stored and its requests are answered. It returns at once and never throws. */
  readonly onStored?: (entries: readonly ChainedEntry[]) => void;
  /** Hears once per stream that the database has lost entries of it that were stored. It returns at once and never throws. */
  readonly onLost?: (lost: LostEntries) => void;
}

/**
 * The requests of one process. Requests that arrive while a batch is being stored share the next batch (group commit), in the
 * order of arrival. Each request is stored as a whole or not at all, and a refused request does not affect the others.
 */
export class AppendQueue {
  static #queues = 0;
  readonly #port: LedgerPort;
  readonly #cluster: string;
  readonly #beforeRetry: () => Promise<boolean>;
  readonly #clock: SliceClock | undefined;
  readonly #onStored: (entries: readonly ChainedEntry[]) => void;
  /** Fences that a batch was refused for, by {@link fenceKey}. */
  readonly #lostFences = new Set<string>();
  /** Tells the batches of this queue from those of others in the process. */
  readonly #number = (AppendQueue.#queues += 1);
  #batches = 0;
  readonly #heads = new Map<string, StreamHead>();
  readonly #stored: StoredHeads;
  readonly #queue: Waiting[] = [];
  #draining: Promise<void> | null = null;

  constructor(options: AppendQueueOptions) {
    this.#port = options.port;
    this.#cluster = options.cluster;
    this.#beforeRetry = options.beforeRetry;
    this.#clock = options.clock;
    this.#onStored = options.onStored ?? (() => undefined);
    this.#stored = new StoredHeads(options.onLost ?? (() => undefined));
  }

  /** Stores a request under its fences, at least one; see {@link LedgerWriter.append}. */
  append(request: AppendRequest, fences: readonly Fence[]): Promise<Appended> {
    const failure = this.#refuseEarly(request, fences);
    if (failure !== null) return Promise.resolve(err(failure));
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, fences, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Requests that wait to be sent. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Waits until every request so far is stored or refused. */
  async flush(): Promise<void> {
    await this.#draining;
  }

  #refuseEarly(request: AppendRequest, fences: readonly Fence[]): AppendFailure | null {
    if (this.#isLost(fences)) return { code: 'Fenced' };
    const size = request.drafts.length;
    if (size > maximumBatchEntries)
      return { code: 'TooLarge', message: `${size} entries at once, at most ${maximumBatchEntries}` };
    if (this.#queue.length >= maximumQueuedRequests)
      return { code: 'QueueFull', message: `${maximumQueuedRequests} requests are waiting for the ledger` };
    return null;
  }

  async #drain(): Promise<void> {
    // Lets the requests of this turn of the event loop share the first batch.
    await Promise.resolve();
    let current: Prepared | null = null;
    while (current !== null || this.#queue.length > 0) {
      const batch: Prepared = current ?? (await this.#prepare(this.#takeGroup()));
      const storing = this.#storePrepared(batch);
      // While the database stores this batch, the next is chained to its entries.
      const ahead: Prepared | null = this.#queue.length > 0 ? await this.#prepare(this.#takeGroup()) : null;
      const stored = await storing;
      if (stored !== 'Stored') this.#heads.clear();
      if (stored === 'Refused') await this.#commitGroup(batch.group);
      current = stored === 'Stored' || ahead === null ? ahead : await this.#prepare(ahead.group);
    }
    this.#draining = null;
  }

  async #prepare(group: readonly Waiting[]): Promise<Prepared> {
    try {
      const batch = await this.#chainBatch(group);
      if (batch.ok) this.#port.prepare?.(batch.value.append);
      return { group, batch: batch.ok ? batch.value : null };
    } catch {
      // Committing the group by itself meets the error again and reports it.
      return { group, batch: null };
    }
  }

  /** `Refused`: to be tried again from fresh heads. `Failed`: its requests have been rejected. */
  async #storePrepared({ group, batch }: Prepared): Promise<'Stored' | 'Refused' | 'Failed'> {
    if (batch === null) return 'Refused';
    try {
      const outcome = await this.#send(batch.append);
      if (!outcome.ok) return 'Refused';
      this.#resolveEach(group, batch.links);
      return 'Stored';
    } catch (error) {
      rejectAll(group, error);
      return 'Failed';
    }
  }

  /**
   * Sends a batch until it is known whether it was stored. What waits meanwhile has not been sent, and is rejected with
   * each attempt that fails.
   *
   * @throws AdapterError; nothing was stored, except perhaps where the process ended first ({@link outcomeUnknown}).
   */
  async #send(batch: AppendBatch): Promise<Result<undefined, AppendRefusal>> {
    let unanswered: unknown;
    for (;;) {
      try {
        return await this.#port.append(batch);
      } catch (error) {
        if (unanswered === undefined && !isOutcomeUnknown(error)) throw error;
        if (unanswered !== undefined) rejectAll(this.#queue.splice(0), error);
        unanswered ??= error;
      }
      if (!(await this.#beforeRetry())) throw unanswered;
    }
  }

  #takeGroup(): readonly Waiting[] {
    let entries = 0;
    const fits = this.#queue.findIndex(({ request }) => {
      entries += request.drafts.length + stateCount(request) + (request.conditions?.length ?? 0);
      return entries > maximumBatchEntries;
    });
    return this.#queue.splice(0, fits === -1 ? this.#queue.length : Math.max(1, fits));
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const outcome = await this.#commit(group);
      if (outcome.ok) this.#resolveEach(group, outcome.value);
      else if (group.length === 1) this.#refuse(group, outcome.error);
      else for (const waiting of group) await this.#commitGroup([waiting]);
    } catch (error) {
      this.#heads.clear();
      rejectAll(group, error);
    }
  }

  #resolveEach(group: readonly Waiting[], links: readonly Chained[]): void {
    for (const [index, { resolve }] of group.entries()) resolve(ok(links[index]?.entries ?? []));
    for (const { entries, heads } of links) {
      this.#stored.note(heads.values());
      this.#onStored(entries);
    }
  }

  #refuse(group: readonly Waiting[], failure: AppendFailure): void {
    for (const { fences, resolve } of group) {
      const [fence, ...others] = fences;
      // Of several it is not known which one is lost.
      if (failure.code === 'Fenced' && fence !== undefined && others.length === 0)
        this.#lostFences.add(fenceKey(fence));
      resolve(err(failure));
    }
  }

  #isLost(fences: readonly Fence[]): boolean {
    return this.#lostFences.size > 0 && fences.some((fence) => this.#lostFences.has(fenceKey(fence)));
  }

  async #commit(group: readonly Waiting[]): Promise<Result<readonly Chained[], AppendFailure>> {
    if (group.some(({ fences }) => this.#isLost(fences))) return err({ code: 'Fenced' });
    for (let attempt = 1; ; attempt += 1) {
      const batch = await this.#chainBatch(group);
      if (!batch.ok) return batch;
      const stored = await this.#send(batch.value.append);
      if (stored.ok) return ok(batch.value.links);
      this.#heads.clear();
      if (stored.error.code !== 'HeadMoved' || attempt === maximumChainAttempts) return stored;
    }
  }

  /** Chains requests and caches their new heads, which the caller clears when the batch is not stored. */
  async #chainBatch(group: readonly Waiting[]): Promise<Result<Batch, AppendFailure>> {
    const requests = group.map(({ request }) => request);
    const before = await this.#currentHeads(requests);
    const links = await this.#inSlices(this.#chain(requests, before));
    if (!links.ok) return links;
    const after = new Map(links.value.flatMap((link) => [...link.heads]));
    // Streams beyond the cache's limit stay uncached.
    for (const [stream, head] of after) if (this.#heads.has(stream)) this.#heads.set(stream, head);
    return ok({ links: links.value, append: this.#batchOf(group, links.value, { before, after }) });
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

  *#chain(
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

  #batchOf(group: readonly Waiting[], links: readonly Chained[], heads: Heads): AppendBatch {
    this.#batches += 1;
    const journal = group.findLast(({ request }) => request.journal !== undefined)?.request.journal;
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
      ...(journal === undefined ? {} : { journal }),
    };
  }
}

function distinctFences(group: readonly Waiting[]): readonly Fence[] {
  const fences = new Map<string, Fence>();
  for (const waiting of group) for (const fence of waiting.fences) fences.set(fenceKey(fence), fence);
  return [...fences.values()];
}

function fenceKey({ scope, epoch, holder }: Fence): string {
  return `${scope} ${epoch} ${holder}`;
}

function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof AdapterError && error.code === outcomeUnknown;
}

function stateCount({ states = [] }: AppendRequest): number {
  return 'policies' in states ? states.policies.length : states.length;
}

function statesOf({ states = [] }: AppendRequest, appended: readonly ChainedEntry[]): readonly PolicyState[] {
  return 'policies' in states ? states.from(appended) : states;
}

function rejectAll(group: readonly Waiting[], error: unknown): void {
  for (const { reject } of group) reject(error);
}

import { err, ok, type Result } from '#kernel';
import { type Chained, chainEntries, type InvalidEntry } from './chain.ts';
import type { ChainedEntry, EntryDraft, StreamHead } from './entry.ts';
import {
  type AppendRefusal,
  type Fence,
  type LedgerPort,
  maximumBatchEntries,
  type PolicyState,
} from './ledger.port.ts';
import type { PolicyKey } from './stream-name.ts';

/** The most requests that wait: beyond it the database is slower than the fleet, and the caller must know. */
export const maximumQueuedRequests = 20_000;

/** The most heads kept in memory, about 20 MB; more streams are read again from the database. */
const maximumCachedHeads = 100_000;

/** Another process on the same stream is a rare thing, and each attempt sees its latest entry. */
const maximumChainAttempts = 5;

/** What becomes durable together. */
export interface AppendRequest {
  /** At most `maximumBatchEntries`. */
  readonly drafts: readonly EntryDraft[];
  /** A function where a state names an entry of this request. */
  readonly states?: readonly PolicyState[] | ((appended: readonly ChainedEntry[]) => readonly PolicyState[]);
  readonly forget?: readonly PolicyKey[];
}

/** Why nothing of a request was stored. */
export type AppendFailure =
  | AppendRefusal
  | InvalidEntry
  | { readonly code: 'QueueFull'; readonly message: string }
  | { readonly code: 'TooLarge'; readonly message: string };

type Appended = Result<readonly ChainedEntry[], AppendFailure>;

interface Waiting {
  readonly request: AppendRequest;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Appends to the ledger. Requests that arrive while a batch is on its way share the next one (group commit), in the
 * order they came; each is stored as a whole or not at all, and one that is refused takes no other with it.
 */
export class LedgerWriter {
  readonly #port: LedgerPort;
  readonly #fence: Fence;
  readonly #cluster: string;
  readonly #heads = new Map<string, StreamHead>();
  readonly #queue: Waiting[] = [];
  #draining: Promise<void> | null = null;
  #fenced = false;

  constructor(options: { readonly port: LedgerPort; readonly fence: Fence; readonly cluster: string }) {
    this.#port = options.port;
    this.#fence = options.fence;
    this.#cluster = options.cluster;
  }

  /**
   * Makes entries and states durable.
   *
   * @returns the entries with their numbers and hashes, in the order of the drafts.
   * @throws AdapterError when the database failed. With code `Timeout` the request may have been stored.
   */
  append(request: AppendRequest): Promise<Appended> {
    const failure = this.#refuseEarly(request);
    if (failure !== null) return Promise.resolve(err(failure));
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Waits until everything asked for so far is stored or refused. */
  async settle(): Promise<void> {
    await this.#draining;
  }

  #refuseEarly(request: AppendRequest): AppendFailure | null {
    if (this.#fenced) return { code: 'Fenced' };
    const size = request.drafts.length;
    if (size > maximumBatchEntries)
      return { code: 'TooLarge', message: `${size} entries at once, at most ${maximumBatchEntries}` };
    if (this.#queue.length >= maximumQueuedRequests)
      return { code: 'QueueFull', message: `${maximumQueuedRequests} requests are waiting for the ledger` };
    return null;
  }

  async #drain(): Promise<void> {
    // Requests of the same turn of the event loop share the first batch, too.
    await Promise.resolve();
    while (this.#queue.length > 0) await this.#commitGroup(this.#takeGroup());
    this.#draining = null;
  }

  #takeGroup(): readonly Waiting[] {
    let entries = 0;
    const fits = this.#queue.findIndex(({ request }) => {
      entries += request.drafts.length + stateCount(request);
      return entries > maximumBatchEntries;
    });
    return this.#queue.splice(0, fits === -1 ? this.#queue.length : Math.max(1, fits));
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const outcome = await this.#commit(group.map(({ request }) => request));
      if (outcome.ok) settleEach(group, outcome.value);
      else if (group.length === 1 || outcome.error.code === 'Fenced') refuseAll(group, outcome.error);
      else for (const waiting of group) await this.#commitGroup([waiting]);
    } catch (error) {
      // Whether it was stored is not known: the heads are read again.
      this.#heads.clear();
      for (const { reject } of group) reject(error);
    }
  }

  async #commit(
    requests: readonly AppendRequest[],
  ): Promise<Result<readonly (readonly ChainedEntry[])[], AppendFailure>> {
    for (let attempt = 1; ; attempt += 1) {
      const before = await this.#currentHeads(requests);
      const links = this.#chain(requests, before);
      if (!links.ok) return links;
      const stored = await this.#store(requests, links.value, before);
      if (stored.ok) return ok(links.value.map(({ entries }) => entries));
      this.#heads.clear();
      if (stored.error.code === 'Fenced') this.#fenced = true;
      if (stored.error.code !== 'HeadMoved' || attempt === maximumChainAttempts) return stored;
    }
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

  #chain(
    requests: readonly AppendRequest[],
    before: ReadonlyMap<string, StreamHead>,
  ): Result<readonly Chained[], AppendFailure> {
    const heads = new Map(before);
    const links: Chained[] = [];
    for (const { drafts } of requests) {
      const link = chainEntries({ cluster: this.#cluster, heads, drafts });
      if (!link.ok) return link;
      links.push(link.value);
      for (const [stream, head] of link.value.heads) heads.set(stream, head);
    }
    return ok(links);
  }

  async #store(
    requests: readonly AppendRequest[],
    links: readonly Chained[],
    before: ReadonlyMap<string, StreamHead>,
  ): Promise<Result<undefined, AppendRefusal>> {
    const after = new Map(links.flatMap((link) => [...link.heads]));
    const streams = [...after.keys()];
    const outcome = await this.#port.append({
      fence: this.#fence,
      entries: links.flatMap((link) => link.entries),
      before: streams.flatMap((stream) => before.get(stream) ?? []),
      after: [...after.values()],
      states: requests.flatMap((request, index) => statesOf(request, links[index]?.entries ?? [])),
      forget: requests.flatMap(({ forget }) => forget ?? []),
    });
    // Only streams that fit were cached; the others are read again.
    if (outcome.ok)
      for (const [stream, head] of after) if (this.#heads.has(stream)) this.#heads.set(stream, head);
    return outcome;
  }
}

function stateCount({ states }: AppendRequest): number {
  return states === undefined || typeof states === 'function' ? 0 : states.length;
}

function statesOf({ states = [] }: AppendRequest, appended: readonly ChainedEntry[]): readonly PolicyState[] {
  return typeof states === 'function' ? states(appended) : states;
}

function settleEach(group: readonly Waiting[], entries: readonly (readonly ChainedEntry[])[]): void {
  for (const [index, { resolve }] of group.entries()) resolve(ok(entries[index] ?? []));
}

function refuseAll(group: readonly Waiting[], failure: AppendFailure): void {
  for (const { resolve } of group) resolve(err(failure));
}

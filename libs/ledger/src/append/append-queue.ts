import { AdapterError, err, ok, type Result, type SliceClock } from '#kernel';
import type { ChainedEntry } from '../entries/entry.ts';
import {
  type AppendBatch,
  type AppendRefusal,
  maximumBatchEntries,
  outcomeUnknown,
} from '../ports/append-batch.ts';
import { type Fence, fenceKey } from '../ports/fence.port.ts';
import type { LedgerPort } from '../ports/ledger.port.ts';
import { type Appended, type AppendFailure, type AppendRequest, stateCount } from './append-request.ts';
import { BatchChain, type BatchChainOptions, type ChainedBatch, type FencedRequest } from './batch-chain.ts';
import type { Chained } from './chain.ts';

/** The maximum number of waiting requests; more means that the database is slower than the fleet. */
export const maximumQueuedRequests = 20_000;

/** Two writers of one stream are rare, and each attempt starts from the latest entry. */
const maximumChainAttempts = 5;

/**
 * What follows from a stored entry is done in the turn in which its request is answered, some tenths of a millisecond for
 * each: after so many the loop serves whatever else waits.
 */
const answeredPerTurn = 32;

interface Waiting extends FencedRequest {
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

interface Prepared {
  readonly group: readonly Waiting[];
  /** `null`: the requests could not be chained together, or the heads could not be read. */
  readonly batch: ChainedBatch | null;
}

export interface AppendQueueOptions extends BatchChainOptions {
  /** Waits before a batch whose answer was lost is sent again; false: the process is ending, so it is not. */
  readonly beforeRetry: () => Promise<boolean>;
  /** Hears of the entries of every batch once it is stored and its requests are answered. It returns at once and never throws. */
  readonly onStored?: (entries: readonly ChainedEntry[]) => void;
}

/**
 * The requests of one process. Requests that arrive while a batch is being stored share the next batch (group commit), in the
 * order of arrival. Each request is stored as a whole or not at all, and a refused request does not affect the others.
 */
export class AppendQueue {
  readonly #port: LedgerPort;
  readonly #beforeRetry: () => Promise<boolean>;
  readonly #onStored: (entries: readonly ChainedEntry[]) => void;
  readonly #clock: SliceClock | undefined;
  /** Fences that a batch was refused for, by {@link fenceKey}. */
  readonly #lostFences = new Set<string>();
  readonly #chain: BatchChain;
  readonly #queue: Waiting[] = [];
  #draining: Promise<void> | null = null;
  /** Of stored batches whose requests are still being answered; null: there is none. */
  #answering: Promise<void> | null = null;

  constructor(options: AppendQueueOptions) {
    this.#port = options.port;
    this.#beforeRetry = options.beforeRetry;
    this.#onStored = options.onStored ?? (() => undefined);
    this.#clock = options.clock;
    this.#chain = new BatchChain(options);
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

  /** Looks whether the database has lost any of what was stored, and tells {@link AppendQueueOptions.onLost}. @throws AdapterError */
  compareStored(): Promise<void> {
    return this.#chain.compareStored();
  }

  /** Requests that wait to be sent. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Waits until every request so far is stored or refused. */
  async flush(): Promise<void> {
    await this.#draining;
    await this.#answering;
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
      if (stored !== 'Stored') this.#chain.forget();
      if (stored === 'Refused') await this.#commitGroup(batch.group);
      current = stored === 'Stored' || ahead === null ? ahead : await this.#prepare(ahead.group);
    }
    this.#draining = null;
  }

  async #prepare(group: readonly Waiting[]): Promise<Prepared> {
    try {
      const batch = await this.#chain.chain(group);
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
        if (unanswered !== undefined) rejectAll(this.#queue.splice(0), asNotSent(error));
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
      this.#chain.forget();
      rejectAll(group, error);
    }
  }

  /** Answers the requests of a stored batch, after those of the batches before it. The next is stored meanwhile. */
  #resolveEach(group: readonly Waiting[], links: readonly Chained[]): void {
    for (const { heads } of links) this.#chain.noteStored(heads.values());
    const earlier = this.#answering;
    const answering =
      earlier === null ? this.#answer(group, links) : earlier.then(() => this.#answer(group, links));
    this.#answering = answering;
    void answering.then(() => {
      if (this.#answering === answering) this.#answering = null;
    });
  }

  async #answer(group: readonly Waiting[], links: readonly Chained[]): Promise<void> {
    for (const [index, { resolve }] of group.entries()) {
      if (index > 0 && index % answeredPerTurn === 0) await this.#clock?.nextTurn();
      resolve(ok(links[index]?.entries ?? []));
    }
    for (const { entries } of links) this.#onStored(entries);
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
      const batch = await this.#chain.chain(group);
      if (!batch.ok) return batch;
      const stored = await this.#send(batch.value.append);
      if (stored.ok) return ok(batch.value.links);
      this.#chain.forget();
      if (stored.error.code !== 'HeadMoved' || attempt === maximumChainAttempts) return stored;
    }
  }
}

function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof AdapterError && error.code === outcomeUnknown;
}

/**
 * What requests are rejected with that wait behind a batch: they were not sent, whatever became of it. One that is told
 * that its outcome is unknown waits for it, and its policy with it, until the process ends.
 */
function asNotSent(error: unknown): unknown {
  if (!(error instanceof AdapterError) || !isOutcomeUnknown(error)) return error;
  return new AdapterError({
    code: 'ConnectionFailed',
    message: error.message,
    retryable: true,
    cause: error,
  });
}

function rejectAll(group: readonly Waiting[], error: unknown): void {
  for (const { reject } of group) reject(error);
}

import { AdapterError, err } from '#kernel';
import type { Fence } from '../ports/fence.port.ts';
import { AppendQueue, type AppendQueueOptions } from './append-queue.ts';
import type { Appended, AppendRequest } from './append-request.ts';

/** A fence or several, or how to find those that are held for a request. */
export type FenceSource = Fence | readonly Fence[] | ((request: AppendRequest) => Fence | readonly Fence[]);

export interface LedgerWriterOptions extends Omit<AppendQueueOptions, 'beforeRetry'> {
  /**
   * A function where the fence is not held yet, or held again later, or is another one for other requests. It throws an
   * `AdapterError` where one is not held.
   */
  readonly fence: FenceSource;
  /** See {@link AppendQueueOptions.beforeRetry}; without it a batch is sent once. */
  readonly beforeRetry?: AppendQueueOptions['beforeRetry'];
}

/**
 * Appends to the ledger under fences. Writers made from one another with {@link LedgerWriter.under} share a queue, and
 * so the batches and the cached heads.
 */
export class LedgerWriter {
  readonly #queue: AppendQueue;
  readonly #fence: FenceSource;

  constructor(options: LedgerWriterOptions | { readonly queue: AppendQueue; readonly fence: FenceSource }) {
    this.#queue = 'queue' in options ? options.queue : new AppendQueue({ beforeRetry: never, ...options });
    this.#fence = options.fence;
  }

  /** A writer under another fence, with the same queue. */
  under(fence: FenceSource): LedgerWriter {
    return new LedgerWriter({ queue: this.#queue, fence });
  }

  /**
   * Makes entries and states durable.
   *
   * @returns the entries with their numbers and hashes, in the order of the drafts.
   * @throws AdapterError when the database failed. Nothing was stored, except perhaps where the code is
   *   {@link outcomeUnknown}, and that is thrown only while the process ends: before, the batch is sent again until its
   *   outcome is known. A caller that stops waiting keeps the promise, and appends nothing else for the same change
   *   until it has an answer.
   */
  append(request: AppendRequest): Promise<Appended> {
    const fences = this.#heldFences(request);
    return fences === null ? Promise.resolve(err({ code: 'Fenced' })) : this.#queue.append(request, fences);
  }

  #heldFences(request: AppendRequest): readonly Fence[] | null {
    try {
      const held = typeof this.#fence === 'function' ? this.#fence(request) : this.#fence;
      return 'scope' in held ? [held] : held;
    } catch (error) {
      if (error instanceof AdapterError) return null;
      throw error;
    }
  }

  /** Requests of the queue that wait to be sent. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /**
   * Looks whether the database has lost any of what the queue has stored, and tells `onLost`: to be asked where a connection
   * comes back, which may lead to another database.
   *
   * @throws AdapterError
   */
  compareStored(): Promise<void> {
    return this.#queue.compareStored();
  }

  /** Waits until every request so far is stored or refused. */
  async flush(): Promise<void> {
    await this.#queue.flush();
  }
}

function never(): Promise<boolean> {
  return Promise.resolve(false);
}

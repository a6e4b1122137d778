import { randomUUID } from 'node:crypto';
import type { SqlShardRequests } from '#adapter-sql';
import type { Json } from '#kernel';
import { administrationScope, shardOfScope, shardScope } from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { Holdings } from '../coordination/holdings.ts';
import type { Leadership } from '../coordination/leadership.ts';
import type { Shards } from '../coordination/shards.ts';
import type { FieldLogger } from '../logging/field-logger.ts';
import { OutageLog } from '../logging/outage-log.ts';
import { CoalescedWork } from './coalesced-work.ts';

export interface ShardRequestsOptions {
  readonly store: Pick<SqlShardRequests, 'ask' | 'unanswered' | 'answer' | 'answers'>;
  readonly shards: Pick<Shards, 'held'>;
  readonly holdings: Pick<Holdings, 'of'>;
  readonly leadership: Pick<Leadership, 'mode'>;
  readonly clock: Pick<ClockPort, 'monotonicMilliseconds' | 'schedule'>;
  readonly logger: FieldLogger;
}

/** Carries a request out for the policies of one shard, and answers; in a few seconds. */
export type RequestHandler = (request: Json, shard: number) => Promise<Json>;

/** Without a notice, answers are looked for so often. */
const lookMilliseconds = 250;

/** A holder that has not answered within this is gone, or another holds the shard by now. */
const answerMilliseconds = 2_000;

/**
 * What the leader has done by the holders of shards that are not its own: a request is stored, and its shard's holder
 * carries it out under the shard's fence and stores the answer. Both are told by a notice, and look each second.
 */
export class ShardRequests {
  readonly #options: ShardRequestsOptions;
  readonly #outages: OutageLog;
  readonly #looks = new CoalescedWork(() => this.#outages.during(() => this.#serve()));
  #handler: RequestHandler = () => Promise.resolve(null);
  /** Who waits for an answer is told that there may be one. */
  readonly #waiting = new Set<() => void>();

  constructor(options: ShardRequestsOptions) {
    this.#options = options;
    this.#outages = new OutageLog(options.logger, {
      fails: 'what the leader asks of the policies of this replica could not be carried out',
      works: 'what the leader asks of the policies of this replica is carried out again',
    });
  }

  /** Carries out what is asked of the shards of this process. */
  handle(handler: RequestHandler): void {
    this.#handler = handler;
  }

  /** Looks for requests, and for answers. */
  async look(): Promise<void> {
    if (this.#options.leadership.mode !== 'Replicas') return;
    for (const wake of this.#waiting) wake();
    await this.#looks.run();
  }

  /** Waits for the requests that are carried out. */
  end(): Promise<void> {
    return this.#looks.end();
  }

  /**
   * Asks the holders of shards, one request each; to be called by the leader.
   *
   * @returns the answers by shard; those that did not come within a few seconds are left out
   * @throws AdapterError
   */
  async ask(requests: ReadonlyMap<number, Json>): Promise<ReadonlyMap<number, Json>> {
    const { store, holdings, clock } = this.#options;
    const shards = new Map([...requests.keys()].map((shard) => [randomUUID() as string, shard]));
    const asked = [...shards].map(([id, shard]) => ({
      id,
      scope: shardScope(shard),
      request: requests.get(shard) ?? null,
    }));
    await store.ask(asked, holdings.of(administrationScope));
    const end = clock.monotonicMilliseconds() + answerMilliseconds;
    for (;;) {
      const answers = await store.answers([...shards.keys()]);
      if (answers.size === shards.size || clock.monotonicMilliseconds() >= end)
        return new Map([...answers].flatMap(([id, answer]) => [[shards.get(id) ?? 0, answer] as const]));
      await this.#pause();
    }
  }

  async #serve(): Promise<void> {
    const { store, shards } = this.#options;
    const fences = new Map(shards.held.map((fence) => [fence.scope, fence]));
    for (const { id, scope, request } of await store.unanswered([...fences.keys()])) {
      const fence = fences.get(scope);
      const shard = shardOfScope(scope);
      if (fence === undefined || shard === undefined) continue;
      await store.answer(id, await this.#handler(request, shard), fence);
    }
  }

  /** Until something has changed, or for a moment. */
  #pause(): Promise<undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = (): void => resolve(undefined);
    const cancel = this.#options.clock.schedule(lookMilliseconds, wake);
    this.#waiting.add(wake);
    return promise.finally(() => {
      cancel();
      this.#waiting.delete(wake);
    });
  }
}

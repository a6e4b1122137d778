import { randomUUID } from 'node:crypto';
import type { ShardRequest, SqlShardRequests } from '#adapter-sql';
import { AdapterError, type Json, messageOf } from '#kernel';
import { administrationScope, type Fence, shardOfScope, shardScope } from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { FieldLogger } from '../../logging/field-logger.ts';
import { OutageLog } from '../../logging/outage-log.ts';
import type { Holdings } from '../holdings/holdings.ts';
import { CoalescedWork } from './coalesced-work.ts';
import type { Leadership } from './leadership.ts';
import type { Shards } from './shards.ts';

export interface ShardRequestsOptions {
  readonly store: Pick<SqlShardRequests, 'ask' | 'tell' | 'unanswered' | 'answer' | 'answers'>;
  readonly shards: Pick<Shards, 'held'>;
  readonly holdings: Pick<Holdings, 'of'>;
  readonly leadership: Pick<Leadership, 'isLeader'>;
  readonly clock: Pick<ClockPort, 'monotonicMilliseconds' | 'schedule'>;
  readonly logger: FieldLogger;
}

/** What the holder of a shard has stored. */
export type RequestAnswer =
  { readonly kind: 'Done'; readonly answer: Json } | { readonly kind: 'Failed'; readonly message: string };

/** By the ids of the requests. */
type RequestAnswers = ReadonlyMap<string, RequestAnswer>;

/** Carries a request out for the policies of one shard, and answers; in a few seconds. It may be asked the same again. */
export type RequestHandler = (request: Json, shard: number) => Promise<Json>;

/** Without a notice, answers are looked for so often. */
const lookMilliseconds = 250;

/** A holder that has not answered within this is gone, or another holds the shard by now. */
const answerMilliseconds = 2_000;

/** More of them wait for those before. One that nobody waits for any more is not counted, so that it is in no one's way. */
const maximumUnderWay = 16;

/** Carries out what another process tells the leader. It may be told the same again. */
export type LeaderHandler = (request: Json) => Promise<Json>;

/**
 * What the leader has done by the holders of shards that are not its own, and what others tell the leader: a request is
 * stored, and the holder of its scope carries it out under the fence of the scope and stores the answer. Both are told by a
 * notice, and look each second.
 */
export class ShardRequests {
  readonly #options: ShardRequestsOptions;
  readonly #readOutages: OutageLog;
  /** Apart: a database that is read-only is read all the same. */
  readonly #answerOutages: OutageLog;
  readonly #looks = new CoalescedWork(() => this.#serve());
  #handler: RequestHandler = () => Promise.resolve(null);
  #leaderHandler: LeaderHandler = () => Promise.resolve(null);
  /** What is being carried out, by ids. */
  readonly #underWay = new Map<string, { readonly since: number; readonly ended: Promise<unknown> }>();
  /** Who waits for an answer is told that there may be one. */
  readonly #waiting = new Set<() => void>();

  constructor(options: ShardRequestsOptions) {
    this.#options = options;
    this.#readOutages = new OutageLog(options.logger, {
      fails: 'what other processes ask for could not be read',
      works: 'what other processes ask for is read again',
    });
    this.#answerOutages = new OutageLog(options.logger, {
      fails: 'what other processes ask for could not be answered',
      works: 'what other processes ask for is answered again',
    });
  }

  /** Carries out what is asked of the shards of this process. */
  handle(handler: RequestHandler): void {
    this.#handler = handler;
  }

  /** Carries out what others tell this process while it leads. */
  handleAsLeader(handler: LeaderHandler): void {
    this.#leaderHandler = handler;
  }

  /** Looks for requests, which are carried out in the background, and for answers. */
  async look(): Promise<void> {
    for (const wake of this.#waiting) wake();
    await this.#looks.run();
  }

  /** Waits for the requests that are carried out. */
  async end(): Promise<void> {
    await this.#looks.end();
    await Promise.all([...this.#underWay.values()].map(({ ended }) => ended));
  }

  /**
   * Asks the holders of shards, one request each; to be called by the leader.
   *
   * @returns the answers by shard; those that did not come within a few seconds are left out
   * @throws AdapterError
   */
  async ask(requests: ReadonlyMap<number, Json>): Promise<ReadonlyMap<number, RequestAnswer>> {
    const { store, holdings } = this.#options;
    const shards = new Map([...requests.keys()].map((shard) => [randomUUID() as string, shard]));
    const asked = [...shards].map(([id, shard]) => ({
      id,
      scope: shardScope(shard),
      request: requests.get(shard) ?? null,
    }));
    const fence = holdings.of(administrationScope);
    const answers = await this.#answersTo([...shards.keys()], () => store.ask(asked, fence));
    return new Map([...answers].map(([id, answer]) => [shards.get(id) ?? 0, answer]));
  }

  /**
   * Tells the leader, which may be another process.
   *
   * @returns whether it has carried it out within a few seconds
   * @throws AdapterError
   */
  async askLeader(request: Json): Promise<boolean> {
    const id = randomUUID();
    const answers = await this.#answersTo([id], () => this.#options.store.tell(id, request));
    return answers.get(id)?.kind === 'Done';
  }

  /** What has come within a few seconds, however long the database takes: a request may be stored, and carried out, later. */
  async #answersTo(ids: readonly string[], ask: () => Promise<void>): Promise<RequestAnswers> {
    const { clock } = this.#options;
    const end = clock.monotonicMilliseconds() + answerMilliseconds;
    const late = Promise.withResolvers<undefined>();
    const cancel = clock.schedule(answerMilliseconds, () => late.resolve(undefined));
    const found: { latest: RequestAnswers } = { latest: new Map() };
    try {
      await Promise.race([this.#collect(ids, { ask, found, end }), late.promise]);
    } finally {
      cancel();
    }
    return found.latest;
  }

  async #collect(
    ids: readonly string[],
    {
      ask,
      found,
      end,
    }: {
      readonly ask: () => Promise<void>;
      readonly found: { latest: RequestAnswers };
      readonly end: number;
    },
  ): Promise<undefined> {
    const { store, clock } = this.#options;
    await ask();
    for (;;) {
      found.latest = (await store.answers(ids)) as RequestAnswers;
      if (found.latest.size === ids.length || clock.monotonicMilliseconds() >= end) return undefined;
      await this.#pause();
    }
  }

  async #serve(): Promise<void> {
    const { store, shards, holdings, leadership } = this.#options;
    const held = leadership.isLeader() ? [...shards.held, holdings.of(administrationScope)] : shards.held;
    const fences = new Map(held.map((fence) => [fence.scope, fence]));
    // Who holds nothing is asked for nothing, and learns nothing of the database.
    if (fences.size === 0) return;
    const found = await this.#readOutages.during(() => store.unanswered([...fences.keys()]));
    for (const asked of found ?? []) {
      const { id, scope } = asked;
      const fence = fences.get(scope);
      if (fence === undefined || this.#underWay.has(id) || !this.#hasRoom) continue;
      const since = this.#options.clock.monotonicMilliseconds();
      const ended = this.#carryOut(asked, fence).finally(() => this.#underWay.delete(id));
      this.#underWay.set(id, { since, ended });
    }
  }

  get #hasRoom(): boolean {
    const { clock } = this.#options;
    const oldest = clock.monotonicMilliseconds() - answerMilliseconds;
    return [...this.#underWay.values()].filter(({ since }) => since > oldest).length < maximumUnderWay;
  }

  /** What is not stored is asked for again by the next look. */
  async #carryOut({ id, scope, request }: ShardRequest, fence: Fence): Promise<void> {
    const shard = shardOfScope(scope);
    const answer = await this.#answerTo(scope, () =>
      shard === undefined ? this.#leaderHandler(request) : this.#handler(request, shard),
    );
    await this.#answerOutages.during(() => this.#options.store.answer(id, answer, fence));
  }

  async #answerTo(scope: string, carryOut: () => Promise<Json>): Promise<Json> {
    try {
      return { kind: 'Done', answer: await carryOut() };
    } catch (error) {
      const { logger } = this.#options;
      logger.warn({ scope, reason: messageOf(error) }, 'what another process asked for failed');
      return { kind: 'Failed', message: error instanceof AdapterError ? error.message : 'it failed' };
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

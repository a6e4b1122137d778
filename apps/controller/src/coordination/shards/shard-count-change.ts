import { randomUUID } from 'node:crypto';
import type { SqlScopeHolders } from '#adapter-sql';
import { AdapterError, messageOf } from '#kernel';
import {
  administrationScope,
  type EntryDraft,
  type Fence,
  type FencePort,
  type LedgerWriter,
  shardLayoutScope,
  shardScope,
} from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { FieldLogger } from '../../logging/field-logger.ts';
import type { Holdings } from '../holdings/holdings.ts';
import type { Shards } from './shards.ts';

export interface ShardCountChangeOptions {
  readonly holdings: Pick<Holdings, 'of'>;
  readonly fences: Pick<FencePort, 'take' | 'giveUp'>;
  readonly holders: Pick<SqlScopeHolders, 'list'>;
  readonly writer: Pick<LedgerWriter, 'under'>;
  readonly shards: Pick<Shards, 'readLayout'>;
  readonly clock: Pick<ClockPort, 'monotonicMilliseconds' | 'schedule'>;
  readonly logger: FieldLogger;
}

/** What a change came to. */
export type ShardCountOutcome =
  | { readonly kind: 'Changed' }
  /** These scopes were not given up in time, and are held still; everything is as it was. */
  | { readonly kind: 'Held'; readonly scopes: readonly string[] }
  /** It is being changed already, or a process that was killed in the middle is waited for; everything is as it was. */
  | { readonly kind: 'UnderWay' };

/** Less than an answer of the REST API may take, and as long as replicas that live need. */
const budgetMilliseconds = 8_000;
const retryMilliseconds = 250;

/**
 * Changes over how many shards the policies are spread, as the leader. A policy has one shard by the number before and
 * another by the number after, so all shards of both are given up first, and taken here: who believes in the former
 * number can store nothing. The number and its record are stored as one. A process that is killed at any moment leaves one
 * number or the other, and fences that expire.
 */
export class ShardCountChange {
  readonly #options: ShardCountChangeOptions;

  constructor(options: ShardCountChangeOptions) {
    this.#options = options;
  }

  /** @throws AdapterError where the database fails, or this process does not lead any more */
  async to(shardCount: number, record: EntryDraft): Promise<ShardCountOutcome> {
    const administration = this.#options.holdings.of(administrationScope);
    // While it is held, replicas give their shards up and take none.
    const pause = await this.#take([shardLayoutScope], administration.holder);
    if (pause === null) return { kind: 'UnderWay' };
    try {
      const before = (await this.#options.shards.readLayout()).shardCount;
      const scopes = Array.from({ length: Math.max(before, shardCount) }, (_, shard) => shardScope(shard));
      const taken = await this.#takeInTime(scopes);
      if (taken === null) return { kind: 'Held', scopes: await this.#heldOf(scopes) };
      const fences = [administration, ...pause, ...taken];
      await this.#store({ shardCount, drafts: [record] }, fences).finally(() => this.#giveUp(taken));
      return { kind: 'Changed' };
    } finally {
      await this.#giveUp(pause);
    }
  }

  async #store(
    request: { readonly shardCount: number; readonly drafts: readonly EntryDraft[] },
    fences: readonly Fence[],
  ): Promise<void> {
    const appended = await this.#options.writer.under(fences).append(request);
    if (appended.ok) return;
    const { code } = appended.error;
    throw new AdapterError({
      code,
      message: `the number of shards was not stored: ${code}`,
      retryable: true,
    });
  }

  /** Null: not all of them were free in time. */
  async #takeInTime(scopes: readonly string[]): Promise<readonly Fence[] | null> {
    const { clock } = this.#options;
    // Not this process's own: shards that it is still giving up are not free.
    const holder = `change-of-shards-${randomUUID()}`;
    const end = clock.monotonicMilliseconds() + budgetMilliseconds;
    for (;;) {
      const taken = await this.#take(scopes, holder);
      if (taken !== null || clock.monotonicMilliseconds() >= end) return taken;
      await new Promise<void>((resolve) => void clock.schedule(retryMilliseconds, resolve));
    }
  }

  async #take(scopes: readonly string[], holder: string): Promise<readonly Fence[] | null> {
    const taken = await this.#options.fences.take(scopes, holder);
    return taken.ok ? taken.value : null;
  }

  /** Those whose holders renew them: what has expired is in nobody's way. */
  async #heldOf(scopes: readonly string[]): Promise<readonly string[]> {
    const known = await this.#options.holders.list();
    const held = new Set(known.flatMap(({ scope, holder }) => (holder === null ? [] : [scope])));
    return scopes.filter((scope) => held.has(scope));
  }

  /** What is not given up expires. */
  async #giveUp(fences: readonly Fence[]): Promise<void> {
    const { fences: port, logger } = this.#options;
    await port.giveUp(fences).catch((error: unknown) => {
      logger.warn({ reason: messageOf(error) }, 'the shards were not given up; they expire');
    });
  }
}

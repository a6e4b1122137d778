import { AdapterError } from '#kernel';
import { shardScope } from '#ledger';
import type { FieldLogger } from '../../logging/field-logger.ts';
import type { ReplicaWork, ScopeWork } from '../holdings/holdings.ts';
import { shardsChanged } from './begun-work.ts';
import type { ElectedScope, ElectedScopeOptions } from './elected-scope.ts';

export interface ElectedShardsOptions {
  /** What the names of the Leases begin with. */
  readonly prefix: string;
  readonly work: Pick<ReplicaWork, 'shard' | 'shards'>;
  readonly open: (options: ElectedScopeOptions) => ElectedScope;
  readonly logger: Pick<FieldLogger, 'info'>;
}

/** The shards that a replica competes for: as many as the database says that there are. */
export class ElectedShards {
  readonly #options: ElectedShardsOptions;
  #all: readonly ElectedScope[] = [];
  #isChanging = false;

  constructor(options: ElectedShardsOptions) {
    this.#options = options;
  }

  /** By their numbers. */
  get all(): readonly ElectedScope[] {
    return this.#all;
  }

  /** Whether another number of them is about to be stored: none is to be held until it is. */
  get isChanging(): boolean {
    return this.#isChanging;
  }

  /** Looks how many there are, and gives all up while that changes. @throws AdapterError */
  async follow(): Promise<void> {
    const { logger, work } = this.#options;
    const { shardCount, isChanging } = await work.shards.readLayout();
    const before = this.#all.length;
    if (isChanging && !this.#isChanging)
      logger.info({ shards: before }, 'the number of shards is being changed: all are given up until it is');
    this.#isChanging = isChanging;
    if (isChanging) for (const scope of this.#all) void scope.leave();
    const isIdle = this.#all.every(({ phase }) => phase === 'Waiting');
    if (shardCount === before || !isIdle) return;
    work.shards.resize(shardCount);
    if (before > 0) logger.info({ before, shards: shardCount }, 'the number of shards was changed');
    this.#all = Array.from({ length: shardCount }, (_, shard) => this.#open(shard));
  }

  /** Whether a Lease is that of a shard that there is no more, or that is new and not known here yet. */
  isUnknown(lease: string): boolean {
    const start = `${this.#options.prefix}-shard-`;
    const number = lease.startsWith(start) ? lease.slice(start.length) : '';
    return /^\d+$/.test(number) && Number(number) >= this.#all.length;
  }

  #open(shard: number): ElectedScope {
    const { prefix, work, open } = this.#options;
    const scopes = (): Promise<readonly string[]> => Promise.resolve([shardScope(shard)]);
    return open({ name: `${prefix}-shard-${shard}`, scopes, work: this.#counted(work.shard(shard)) });
  }

  /** Another number is stored only by who holds every shard, so that one that is read under a fence stays. */
  #counted(work: ScopeWork): ScopeWork {
    return {
      begin: async (signal) => {
        const { shardCount } = await this.#options.work.shards.readLayout();
        if (shardCount !== this.#all.length) {
          const message = `there are ${shardCount} shards by now, and not ${this.#all.length}`;
          throw new AdapterError({ code: shardsChanged, message, retryable: true });
        }
        await work.begin(signal);
      },
      end: () => work.end(),
    };
  }
}

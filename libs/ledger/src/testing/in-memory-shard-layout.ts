import { shardLayoutScope } from '../ports/fence.port.ts';
import type { ShardLayout, ShardLayoutPort } from '../ports/shard-layout.port.ts';
import type { InMemoryLedger } from './in-memory-ledger.ts';

/** How the policies of a ledger in memory are spread. It passes the contract suite of the databases. */
export class InMemoryShardLayout implements ShardLayoutPort {
  readonly #ledger: Pick<InMemoryLedger, 'shardCount' | 'fences'>;

  constructor(ledger: Pick<InMemoryLedger, 'shardCount' | 'fences'>) {
    this.#ledger = ledger;
  }

  read(): Promise<ShardLayout> {
    const { shardCount, fences } = this.#ledger;
    return Promise.resolve({ shardCount, isChanging: fences.isRenewed(shardLayoutScope) });
  }
}

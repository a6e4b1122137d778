export { aStoredToken } from './a-stored-token.ts';
export { InMemoryFences } from './in-memory-fences.ts';
export { InMemoryLedger, type LedgerFault } from './in-memory-ledger.ts';
export { InMemoryShardLayout } from './in-memory-shard-layout.ts';
export { takeFence } from './take-fence.ts';
export { withAppend } from './with-append.ts';

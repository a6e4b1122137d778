export { InMemoryLedger, type LedgerFault } from './in-memory-ledger.ts';

import { InMemoryLedger } from '#ledger/testing';
import { describeLedgerPort } from './ledger-contract.ts';

describeLedgerPort('in memory', {
  empty: () => Promise.resolve(new InMemoryLedger()),
  end: () => Promise.resolve(),
});

import { InMemoryLedger } from '../../support/in-memory-ledger.fake.ts';
import { describeLedgerPort } from './ledger-contract.ts';

describeLedgerPort('in memory', {
  empty: () => Promise.resolve(new InMemoryLedger()),
  end: () => Promise.resolve(),
});

import { InMemoryLedger } from '#ledger/testing';
import { describeLedgerPort } from './ledger-contract.ts';

describeLedgerPort('in memory', {
  empty: () => {
    const ledger = new InMemoryLedger();
    const age = (seconds: number): Promise<void> => {
      ledger.fences.advance(seconds);
      return Promise.resolve();
    };
    return Promise.resolve({ ledger, fences: ledger.fences, age });
  },
  end: () => Promise.resolve(),
});

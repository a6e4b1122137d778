import { InMemoryLedger, InMemoryShardLayout } from '#ledger/testing';
import { describeLedgerPort } from './ledger-contract.ts';

describeLedgerPort('in memory', {
  empty: () => {
    const ledger = new InMemoryLedger();
    const age = (seconds: number): Promise<void> => {
      ledger.fences.advance(seconds);
      return Promise.resolve();
    };
    const layout = new InMemoryShardLayout(ledger);
    const sources = () => Promise.resolve([...ledger.sources.values()]);
    return Promise.resolve({ ledger, fences: ledger.fences, layout, tokens: ledger.tokens, sources, age });
  },
  end: () => Promise.resolve(),
});

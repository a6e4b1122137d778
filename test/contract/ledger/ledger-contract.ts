import { afterAll, beforeEach, describe } from '@jest/globals';
import { entryKinds, LedgerWriter } from '#ledger';
import { takeFence } from '#ledger/testing';
import { describeAppend } from './append.ts';
import { describeDecisionSizes } from './decision-sizes.ts';
import { describeEntries } from './entries.ts';
import { describeEntriesByName } from './entries-by-name.ts';
import { describeFences } from './fences.ts';
import type { LedgerContext, LedgerUnderTest } from './ledger-context.ts';
import { describeSources } from './sources.ts';
import { describeStates } from './states.ts';
import { describeTokens } from './tokens.ts';

/** What every implementation of `LedgerPort` does. */
export function describeLedgerPort(name: string, { empty, end, createDatabase }: LedgerUnderTest): void {
  describe(`LedgerPort: ${name}`, () => {
    let context: LedgerContext;

    beforeEach(async () => {
      const { ledger: port, ...ports } = await empty();
      const fence = await takeFence(ports.fences);
      const writer = new LedgerWriter({ port, fence, cluster: 'test' });
      const all: LedgerContext['all'] = async (query = {}) => {
        const page = await port.entries({ kinds: entryKinds, order: 'OldestFirst', limit: 1_000, ...query });
        return page.items.map(({ entry }) => entry);
      };
      context = { port, ...ports, fence, writer, all };
    });

    afterAll(end);

    const given = (): LedgerContext => context;
    describeAppend(given);
    describeFences(given);
    describeStates(given);
    describeTokens(given);
    describeSources(given);
    describeEntries(given);
    describeEntriesByName(given);
    if (createDatabase !== undefined) describeDecisionSizes(createDatabase);
  });
}

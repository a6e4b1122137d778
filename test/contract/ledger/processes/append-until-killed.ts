// Appends to the SQLite ledger named by its argument for as long as it lives; its test kills it.
import { openLedgerDatabase } from '#adapter-sql';
import { LedgerWriter } from '#ledger';
import { takeFence } from '#ledger/testing';
import {
  aDecisionDraft,
  anIntentDraft,
  aState,
  checkout,
  timeAfter,
} from '../../../support/ledger-builders.ts';

const [, , file = ''] = process.argv;
const { ledger, fences } = await openLedgerDatabase({ url: `sqlite:${file}` });
const writer = new LedgerWriter({ port: ledger, fence: await takeFence(fences), cluster: 'test' });
process.stdout.write('appending\n');
for (let round = 0; ; round += 1) {
  const drafts = Array.from({ length: 50 }, (_, index) =>
    aDecisionDraft({ time: timeAfter(round * 50 + index) }),
  );
  await Promise.all([
    writer.append({ drafts, states: [aState(checkout, { updatedAt: timeAfter(round * 50 + 49) })] }),
    ...(round === 0
      ? [writer.append({ drafts: [anIntentDraft({ policy: { namespace: 'shop', name: 'cart' } })] })]
      : []),
  ]);
  if (round === 5) process.stdout.write('durable\n');
}

import { beforeEach, describe, expect, it } from '@jest/globals';
import { fenceExpirySeconds, type StoredSource } from '#ledger';
import { takeFence } from '#ledger/testing';
import { anActionDraft, appended } from '../../support/ledger-builders.ts';
import type { LedgerContext } from './ledger-context.ts';

/** Sources, which stand elsewhere with the entries that say so. */
export function describeSources(given: () => LedgerContext): void {
  let context: LedgerContext;

  beforeEach(() => {
    context = given();
  });

  const stand = (...sources: readonly (StoredSource & { readonly at: string })[]) =>
    context.writer.append({ drafts: [anActionDraft()], sources });

  describe('sources', () => {
    it('stand where the entries of their request say, and of several requests where the last says', async () => {
      appended(await stand({ source: 'a', at: 'one' }, { source: 'b', at: 'one' }));
      appended(await stand({ source: 'a', at: 'two' }));
      expect(await context.sources()).toEqual([
        { source: 'a', at: 'two' },
        { source: 'b', at: 'one' },
      ]);
      expect(await context.all()).toHaveLength(2);
    });

    it('stay where they are where the entry is refused, and the entry is not there without them', async () => {
      appended(await stand({ source: 'a', at: 'one' }));
      const refused = { drafts: [anActionDraft()], interventions: { end: ['never'] } };
      const moved = [{ source: 'a', at: 'two' }];
      expect(await context.writer.append({ ...refused, sources: moved })).toMatchObject({ ok: false });
      await context.age(fenceExpirySeconds);
      await takeFence(context.fences, { holder: 'successor' });
      expect(await stand({ source: 'a', at: 'three' })).toMatchObject({ error: { code: 'Fenced' } });
      expect(await context.sources()).toEqual([{ source: 'a', at: 'one' }]);
      expect(await context.all()).toHaveLength(1);
    });
  });
}

import { beforeEach, describe, expect, it } from '@jest/globals';
import { fenceExpirySeconds, type TokenChanges } from '#ledger';
import { aStoredToken, takeFence } from '#ledger/testing';
import { anActionDraft, appended } from '../../support/ledger-builders.ts';
import type { LedgerContext } from './ledger-context.ts';

/** API tokens, which are made, revoked and forgotten with the entries that say so. */
export function describeTokens(given: () => LedgerContext): void {
  let context: LedgerContext;

  beforeEach(() => {
    context = given();
  });

  const change = (changes: Partial<TokenChanges>, drafts = [anActionDraft()]) =>
    context.writer.append({ drafts, tokens: { put: [], forget: [], ...changes } });
  const stored = () => context.tokens.load();

  describe('API tokens', () => {
    it('are none at first', async () => {
      expect([await context.tokens.revision(), await stored()]).toEqual([0n, []]);
    });

    it('are made and revoked with the entries that say so, and counted in each change', async () => {
      const [a, b] = [aStoredToken('a'), aStoredToken('b', { parent: 'a' })];
      appended(await change({ put: [b] }));
      appended(await change({ put: [a] }));
      expect([await context.tokens.revision(), await stored()]).toEqual([2n, [a, b]]);
      const revoked = [a, b].map((token) => ({ ...token, revokedAt: '2026-11-22T13:00:00Z' }));
      appended(await change({ put: revoked }));
      expect([await context.tokens.revision(), await stored()]).toEqual([4n, revoked]);
      expect(await context.all()).toHaveLength(3);
    });

    it('know when they were used last, whatever order it is noted in, and are revoked with it', async () => {
      appended(await change({ put: [aStoredToken('a'), aStoredToken('b')] }));
      await context.tokens.noteUses(new Map([['a', '2026-11-22T12:05:00Z']]));
      const earlier = '2026-11-22T12:04:00Z';
      await context.tokens.noteUses(
        new Map([
          ['a', earlier],
          ['nothing', earlier],
        ]),
      );
      appended(await change({ put: [aStoredToken('a', { revokedAt: '2026-11-22T13:00:00Z' })] }));
      expect((await stored()).map(({ lastUsedAt }) => lastUsedAt)).toEqual(['2026-11-22T12:05:00Z', null]);
    });

    it('are forgotten where others are made, and counted on', async () => {
      appended(await change({ put: [aStoredToken('a'), aStoredToken('b')] }));
      appended(await change({ put: [aStoredToken('c')], forget: ['a', 'b', 'never'] }));
      expect([await context.tokens.revision(), await stored()]).toEqual([3n, [aStoredToken('c')]]);
    });

    it('are not changed where their entry is refused, nor is the entry there without them', async () => {
      appended(await change({ put: [aStoredToken('a')] }));
      const ended = { drafts: [anActionDraft()], interventions: { end: ['never'] } };
      expect(
        await context.writer.append({ ...ended, tokens: { put: [aStoredToken('b')], forget: ['a'] } }),
      ).toMatchObject({ ok: false });
      await context.age(fenceExpirySeconds);
      await takeFence(context.fences, { holder: 'successor' });
      expect(await change({ put: [aStoredToken('b')], forget: ['a'] })).toMatchObject({
        error: { code: 'Fenced' },
      });
      expect([await stored(), await context.all()]).toMatchObject([[{ id: 'a' }], [{ seq: 1n }]]);
    });
  });
}

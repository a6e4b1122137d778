import { beforeEach, describe, expect, it } from '@jest/globals';
import { administrationScope, fenceExpirySeconds, shardScope, sourceScope } from '#ledger';
import { takeFence } from '#ledger/testing';
import { aDecisionDraft, appended } from '../../support/ledger-builders.ts';
import type { LedgerContext } from './ledger-context.ts';

/** What every implementation of `FencePort` does. */
export function describeFences(given: () => LedgerContext): void {
  let fences: LedgerContext['fences'];
  let age: LedgerContext['age'];
  let fence: LedgerContext['fence'];
  let writer: LedgerContext['writer'];

  beforeEach(() => {
    ({ fences, age, fence, writer } = given());
  });

  describe('fences', () => {
    const scopes = [administrationScope, shardScope(0), sourceScope('policies')];
    const other = 'other';
    const held = { ok: false, error: { code: 'ScopeHeld' } };
    const lost = { ok: false, error: { code: 'Fenced' } };

    it('are taken all or none', async () => {
      expect(await fences.take(scopes, other)).toEqual(held);
      const rest = scopes.filter((scope) => scope !== fence.scope);
      const taken = await fences.take(rest, other);
      expect(taken).toEqual({
        ok: true,
        value: rest.map((scope) => ({ scope, epoch: 1n, holder: other })),
      });
    });

    it('are taken over once they are as old as a fence may be, and not a second before', async () => {
      await age(fenceExpirySeconds - 1);
      expect(await fences.take([fence.scope], other)).toEqual(held);
      await age(1);
      expect(await fences.take([fence.scope], other)).toEqual({
        ok: true,
        value: [{ ...fence, epoch: 2n, holder: other }],
      });
      expect(await fences.renew([fence])).toEqual(lost);
    });

    it('are kept by renewals', async () => {
      for (let round = 0; round < 3; round += 1) {
        await age(fenceExpirySeconds - 1);
        expect(await fences.renew([fence])).toEqual({ ok: true, value: undefined });
      }
      expect(await fences.take([fence.scope], other)).toEqual(held);
    });

    it('are renewed all or none', async () => {
      const second = await takeFence(fences, { scope: administrationScope });
      await age(fenceExpirySeconds);
      await takeFence(fences, { scope: administrationScope, holder: other });
      expect(await fences.renew([fence, second])).toEqual(lost);
      expect(await fences.take([fence.scope], other)).toMatchObject({ ok: true });
    });

    it('are renewed also after they have expired, as long as no other process took them over', async () => {
      await age(fenceExpirySeconds * 4);
      expect(await fences.renew([fence])).toEqual({ ok: true, value: undefined });
      appended(await writer.append({ drafts: [aDecisionDraft()] }));
    });

    it('are free at once when they are given up', async () => {
      await fences.giveUp([fence]);
      expect(await writer.append({ drafts: [aDecisionDraft()] })).toEqual(lost);
      expect(await fences.take([fence.scope], other)).toMatchObject({ ok: true, value: [{ epoch: 2n }] });
    });

    it('are not given up by a process that has lost them', async () => {
      await age(fenceExpirySeconds);
      const later = await takeFence(fences, { holder: other });
      await fences.giveUp([fence]);
      expect(await fences.renew([later])).toEqual({ ok: true, value: undefined });
    });

    it('are taken again by their own holder, whose answer may have been lost', async () => {
      expect(await fences.take([fence.scope], fence.holder)).toEqual({
        ok: true,
        value: [{ ...fence, epoch: 2n }],
      });
    });
  });
}

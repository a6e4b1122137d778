import { beforeEach, describe, expect, it } from '@jest/globals';
import { administrationScope, fenceExpirySeconds, shardLayoutScope, shardScope, sourceScope } from '#ledger';
import { takeFence } from '#ledger/testing';
import { aDecisionDraft, appended } from '../../support/ledger-builders.ts';
import type { LedgerContext } from './ledger-context.ts';

/** What every implementation of `FencePort` does. */
export function describeFences(given: () => LedgerContext): void {
  let fences: LedgerContext['fences'];
  let age: LedgerContext['age'];
  let fence: LedgerContext['fence'];
  let writer: LedgerContext['writer'];
  let layout: LedgerContext['layout'];

  beforeEach(() => {
    ({ fences, age, fence, writer, layout } = given());
  });

  describe('the number of shards', () => {
    it('is not stored before it was changed, changes with its record, and is about to while its scope is held', async () => {
      expect(await layout.read()).toEqual({ shardCount: null, isChanging: false });
      await takeFence(fences, { scope: shardLayoutScope });
      expect(await layout.read()).toEqual({ shardCount: null, isChanging: true });
      appended(await writer.append({ drafts: [aDecisionDraft()], shardCount: 32 }));
      expect(await layout.read()).toEqual({ shardCount: 32, isChanging: true });
      await age(fenceExpirySeconds);
      expect(await layout.read()).toEqual({ shardCount: 32, isChanging: false });
    });

    it('stays where what changes it is refused', async () => {
      await age(fenceExpirySeconds);
      await takeFence(fences, { scope: fence.scope, holder: 'other' });
      expect(await writer.append({ drafts: [aDecisionDraft()], shardCount: 32 })).toMatchObject({
        ok: false,
      });
      expect(await layout.read()).toEqual({ shardCount: null, isChanging: false });
    });
  });

  describe('fences', () => {
    const scopes = [administrationScope, shardScope(0), sourceScope('policies')];
    const other = 'other';
    const url = 'http://other:8080';
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

    it('are asked after also where there are none, which changes nothing', async () => {
      await age(fenceExpirySeconds - 1);
      expect(await fences.renew([])).toEqual({ ok: true, value: undefined });
      await age(1);
      expect(await fences.take([fence.scope], other)).toMatchObject({ ok: true });
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

    it('are seen with their epochs and holders, and with how long these have been silent', async () => {
      await fences.take([administrationScope], other);
      const silentMilliseconds = expect.any(Number);
      const seen = await fences.look([administrationScope, fence.scope, 'source/none']);
      expect(seen).toEqual([
        { scope: administrationScope, epoch: 1n, holder: other, silentMilliseconds, url: null },
        { ...fence, silentMilliseconds, url: null },
        { scope: 'source/none', epoch: 0n, holder: null, silentMilliseconds: null, url: null },
      ]);
      for (const { silentMilliseconds: silent } of seen) expect(silent ?? 0).toBeGreaterThanOrEqual(0);
      expect(await fences.look([])).toEqual([]);
    });

    it('are taken by an election from a holder whose Lease has expired, and only as they were seen', async () => {
      const scopes = [fence.scope, sourceScope('policies')];
      const seen = await fences.look(scopes);
      const elected = { holder: other, url, expired: ['another', fence.holder] };
      expect(await fences.takeElected(seen, elected)).toEqual({
        ok: true,
        value: [
          { scope: fence.scope, epoch: 2n, holder: other },
          { scope: sourceScope('policies'), epoch: 1n, holder: other },
        ],
      });
      expect(await writer.append({ drafts: [aDecisionDraft()] })).toEqual(lost);
      // Another winner, which was stopped before it took what it had seen.
      expect(
        await fences.takeElected(seen, { holder: 'late', url, expired: ['another', fence.holder] }),
      ).toEqual(held);
      expect(await fences.look([fence.scope])).toMatchObject([{ epoch: 2n, holder: other, url }]);
    });

    it('are waited for by an election that may not override: given up, or expired', async () => {
      const elected = { holder: other, url, expired: [] };
      const seen = await fences.look([fence.scope]);
      expect(await fences.takeElected(seen, elected)).toEqual(held);
      await age(fenceExpirySeconds);
      expect(await fences.takeElected(seen, elected)).toMatchObject({ ok: true, value: [{ epoch: 2n }] });
      await fences.giveUp([{ ...fence, epoch: 2n, holder: other }]);
      expect(await fences.takeElected(seen, elected)).toEqual(held);
      const free = await fences.look([fence.scope]);
      expect(free).toEqual([
        { scope: fence.scope, epoch: 2n, holder: null, silentMilliseconds: null, url: null },
      ]);
      expect(await fences.takeElected(free, elected)).toMatchObject({ ok: true, value: [{ epoch: 3n }] });
    });

    it('are waited for by an election that saw the Lease of another holder than theirs expire', async () => {
      const elected = { holder: other, url, expired: ['the holder of the Lease'] };
      const seen = await fences.look([fence.scope]);
      expect(await fences.takeElected(seen, elected)).toEqual(held);
      await age(fenceExpirySeconds);
      expect(await fences.takeElected(seen, elected)).toMatchObject({ ok: true, value: [{ epoch: 2n }] });
    });
  });
}

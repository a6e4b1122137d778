import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  chainEntries,
  emptyHead,
  fenceExpirySeconds,
  LedgerWriter,
  policyStream,
  sha256Hex,
  shardScope,
  sourceScope,
  verifyStream,
} from '#ledger';
import { takeFence } from '#ledger/testing';
import {
  aDecisionDraft,
  anIntentDraft,
  appended,
  aState,
  checkout,
  timeAfter,
} from '../../support/ledger-builders.ts';
import { cart, type LedgerContext, stream } from './ledger-context.ts';

const nothingElse = {
  conditions: [],
  forget: [],
  begin: [],
  end: [],
  tokens: { put: [], forget: [] },
  sources: [],
};

/** What appends of every implementation of `LedgerPort` do. */
export function describeAppend(given: () => LedgerContext): void {
  let port: LedgerContext['port'];
  let fences: LedgerContext['fences'];
  let age: LedgerContext['age'];
  let fence: LedgerContext['fence'];
  let writer: LedgerContext['writer'];
  let all: LedgerContext['all'];

  beforeEach(() => {
    ({ port, fences, age, fence, writer, all } = given());
  });

  describe('append', () => {
    it('numbers each stream from 1 and chains it', async () => {
      appended(await writer.append({ drafts: [aDecisionDraft(), anIntentDraft()] }));
      appended(await writer.append({ drafts: [aDecisionDraft({ policy: cart })] }));
      const entries = await port.streamEntries({ stream, after: 0n, limit: 10 });
      expect(entries.map(({ seq, kind }) => [seq, kind])).toEqual([
        [1n, 'Decision'],
        [2n, 'ScalingIntent'],
      ]);
      const heads = await port.listHeads({ limit: 10 });
      expect(heads.map((head) => [head.stream, head.seq])).toEqual([
        [policyStream(cart), 1n],
        [stream, 2n],
      ]);
      expect(verifyStream(entries, heads[1]!, sha256Hex)).toEqual({ ok: true, value: heads[1] });
    });

    it('gives a payload back as it was', async () => {
      const draft = aDecisionDraft({
        reason: 'größer\u0000 "als" \u2028 \ud83d\ude80',
        desiredReplicas: null,
      });
      appended(await writer.append({ drafts: [draft] }));
      expect((await port.entry({ stream, seq: 1n }))?.payload).toEqual(draft.payload);
    });

    it('gives decisions back that resemble each other, from one batch or many, and a writer that begins', async () => {
      const draftsOf = (from: number) =>
        [0, 1, 2].map((step) => aDecisionDraft({ time: timeAfter(from + step), desiredReplicas: step }));
      const others = draftsOf(0).map((draft) => ({ ...draft, stream: policyStream(cart) }));
      appended(await writer.append({ drafts: [...draftsOf(0), ...others] }));
      appended(await writer.append({ drafts: draftsOf(10) }));
      const another = new LedgerWriter({ port, fence, cluster: 'test' });
      appended(await another.append({ drafts: draftsOf(20) }));
      const entries = await port.streamEntries({ stream, after: 0n, limit: 10 });
      const drafts = [...draftsOf(0), ...draftsOf(10), ...draftsOf(20)];
      expect(entries.map(({ payload }) => payload)).toEqual(drafts.map(({ payload }) => payload));
      const [head] = await port.heads([stream]);
      expect(verifyStream(entries, head!, sha256Hex)).toEqual({ ok: true, value: head });
      expect(await all()).toHaveLength(12);
    });

    it('refuses a batch whose stream has moved, as a whole', async () => {
      const [first] = appended(await writer.append({ drafts: [aDecisionDraft()] }));
      const before = [emptyHead(stream)];
      const other = { ...first!, hash: '2'.repeat(64) };
      const after = [{ stream, seq: 1n, hash: other.hash }];
      const batch = { id: 'a', fences: [fence], before, after, states: [aState(cart)], ...nothingElse };
      expect(await port.append({ ...batch, entries: [other] })).toEqual({
        ok: false,
        error: { code: 'HeadMoved' },
      });
      const wrongHash = [{ stream, seq: 1n, hash: '1'.repeat(64) }];
      expect(await port.append({ ...batch, before: wrongHash, entries: [{ ...other, seq: 2n }] })).toEqual({
        ok: false,
        error: { code: 'HeadMoved' },
      });
      expect(await all()).toHaveLength(1);
      expect(await port.policyStates([cart, checkout])).toEqual([]);
    });

    it('lets two writers of one stream go on from each other', async () => {
      const other = new LedgerWriter({ port, fence, cluster: 'test' });
      for (let round = 0; round < 3; round += 1) {
        appended(await writer.append({ drafts: [aDecisionDraft({ time: timeAfter(round) })] }));
        appended(await other.append({ drafts: [aDecisionDraft({ time: timeAfter(round) })] }));
      }
      const [head] = await port.heads([stream]);
      expect(head?.seq).toBe(6n);
      expect(verifyStream(await all(), head!, sha256Hex)).toMatchObject({ ok: true });
    });

    it('stores a batch once, however often it is appended', async () => {
      const [first] = appended(await writer.append({ drafts: [aDecisionDraft()] }));
      const head = { stream, seq: 1n, hash: first!.hash };
      const link = chainEntries({
        cluster: 'test',
        heads: new Map([[stream, head]]),
        drafts: [aDecisionDraft()],
      });
      const { entries, heads } = link.ok ? link.value : { entries: [], heads: new Map() };
      const batch = { id: 'a', fences: [fence], entries, before: [head], after: [...heads.values()] };
      const states = [aState(checkout)];
      for (let attempt = 0; attempt < 3; attempt += 1) {
        expect(await port.append({ ...batch, states, ...nothingElse })).toEqual({
          ok: true,
          value: undefined,
        });
      }
      expect(await all()).toHaveLength(2);
      const refused = { ok: false, error: { code: 'HeadMoved' } };
      expect(await port.append({ ...batch, id: 'b', states, ...nothingElse })).toEqual(refused);
      await age(fenceExpirySeconds);
      await takeFence(fences, { holder: 'successor' });
      expect(await port.append({ ...batch, states, ...nothingElse })).toMatchObject({
        error: { code: 'Fenced' },
      });
      expect(await all()).toHaveLength(2);
    });

    it('refuses an append under a fence that was taken over', async () => {
      appended(await writer.append({ drafts: [aDecisionDraft()] }));
      await age(fenceExpirySeconds);
      const later = await takeFence(fences, { holder: 'successor' });
      expect(later.epoch).toBe(fence.epoch + 1n);
      expect(await writer.append({ drafts: [aDecisionDraft()] })).toEqual({
        ok: false,
        error: { code: 'Fenced' },
      });
      const successor = new LedgerWriter({ port, fence: later, cluster: 'test' });
      appended(await successor.append({ drafts: [aDecisionDraft()] }));
      expect(await all()).toHaveLength(2);
    });

    it.each([
      { name: 'another epoch', change: { epoch: 2n } },
      { name: 'another holder', change: { holder: 'somebody' } },
      { name: 'a scope that was never taken', change: { scope: 'shard/7' } },
    ])('refuses an append under a fence of $name', async ({ change }) => {
      const forged = new LedgerWriter({ port, fence: { ...fence, ...change }, cluster: 'test' });
      const refused = { ok: false, error: { code: 'Fenced' } };
      expect(await forged.append({ drafts: [aDecisionDraft()] })).toEqual(refused);
      expect(await forged.append({ drafts: [], states: [aState(cart)] })).toEqual(refused);
      expect(await all()).toEqual([]);
      expect(await port.policyStates([cart, checkout])).toEqual([]);
    });

    it('stores a request under all of its fences or not at all', async () => {
      const scope = shardScope(3);
      const both = writer.under([fence, await takeFence(fences, { scope })]);
      appended(await both.append({ drafts: [aDecisionDraft(), aDecisionDraft({ policy: cart })] }));
      await age(fenceExpirySeconds);
      await fences.renew([fence]);
      await takeFence(fences, { scope, holder: 'successor' });
      const refused = { ok: false, error: { code: 'Fenced' } };
      expect(await both.append({ drafts: [aDecisionDraft()] })).toEqual(refused);
      // The fence that is in force still serves.
      appended(await writer.append({ drafts: [aDecisionDraft()] }));
      expect(await all()).toHaveLength(3);
    });

    it('keeps scopes apart', async () => {
      const shard = await takeFence(fences, { scope: shardScope(3), holder: 'other' });
      appended(await writer.append({ drafts: [aDecisionDraft()] }));
      expect(shard.epoch).toBe(1n);
    });

    it('stores requests of several scopes in one batch, and refuses only those whose fence is lost', async () => {
      const sync = writer.under(await takeFence(fences, { scope: sourceScope('policies') }));
      await age(fenceExpirySeconds);
      await fences.renew([fence]);
      await takeFence(fences, { scope: sourceScope('policies'), holder: 'successor' });
      const answers = await Promise.all([
        writer.append({ drafts: [aDecisionDraft()] }),
        sync.append({ drafts: [aDecisionDraft({ policy: cart })] }),
        writer.append({ drafts: [aDecisionDraft()] }),
      ]);
      expect(answers.map(({ ok }) => ok)).toEqual([true, false, true]);
      expect((await all()).map((entry) => entry.stream)).toEqual([stream, stream]);
    });
  });
}

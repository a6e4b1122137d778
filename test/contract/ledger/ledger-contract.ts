import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  emptyHead,
  type EntryCursor,
  entryId,
  entryKinds,
  type EntryQuery,
  type Fence,
  type LedgerEntry,
  type LedgerPort,
  LedgerWriter,
  policyStream,
  verifyStream,
} from '#ledger';
import {
  aDecision,
  aDecisionDraft,
  anEventDraft,
  anIntentDraft,
  appended,
  aState,
  checkout,
  timeAfter,
} from '../../support/ledger-builders.ts';

/** A ledger under test. */
export interface LedgerUnderTest {
  /** A ledger without entries. */
  readonly empty: () => Promise<LedgerPort>;
  readonly end: () => Promise<void>;
}

const cart = { namespace: 'shop', name: 'cart' };
const stream = policyStream(checkout);

/** What every implementation of `LedgerPort` does. */
export function describeLedgerPort(name: string, { empty, end }: LedgerUnderTest): void {
  describe(`LedgerPort: ${name}`, () => {
    let port: LedgerPort;
    let fence: Fence;
    let writer: LedgerWriter;

    beforeEach(async () => {
      port = await empty();
      fence = await port.takeOver('ledger');
      writer = new LedgerWriter({ port, fence, cluster: 'test' });
    });

    afterAll(end);

    const all = async (query: Partial<EntryQuery> = {}): Promise<readonly LedgerEntry[]> => {
      const page = await port.entries({ kinds: entryKinds, order: 'OldestFirst', limit: 1_000, ...query });
      return page.items.map(({ entry }) => entry);
    };

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
        expect(verifyStream(entries, heads[1]!)).toEqual({ ok: true, value: heads[1] });
      });

      it('gives a payload back as it was', async () => {
        const draft = aDecisionDraft({
          reason: 'größer\u0000 "als" \u2028 \ud83d\ude80',
          desiredReplicas: null,
        });
        appended(await writer.append({ drafts: [draft] }));
        expect((await port.entry({ stream, seq: 1n }))?.payload).toEqual(draft.payload);
      });

      it('refuses a batch whose stream has moved, as a whole', async () => {
        const [first] = appended(await writer.append({ drafts: [aDecisionDraft()] }));
        const before = [emptyHead(stream)];
        const after = [{ stream, seq: 1n, hash: first!.hash }];
        const batch = { fence, before, after, states: [aState(cart)], forget: [] };
        expect(await port.append({ ...batch, entries: [first!] })).toEqual({
          ok: false,
          error: { code: 'HeadMoved' },
        });
        const wrongHash = [{ stream, seq: 1n, hash: '1'.repeat(64) }];
        expect(await port.append({ ...batch, before: wrongHash, entries: [{ ...first!, seq: 2n }] })).toEqual(
          {
            ok: false,
            error: { code: 'HeadMoved' },
          },
        );
        expect(await all()).toHaveLength(1);
        expect(await port.policyStates({ limit: 10 })).toEqual([]);
      });

      it('lets two writers of one stream go on from each other', async () => {
        const other = new LedgerWriter({ port, fence, cluster: 'test' });
        for (let round = 0; round < 3; round += 1) {
          appended(await writer.append({ drafts: [aDecisionDraft({ time: timeAfter(round) })] }));
          appended(await other.append({ drafts: [aDecisionDraft({ time: timeAfter(round) })] }));
        }
        const [head] = await port.heads([stream]);
        expect(head?.seq).toBe(6n);
        expect(verifyStream(await all(), head!)).toMatchObject({ ok: true });
      });

      it('refuses an append under a fence that was taken over', async () => {
        appended(await writer.append({ drafts: [aDecisionDraft()] }));
        const later = await port.takeOver('ledger');
        expect(later.epoch).toBe(fence.epoch + 1n);
        expect(await writer.append({ drafts: [aDecisionDraft()] })).toEqual({
          ok: false,
          error: { code: 'Fenced' },
        });
        const successor = new LedgerWriter({ port, fence: later, cluster: 'test' });
        appended(await successor.append({ drafts: [aDecisionDraft()] }));
        expect(await all()).toHaveLength(2);
      });

      it('keeps scopes apart', async () => {
        const shard = await port.takeOver('shard-3');
        appended(await writer.append({ drafts: [aDecisionDraft()] }));
        expect(shard.epoch).toBe(1n);
      });
    });

    describe('intents', () => {
      const openIntent = async (): Promise<string> => {
        const [intent] = appended(await writer.append({ drafts: [anIntentDraft()] }));
        return entryId(intent!);
      };

      it('lists an intent until its outcome is there', async () => {
        const intent = await openIntent();
        const pending = await port.pendingIntents({ limit: 10 });
        expect(pending.map(entryId)).toEqual([intent]);
        appended(await writer.append({ drafts: [anEventDraft({ intent })] }));
        expect(await port.pendingIntents({ limit: 10 })).toEqual([]);
      });

      it('allows exactly one outcome', async () => {
        const intent = await openIntent();
        appended(await writer.append({ drafts: [anEventDraft({ intent })] }));
        for (const again of [intent, `${stream}#9`, 'nonsense']) {
          expect(await writer.append({ drafts: [anEventDraft({ intent: again })] })).toEqual({
            ok: false,
            error: { code: 'IntentNotPending' },
          });
        }
        expect(await all({ kinds: ['ScalingEvent'] })).toHaveLength(1);
      });

      it('allows one open intent a policy', async () => {
        const intent = await openIntent();
        expect(await writer.append({ drafts: [anIntentDraft()] })).toEqual({
          ok: false,
          error: { code: 'IntentPending' },
        });
        appended(await writer.append({ drafts: [anEventDraft({ intent }), anIntentDraft()] }));
        expect(await port.pendingIntents({ limit: 10 })).toHaveLength(1);
      });

      it('pages by stream', async () => {
        const names = ['c', 'a', 'b'];
        for (const name of names)
          appended(await writer.append({ drafts: [anIntentDraft({ policy: { namespace: 'shop', name } })] }));
        const page = await port.pendingIntents({ limit: 2 });
        expect(page.map((entry) => entry.stream)).toEqual(['policy:shop/a', 'policy:shop/b']);
        const rest = await port.pendingIntents({ limit: 2, after: 'policy:shop/b' });
        expect(rest.map((entry) => entry.stream)).toEqual(['policy:shop/c']);
      });
    });

    describe('policy states', () => {
      it('keeps the last state of each policy', async () => {
        const state = aState(checkout, {
          memoryIfWritten: { lastScaleTime: timeAfter(1) },
          lastDecision: { entry: `${stream}#1`, decision: aDecision() },
          strategy: {
            selectionStrategy: 'OwnerReference',
            writtenSelectionStrategy: 'OwnerReference',
            actuation: 'Scale',
            algorithm: 'Utilization',
            enabled: 'true',
          },
        });
        appended(await writer.append({ drafts: [], states: [aState(cart), aState(checkout)] }));
        appended(await writer.append({ drafts: [], states: [state] }));
        expect(await port.policyStates({ limit: 10 })).toEqual([aState(cart), state]);
      });

      it('forgets what was pruned', async () => {
        appended(await writer.append({ drafts: [], states: [aState(cart), aState(checkout)] }));
        appended(await writer.append({ drafts: [], forget: [cart] }));
        expect(await port.policyStates({ limit: 10 })).toEqual([aState(checkout)]);
      });

      it('pages by name', async () => {
        appended(await writer.append({ drafts: [], states: [aState(cart), aState(checkout)] }));
        expect(await port.policyStates({ limit: 1 })).toEqual([aState(cart)]);
        expect(await port.policyStates({ limit: 1, after: policyStream(cart) })).toEqual([aState(checkout)]);
      });
    });

    describe('entries', () => {
      // Two of each second, so that pages break between entries of one time.
      const seed = async (): Promise<void> => {
        const drafts = Array.from({ length: 10 }, (_, index) => {
          const time = timeAfter(Math.floor(index / 2));
          const policy = index % 2 === 0 ? checkout : cart;
          return index === 4 || index === 5
            ? anEventDraft({ policy, to: index }, time)
            : aDecisionDraft({ policy, time, action: index < 4 ? 'ScaleUp' : 'Hold', reason: `${index}` });
        });
        appended(await writer.append({ drafts }));
      };

      const walk = async (query: EntryQuery): Promise<readonly string[]> => {
        const ids: string[] = [];
        let after: EntryCursor | undefined;
        for (let page = 0; page < 20; page += 1) {
          const found = await port.entries({ ...query, ...(after === undefined ? {} : { after }) });
          ids.push(...found.items.map(({ entry }) => `${entry.stream.slice(12)}${entry.seq}`));
          if (!found.hasMore) return ids;
          expect(found.items).toHaveLength(query.limit);
          after = found.items.at(-1)?.cursor;
        }
        throw new Error('the list never ended');
      };

      const inOrder = ['checkout1', 'cart1', 'checkout2', 'cart2', 'checkout3', 'cart3'];
      const rest = ['checkout4', 'cart4', 'checkout5', 'cart5'];
      const everything = [...inOrder, ...rest];
      const cases: readonly { name: string; given: Partial<EntryQuery>; want: readonly string[] }[] = [
        { name: 'all, oldest first', given: {}, want: everything },
        { name: 'all, newest first', given: { order: 'NewestFirst' }, want: everything.toReversed() },
        { name: 'of one stream', given: { stream }, want: everything.filter((id) => id.startsWith('ch')) },
        { name: 'of one kind', given: { kinds: ['ScalingEvent'] }, want: ['checkout3', 'cart3'] },
        { name: 'of one kind and stream', given: { kinds: ['ScalingEvent'], stream }, want: ['checkout3'] },
        { name: 'with one action', given: { action: 'ScaleUp' }, want: inOrder.slice(0, 4) },
        {
          name: 'with one action of one stream, newest first',
          given: { kinds: ['Decision'], action: 'Hold', stream, order: 'NewestFirst' },
          want: ['checkout5', 'checkout4'],
        },
        {
          name: 'from a time',
          given: { from: nanoseconds(timeAfter(3)) },
          want: rest,
        },
        { name: 'until a time', given: { until: nanoseconds(timeAfter(3)) }, want: inOrder },
        { name: 'of an unknown stream', given: { stream: 'policy:shop/none' }, want: [] },
      ];

      it.each(cases)('lists $name, a page at a time', async ({ given, want }) => {
        await seed();
        for (const limit of [1, 3, 100])
          expect(await walk({ kinds: entryKinds, order: 'OldestFirst', limit, ...given })).toEqual(want);
      });

      it('keeps a cursor valid while entries arrive', async () => {
        await seed();
        const first = await port.entries({ kinds: ['Decision'], order: 'NewestFirst', limit: 2 });
        appended(await writer.append({ drafts: [aDecisionDraft({ time: timeAfter(60) })] }));
        const second = await port.entries({
          kinds: ['Decision'],
          order: 'NewestFirst',
          limit: 2,
          after: first.items[1]!.cursor,
        });
        expect(second.items.map(({ entry }) => entry.seq)).toEqual([4n, 4n]);
      });

      it('orders times to the nanosecond', async () => {
        const times = [
          '2026-11-20T12:00:00.000000002Z',
          '2026-11-20T12:00:00Z',
          '2026-11-20T12:00:00.000000001Z',
        ];
        appended(await writer.append({ drafts: times.map((time) => anEventDraft({}, time)) }));
        expect((await all()).map(({ seq }) => seq)).toEqual([2n, 3n, 1n]);
      });

      it('finds an entry by its address', async () => {
        await seed();
        expect(await port.entry({ stream, seq: 3n })).toMatchObject({
          stream,
          seq: 3n,
          kind: 'ScalingEvent',
        });
        expect(await port.entry({ stream, seq: 6n })).toBeNull();
      });
    });
  });
}

function nanoseconds(time: string): bigint {
  return BigInt(Date.parse(time)) * 1_000_000n;
}

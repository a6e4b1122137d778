import { beforeEach, describe, expect, it } from '@jest/globals';
import { type EntryCursor, entryKinds, type EntryQuery } from '#ledger';
import {
  aDecisionDraft,
  anEventDraft,
  appended,
  checkout,
  timeAfter,
} from '../../support/ledger-builders.ts';
import { cart, type LedgerContext, stream } from './ledger-context.ts';
import { describeNamespaceLists, describeRunLists } from './namespace-lists.ts';
import { describeReadsAtOnce } from './reads-at-once.ts';

/** What lists of entries have, and single entries. */
export function describeEntries(given: () => LedgerContext): void {
  let port: LedgerContext['port'];
  let writer: LedgerContext['writer'];
  let all: LedgerContext['all'];

  beforeEach(() => {
    ({ port, writer, all } = given());
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

    describeReadsAtOnce(() => ({ port, seed }));
    describeNamespaceLists(() => ({ port, writer }));
    describeRunLists(() => ({ port, writer }));

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

    it('finds the newest entry of a kind by its number, also where the clock was set back', async () => {
      const times = [timeAfter(60), timeAfter(0), timeAfter(30)];
      for (const time of times)
        appended(await writer.append({ drafts: [anEventDraft({}, time), aDecisionDraft({ time })] }));
      appended(await writer.append({ drafts: [anEventDraft({ policy: cart }, timeAfter(90))] }));
      for (const [kind, seq] of [
        ['ScalingEvent', 5n],
        ['Decision', 6n],
      ] as const) {
        const newest = await port.newestEntry({ stream, kind });
        expect(newest).toMatchObject({ stream, seq, kind, time: timeAfter(30) });
      }
      expect(await port.newestEntry({ stream, kind: 'StrategyChange' })).toBeNull();
      expect(await port.newestEntry({ stream: 'policy:shop/none', kind: 'Decision' })).toBeNull();
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
}

function nanoseconds(time: string): bigint {
  return BigInt(Date.parse(time)) * 1_000_000n;
}

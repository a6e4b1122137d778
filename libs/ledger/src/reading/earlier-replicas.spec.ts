import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '#kernel';
import type { LedgerEntry } from '../entries/entry.ts';
import type { EntryQuery } from '../ports/ledger.port.ts';
import { type EarlierReplicas, loadEarlierReplicas } from './earlier-replicas.ts';

const policy = { namespace: 'shop', name: 'web' };

/** Minutes after 21:00, with seconds where they matter. */
function at(minute: number, second = 0): string {
  return new Date(Date.UTC(2026, 10, 22, 21, minute, second)).toISOString();
}

function entry(time: string, kind: string, payload: JsonObject): LedgerEntry {
  return { time, kind, payload } as unknown as LedgerEntry;
}

function scaled(time: string, from: number, to: number): LedgerEntry {
  return entry(time, 'ScalingEvent', { from, to });
}

interface Told {
  readonly [name: string]: Json;
}

function override(time: string, then: Told, now: Told = { minReplicas: 1, maxReplicas: 40 }): LedgerEntry {
  const policies = [{ now, then: { ...now, pin: null, ...then } }];
  return entry(time, 'OperatorAction', {
    ...{ action: 'OverrideReplicas', outcome: 'Accepted', arguments: { policy: 'shop/web' } },
    effect: { policies },
  });
}

function refused(given: LedgerEntry): LedgerEntry {
  return entry(given.time, given.kind, { ...(given.payload as JsonObject), outcome: 'Refused' });
}

function commit(time: string, before: Told | null, after: Told | null): LedgerEntry {
  const document = (spec: Told | null): Json => (spec === null ? null : { spec });
  return entry(time, 'PolicyChange', { before: document(before), after: document(after) });
}

interface Row {
  readonly name: string;
  /** Oldest first. */
  readonly entries: readonly LedgerEntry[];
  readonly present: number;
  readonly want: EarlierReplicas | null;
}

const rows: readonly Row[] = [
  { name: 'nothing where nothing is recorded', entries: [], present: 6, want: null },
  {
    name: 'what ran before the first of several overrides',
    entries: [
      override(at(14), { pin: 6 }),
      scaled(at(15), 10, 6),
      override(at(20), { pin: 3 }),
      scaled(at(21), 6, 3),
    ],
    present: 3,
    want: { replicas: 10, at: at(14) },
  },
  {
    name: 'what ran before the first of several commits',
    entries: [
      commit(at(14), { maxReplicas: 10 }, { maxReplicas: 6 }),
      scaled(at(15), 10, 6),
      commit(at(20), { maxReplicas: 6 }, { maxReplicas: 4 }),
      scaled(at(21), 6, 4),
    ],
    present: 4,
    want: { replicas: 10, at: at(14) },
  },
  {
    name: "what ran before a schedule's lower maximum",
    entries: [
      commit(
        at(14),
        {
          maxReplicas: 40,
          schedules: [
            { name: 'night', maxReplicas: 8 },
            { name: 'low', maxReplicas: 2 },
          ],
        },
        {
          maxReplicas: 40,
          schedules: [
            { name: 'night', maxReplicas: 6 },
            { name: 'low', maxReplicas: 2 },
          ],
        },
      ),
      scaled(at(15), 8, 6),
    ],
    present: 6,
    want: { replicas: 8, at: at(14) },
  },
  {
    name: 'what ran before a policy was disabled and its count restored',
    entries: [
      commit(at(14), { maxReplicas: 40 }, { maxReplicas: 40, enabled: false, replicas: 6 }),
      scaled(at(15), 10, 6),
    ],
    present: 6,
    want: { replicas: 10, at: at(14) },
  },
  {
    name: 'what ran before a policy came again with less',
    entries: [
      commit(at(13), { maxReplicas: 10 }, null),
      commit(at(14), null, { maxReplicas: 6 }),
      scaled(at(15), 10, 6),
    ],
    present: 6,
    want: { replicas: 10, at: at(14) },
  },
  {
    name: 'what ran before a minimum was lowered, though metrics took it',
    entries: [
      override(at(14), { minReplicas: 5 }, { minReplicas: 9, maxReplicas: 40 }),
      scaled(at(30), 9, 5),
    ],
    present: 5,
    want: { replicas: 9, at: at(14) },
  },
  {
    name: 'nothing that metrics took at night before an override',
    entries: [
      scaled(at(1), 40, 20),
      scaled(at(10), 20, 4),
      override(at(14), { pin: 3 }),
      scaled(at(15), 4, 3),
    ],
    present: 3,
    want: { replicas: 4, at: at(14) },
  },
  {
    name: 'nothing that metrics took beside a bound which took nothing',
    entries: [commit(at(1), { maxReplicas: 50 }, { maxReplicas: 45 }), scaled(at(10), 40, 4)],
    present: 4,
    want: null,
  },
  {
    name: 'nothing of an override that raised the count',
    entries: [override(at(14), { pin: 20 }), scaled(at(15), 4, 20), scaled(at(30), 20, 4)],
    present: 4,
    want: null,
  },
  {
    name: 'nothing of an override that was refused',
    entries: [refused(override(at(14), { pin: 6 })), scaled(at(15), 10, 6)],
    present: 6,
    want: null,
  },
  {
    name: 'what ran before an override of an earlier release, which recorded no effect',
    entries: [
      entry(at(14), 'OperatorAction', {
        ...{
          action: 'OverrideReplicas',
          outcome: 'Accepted',
          arguments: { policy: 'shop/web', maxReplicas: 6 },
        },
      }),
      scaled(at(15), 10, 6),
    ],
    present: 6,
    want: { replicas: 10, at: at(14) },
  },
  {
    name: 'what ran before an override whose change another replica recorded with a clock behind',
    entries: [scaled(at(13, 57), 10, 6), override(at(14), { pin: 6 })],
    present: 6,
    want: { replicas: 10, at: at(14) },
  },
  {
    name: 'nothing that went clearly before an override',
    entries: [scaled(at(13, 54), 10, 6), override(at(14), { pin: 5 })],
    present: 5,
    want: null,
  },
];

describe('what overrides and commits lowered a count from', () => {
  it.each(rows)('is $name', async ({ entries, present, want }) => {
    const newestFirst = entries.toReversed();
    const ledger = {
      entries: ({ from }: EntryQuery) => {
        expect(from).toBe(BigInt(Date.parse(at(0))) * 1_000_000n);
        return Promise.resolve({
          items: newestFirst.map((found) => ({
            entry: found,
            cursor: { timeNanoseconds: 0n, position: 0n },
          })),
          hasMore: false,
        });
      },
    };
    expect(await loadEarlierReplicas(ledger, { policy, present, since: at(0) })).toEqual(want);
  });

  it('is not known where more is recorded than five pages hold', async () => {
    let pages = 0;
    const ledger = {
      entries: () => {
        pages += 1;
        const cursor = { timeNanoseconds: 0n, position: 0n };
        return Promise.resolve({ items: [{ entry: scaled(at(1), 10, 6), cursor }], hasMore: true });
      },
    };
    const found = await loadEarlierReplicas(ledger, { policy, present: 6, since: at(0) });
    expect([found, pages]).toEqual([{ replicas: null, at: at(0) }, 5]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { type ChainedEntry, chainEntries, type StreamHead } from '#ledger';
import { aDecisionDraft, anEventDraft, timeAfter } from '../../../../test/support/ledger-builders.ts';
import { basesOf } from '../entries/entry-rows.ts';
import { type PackedEntry, type PackingBase, PayloadPacker } from './payload-packer.ts';

const stream = 'policy:shop/checkout';
const day = 24 * 3_600;

function chained(drafts: Parameters<typeof chainEntries>[0]['drafts'], heads: readonly StreamHead[] = []) {
  const before = new Map(heads.map((head) => [head.stream, head]));
  const result = chainEntries({ cluster: 'test', heads: before, drafts });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

async function basesAfter(
  packer: PayloadPacker,
  entries: readonly ChainedEntry[],
  begun: readonly string[] = [],
): Promise<readonly (bigint | null)[]> {
  const { packed, stored } = await packer.pack(entries, new Set(begun));
  stored();
  return entries.flatMap((entry) => packed.get(entry)?.baseSeq ?? (packed.has(entry) ? null : []));
}

describe('PayloadPacker', () => {
  const noBases = (): Promise<readonly PackingBase[]> => Promise.resolve([]);

  it('packs decisions with the first of them, and nothing else', async () => {
    const { entries } = chained([
      aDecisionDraft(),
      anEventDraft({}, timeAfter(1)),
      aDecisionDraft({ time: timeAfter(2) }),
      aDecisionDraft({ time: timeAfter(3) }),
    ]);
    expect(await basesAfter(new PayloadPacker(noBases), entries)).toEqual([null, 1n, 1n]);
  });

  it.each([
    { name: 'a day after its base', time: timeAfter(day), reason: 'the count is right' },
    { name: 'a day before its base', time: timeAfter(-day), reason: 'the count is right' },
    {
      name: 'unlike its base',
      time: timeAfter(1),
      reason: Array.from({ length: 900 }, (_, index) => (index * index * 7_919) % 9_973).join(' '),
    },
  ])('packs a decision $name without it, and the next ones with that', async ({ time, reason }) => {
    const { entries } = chained([
      aDecisionDraft(),
      aDecisionDraft({ time, reason }),
      aDecisionDraft({ time, reason }),
    ]);
    expect(await basesAfter(new PayloadPacker(noBases), entries)).toEqual([null, null, 2n]);
  });

  it('reads the base of a stream that it does not know, once, and none for a stream that begins', async () => {
    const first = chained([aDecisionDraft()]);
    const [entry] = first.entries;
    const before = new PayloadPacker(noBases);
    const { packed } = await before.pack(first.entries, new Set());
    const { payload } = packed.get(entry!)!;
    const asked: (readonly string[])[] = [];
    const packer = new PayloadPacker((streams) => {
      asked.push(streams);
      const base: PackingBase = {
        stream,
        seq: 1n,
        timeNanoseconds: entry!.timeNanoseconds,
        dictionary: payload.dictionary,
        parts: { around: entry!.payloadText, observation: '{}' },
        bytes: payload.packed.length,
      };
      return Promise.resolve([base]);
    });
    const heads = [...first.heads.values()];
    const second = chained([aDecisionDraft({ time: timeAfter(1) })], heads);
    expect(await basesAfter(packer, second.entries, [stream])).toEqual([1n]);
    const third = chained([aDecisionDraft({ time: timeAfter(2) })], [...second.heads.values()]);
    expect(await basesAfter(packer, third.entries, [stream])).toEqual([1n]);
    expect(asked).toEqual([[stream]]);
    const cart = chained([aDecisionDraft({ policy: { namespace: 'shop', name: 'cart' } })]);
    expect(await basesAfter(packer, cart.entries)).toEqual([null]);
    expect(asked).toEqual([[stream]]);
    packer.forget([stream]);
    const fourth = chained([aDecisionDraft({ time: timeAfter(3) })], [...third.heads.values()]);
    expect(await basesAfter(packer, fourth.entries, [stream])).toEqual([1n]);
    expect(asked).toEqual([[stream], [stream]]);
  });

  it('begins few of the decisions of a batch, and reads few of their bases, in one turn of the loop', async () => {
    const streams = Array.from({ length: 200 }, (_, index) => `p${index}`);
    const { entries } = chained(
      streams.map((name) => aDecisionDraft({ policy: { namespace: 'shop', name } })),
    );
    const turns = new Turns();
    const watched = entries.map((entry) => turns.watch(entry, 'payloadText'));
    const { packed } = await new PayloadPacker(noBases).pack(watched, new Set());
    expect(packed.size).toBe(200);
    // Each is looked at twice.
    expect(turns.end()).toBeLessThanOrEqual(16);

    const reading = new Turns();
    const rows = [...packed].map(([entry, { payload }]) =>
      reading.watch(rowOf(entry, payload), 'dictionary'),
    );
    expect((await basesOf(rows)).map(({ stream: name }) => name)).toEqual(
      entries.map(({ stream: name }) => name),
    );
    expect(reading.end()).toBeLessThanOrEqual(128);
  });

  it('forgets the base of a batch that was not stored', async () => {
    const packer = new PayloadPacker(noBases);
    const first = chained([aDecisionDraft()]);
    await packer.pack(first.entries, new Set());
    const second = chained([aDecisionDraft({ time: timeAfter(1) })], [...first.heads.values()]);
    expect(await basesAfter(packer, second.entries, [stream])).toEqual([null]);
  });
});

function rowOf({ stream: name, seq, timeNanoseconds }: ChainedEntry, payload: PackedEntry['payload']) {
  return { stream: name, seq, time_nanoseconds: timeNanoseconds, ...payload };
}

/** Counts how often a property is read between two turns of the loop. */
class Turns {
  #most = 0;
  #present = 0;
  #hasEnded = false;

  constructor() {
    this.#turn();
  }

  watch<T extends object>(object: T, property: keyof T): T {
    return new Proxy(object, {
      get: (target, name, receiver) => {
        if (name === property) this.#present += 1;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
  }

  /** The most in one turn. */
  end(): number {
    this.#hasEnded = true;
    return Math.max(this.#most, this.#present);
  }

  #turn(): void {
    this.#most = Math.max(this.#most, this.#present);
    this.#present = 0;
    if (!this.#hasEnded) setImmediate(() => this.#turn());
  }
}

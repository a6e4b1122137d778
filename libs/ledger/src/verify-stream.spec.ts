import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aDecisionDraft, anEventDraft, timeAfter } from '../../../test/support/ledger-builders.ts';
import { type Chained, chainEntries } from './chain.ts';
import { emptyHead, type StreamHead } from './entry.ts';
import { policyStream } from './stream-name.ts';
import { type UnverifiedEntry, verifyStream } from './verify-stream.ts';

const stream = policyStream({ namespace: 'shop', name: 'checkout' });

function aChain(length: number): { readonly entries: readonly UnverifiedEntry[]; readonly head: StreamHead } {
  const drafts = Array.from({ length }, (_, index) =>
    index % 3 === 0
      ? aDecisionDraft({ time: timeAfter(index) })
      : anEventDraft({ to: index }, timeAfter(index)),
  );
  const chained = chainEntries({ cluster: 'test', heads: new Map(), drafts });
  if (!chained.ok) throw new Error(chained.error.message);
  return { entries: unverified(chained.value), head: chained.value.heads.get(stream) ?? emptyHead(stream) };
}

function unverified({ entries }: Chained): readonly UnverifiedEntry[] {
  return entries.map(({ payloadText, ...frame }) => ({
    stream: frame.stream,
    seq: frame.seq,
    cluster: frame.cluster,
    kind: frame.kind,
    time: frame.time,
    previousHash: frame.previousHash,
    hash: frame.hash,
    payload: JSON.parse(payloadText) as UnverifiedEntry['payload'],
  }));
}

describe('verifyStream', () => {
  it('accepts a chain as it was built, an empty one too', () => {
    for (const length of [0, 1, 20]) {
      const { entries, head } = aChain(length);
      expect(verifyStream(entries, head)).toEqual({ ok: true, value: head });
    }
  });

  const { entries, head } = aChain(5);
  const at = (index: number, change: Partial<UnverifiedEntry>): readonly UnverifiedEntry[] =>
    entries.map((entry, place) => (place === index ? { ...entry, ...change } : entry));

  it.each([
    { name: 'an edited payload', given: at(2, { payload: { to: 99 } }), want: 'WrongHash', seq: 3n },
    { name: 'an edited time', given: at(2, { time: timeAfter(9) }), want: 'WrongHash', seq: 3n },
    { name: 'an edited kind', given: at(2, { kind: 'Checkpoint' }), want: 'WrongHash', seq: 3n },
    { name: 'an edited cluster', given: at(2, { cluster: 'other' }), want: 'WrongHash', seq: 3n },
    { name: 'an edited hash', given: at(2, { hash: '0'.repeat(64) }), want: 'WrongHash', seq: 3n },
    {
      name: 'another predecessor',
      given: at(2, { previousHash: head.hash }),
      want: 'WrongPredecessor',
      seq: 3n,
    },
    { name: 'an entry of another stream', given: at(2, { stream: 'sync' }), want: 'WrongStream', seq: 3n },
    { name: 'a deleted entry', given: entries.toSpliced(1, 1), want: 'WrongSequence', seq: 2n },
    { name: 'a repeated entry', given: entries.toSpliced(1, 0, entries[0]!), want: 'WrongSequence', seq: 2n },
    { name: 'a reordering', given: entries.toReversed(), want: 'WrongSequence', seq: 1n },
    { name: 'a cut end', given: entries.slice(0, 4), want: 'Truncated', seq: 5n },
    { name: 'a stream that was emptied', given: [], want: 'Truncated', seq: 1n },
  ])('finds $name', ({ given, want, seq }) => {
    expect(verifyStream(given, head)).toMatchObject({ ok: false, error: { code: want, stream, seq } });
  });

  it('finds an entry beyond the head', () => {
    const beforeLast = { stream, seq: 4n, hash: entries[3]!.hash };
    expect(verifyStream(entries, beforeLast)).toMatchObject({ ok: false, error: { code: 'NotTheHead' } });
  });

  it('finds a tail that was chained anew, against the true head', () => {
    const forged = chainEntries({
      cluster: 'test',
      heads: new Map([[stream, { stream, seq: 3n, hash: entries[2]!.hash }]]),
      drafts: [anEventDraft({ to: 1 }), anEventDraft({ to: 2 })],
    });
    const given = [...entries.slice(0, 3), ...(forged.ok ? unverified(forged.value) : [])];
    expect(given).toHaveLength(5);
    expect(verifyStream(given, head)).toMatchObject({ ok: false, error: { code: 'NotTheHead', seq: 6n } });
  });

  it('finds any one change anywhere', () => {
    const chain = aChain(12);
    const place = fc.nat({ max: chain.entries.length - 1 });
    const tampering = fc.oneof(
      place.map((index) => chain.entries.toSpliced(index, 1)),
      fc
        .tuple(place, place)
        .filter(([a, b]) => a !== b)
        .map(([a, b]) => chain.entries.toSpliced(a, 1, chain.entries[b]!).toSpliced(b, 1, chain.entries[a]!)),
      fc.tuple(place, place).map(([a, b]) => chain.entries.toSpliced(a, 0, chain.entries[b]!)),
      fc
        .tuple(
          place,
          fc.constantFrom('time', 'kind', 'cluster', 'hash', 'previousHash', 'stream'),
          fc.string(),
        )
        .filter(([index, field, text]) => Reflect.get(chain.entries[index]!, field) !== text)
        .map(([index, field, text]) =>
          chain.entries.with(index, { ...chain.entries[index]!, [field]: text }),
        ),
      fc
        .tuple(place, fc.jsonValue({ maxDepth: 2 }))
        .map(([index, payload]) =>
          chain.entries.with(index, { ...chain.entries[index]!, payload: { forged: payload as string } }),
        ),
    );
    fc.assert(
      fc.property(tampering, (given) => {
        expect(verifyStream(given, chain.head).ok).toBe(false);
      }),
    );
  });
});

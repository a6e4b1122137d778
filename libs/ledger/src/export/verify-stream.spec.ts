import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, type Json } from '#kernel';
import {
  aDecisionDraft,
  aDecisionPayload,
  anEventDraft,
  chainedInFormat1,
  timeAfter,
} from '../../../../test/support/ledger-builders.ts';
import { chainEntries } from '../append/chain.ts';
import { type ChainedEntry, emptyHead, type EntryDraft, type StreamHead } from '../entries/entry.ts';
import { hashEntryOfFormat1, payloadTexts } from '../entries/entry-hash.ts';
import { sha256Hex } from '../entries/hash.ts';
import { policyStream } from '../entries/stream-name.ts';
import { type UnverifiedEntry, verifyStream } from './verify-stream.ts';

const stream = policyStream({ namespace: 'shop', name: 'checkout' });

type WholeEntry = Extract<UnverifiedEntry, { readonly payload: Json }>;

interface Chain {
  readonly entries: readonly WholeEntry[];
  readonly head: StreamHead;
}

function draftsOf(length: number, from = 0): readonly EntryDraft[] {
  return Array.from({ length }, (_, index) =>
    index % 3 === 0
      ? aDecisionDraft({ time: timeAfter(from + index) })
      : anEventDraft({ to: index }, timeAfter(from + index)),
  );
}

function aChain(length: number): Chain {
  return chainedAfter({ entries: [], head: emptyHead(stream) }, draftsOf(length));
}

function chainedAfter({ entries, head }: Chain, drafts: readonly EntryDraft[]): Chain {
  const chained = chainEntries({ cluster: 'test', heads: new Map([[stream, head]]), drafts });
  if (!chained.ok) throw new Error(chained.error.message);
  return {
    entries: [...entries, ...chained.value.entries.map(unverified)],
    head: chained.value.heads.get(stream) ?? head,
  };
}

/** A stream that began in format 1, as it is read by a release that appends in format 2. */
function anUpgradedChain(): Chain {
  const entries = chainedInFormat1(draftsOf(4));
  const { seq, hash } = entries.at(-1)!;
  return chainedAfter({ entries: entries.map(unverified), head: { stream, seq, hash } }, draftsOf(4, 4));
}

function unverified(entry: ChainedEntry): WholeEntry {
  const { format, stream, seq, cluster, kind, time, previousHash, hash, payloadText } = entry;
  const payload = JSON.parse(payloadText) as Json;
  return { format, stream, seq, cluster, kind, time, previousHash, hash, payload };
}

function withoutPayload({ payload, ...frame }: WholeEntry): UnverifiedEntry {
  return { ...frame, payloadHash: sha256Hex(payloadTexts(frame.kind, payload, sha256Hex).hashedText) };
}

function withoutObservation({ payload, ...frame }: WholeEntry): UnverifiedEntry {
  return {
    ...frame,
    hashedPayload: JSON.parse(payloadTexts(frame.kind, payload, sha256Hex).hashedText) as Json,
  };
}

describe('verifyStream', () => {
  it('accepts a chain as it was built, an empty one too', () => {
    for (const length of [0, 1, 20]) {
      const { entries, head } = aChain(length);
      expect(verifyStream(entries, head, sha256Hex)).toEqual({ ok: true, value: head });
    }
  });

  const { entries, head } = aChain(5);
  const at = (index: number, change: Partial<WholeEntry>): readonly UnverifiedEntry[] =>
    entries.map((entry, place) => (place === index ? { ...entry, ...change } : entry));

  it.each([
    { name: 'an edited payload', given: at(2, { payload: { to: 99 } }), want: 'WrongHash', seq: 3n },
    { name: 'an edited time', given: at(2, { time: timeAfter(9) }), want: 'WrongHash', seq: 3n },
    { name: 'an edited kind', given: at(2, { kind: 'Checkpoint' }), want: 'WrongHash', seq: 3n },
    { name: 'an edited cluster', given: at(2, { cluster: 'other' }), want: 'WrongHash', seq: 3n },
    { name: 'an edited format', given: at(2, { format: 1 }), want: 'WrongFormat', seq: 3n },
    { name: 'an unknown format', given: at(2, { format: 3 }), want: 'WrongFormat', seq: 3n },
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
    expect(verifyStream(given, head, sha256Hex)).toMatchObject({
      ok: false,
      error: { code: want, stream, seq },
    });
  });

  it('finds an entry beyond the head', () => {
    const beforeLast = { stream, seq: 4n, hash: entries[3]!.hash };
    expect(verifyStream(entries, beforeLast, sha256Hex)).toMatchObject({
      ok: false,
      error: { code: 'NotTheHead' },
    });
  });

  it('finds a tail that was chained anew, against the true head', () => {
    const forged = chainEntries({
      cluster: 'test',
      heads: new Map([[stream, { stream, seq: 3n, hash: entries[2]!.hash }]]),
      drafts: [anEventDraft({ to: 1 }), anEventDraft({ to: 2 })],
    });
    const given = [...entries.slice(0, 3), ...(forged.ok ? forged.value.entries.map(unverified) : [])];
    expect(given).toHaveLength(5);
    expect(verifyStream(given, head, sha256Hex)).toMatchObject({
      ok: false,
      error: { code: 'NotTheHead', seq: 6n },
    });
  });

  describe('an entry whose content is left out', () => {
    const decision = entries[0]!;

    it.each([
      { name: 'every payload', given: entries.map(withoutPayload) },
      { name: 'an observation', given: [withoutObservation(decision), ...entries.slice(1)] },
    ])('leaves the chain verifiable without $name', ({ given }) => {
      expect(verifyStream(given, head, sha256Hex)).toEqual({ ok: true, value: head });
    });

    it.each<{ name: string; given: UnverifiedEntry; want: string }>([
      {
        name: 'another payload hash',
        given: { ...withoutPayload(decision), payloadHash: 'a'.repeat(64) },
        want: 'WrongHash',
      },
      {
        name: 'a payload hash that is none',
        given: { ...withoutPayload(decision), payloadHash: 'a","kind":"x' },
        want: 'ContentMissing',
      },
      {
        name: 'a decision whose observation is said to be its hash',
        given: {
          ...decision,
          payload: JSON.parse(payloadTexts('Decision', decision.payload, sha256Hex).hashedText) as Json,
        },
        want: 'WrongHash',
      },
      {
        name: 'a decision without its observation that has it',
        given: { ...withoutObservation(decision), hashedPayload: decision.payload },
        want: 'ContentMissing',
      },
      {
        name: 'an edited decision without its observation',
        given: {
          ...withoutObservation(decision),
          hashedPayload: { input: { observation: `sha256:${'a'.repeat(64)}` } },
        },
        want: 'WrongHash',
      },
    ])('is refused with $name', ({ given, want }) => {
      expect(verifyStream([given, ...entries.slice(1)], head, sha256Hex)).toMatchObject({
        ok: false,
        error: { code: want, seq: 1n },
      });
    });

    it('is refused as a payload without its observation where its kind has none', () => {
      const given = [entries[0]!, withoutObservation(entries[1]!), ...entries.slice(2)];
      expect(verifyStream(given, head, sha256Hex)).toMatchObject({
        ok: false,
        error: { code: 'ContentMissing', seq: 2n },
      });
    });
  });

  describe('a stream that began in format 1', () => {
    const upgraded = anUpgradedChain();

    it('verifies', () => {
      expect(upgraded.entries.map(({ format }) => format)).toEqual([1, 1, 1, 1, 2, 2, 2, 2]);
      expect(verifyStream(upgraded.entries, upgraded.head, sha256Hex)).toMatchObject({ ok: true });
    });

    it('needs the payloads of format 1', () => {
      const [first, second, ...rest] = upgraded.entries;
      const given = [first!, withoutPayload(second!), ...rest];
      expect(verifyStream(given, upgraded.head, sha256Hex)).toMatchObject({
        ok: false,
        error: { code: 'ContentMissing', seq: 2n },
      });
    });

    it('never goes back, however well the rest is chained', () => {
      const [first] = chainedInFormat1([anEventDraft()]);
      const last = upgraded.entries.at(-1)!;
      const forged = { ...unverified(first!), seq: last.seq + 1n, previousHash: last.hash };
      const hash = hashEntryOfFormat1(forged, canonicalJson(forged.payload), sha256Hex);
      expect(
        verifyStream(
          [...upgraded.entries, { ...forged, hash }],
          { stream, seq: forged.seq, hash },
          sha256Hex,
        ),
      ).toMatchObject({
        ok: false,
        error: { code: 'WrongFormat', seq: 9n },
      });
    });
  });

  it('gives each payload of a kind a hash of its own', () => {
    const payloads: readonly Json[] = [
      aDecisionPayload() as unknown as Json,
      JSON.parse(
        payloadTexts('Decision', aDecisionPayload() as unknown as Json, sha256Hex).hashedText,
      ) as Json,
      { input: { observation: null } },
      { input: { observation: `sha256:${sha256Hex('null')}` } },
      { input: {} },
      { input: [] },
      { input: null },
      {},
    ];
    const texts = payloads.map((payload) => payloadTexts('Decision', payload, sha256Hex).hashedText);
    expect(new Set(texts).size).toBe(payloads.length);
    for (const payload of payloads)
      expect(payloadTexts('Decision', payload, sha256Hex).payloadText).toBe(canonicalJson(payload));
  });

  it('finds any one change anywhere', () => {
    const upgraded = anUpgradedChain();
    const chain = chainedAfter(upgraded, draftsOf(6, 8));
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
        expect(verifyStream(given, chain.head, sha256Hex).ok).toBe(false);
      }),
    );
  });
});

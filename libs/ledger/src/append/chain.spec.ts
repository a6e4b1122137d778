import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from '#kernel';
import {
  aDecisionDraft,
  anEventDraft,
  anIntentDraft,
  timeAfter,
} from '../../../../test/support/ledger-builders.ts';
import { type EntryDraft, genesisHash } from '../entries/entry.ts';
import { entryId } from '../entries/entry-id.ts';
import { chainEntries, maximumPayloadLength } from './chain.ts';

const chain = (drafts: readonly EntryDraft[]): ReturnType<typeof chainEntries> =>
  chainEntries({ cluster: 'test', heads: new Map(), drafts });

describe('chainEntries', () => {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
  const headerText = (header: {
    readonly kind: string;
    readonly stream: string;
    readonly payload: string;
  }): string =>
    `{"cluster":"test","format":2,"kind":"${header.kind}","payloadHash":"${sha256(header.payload)}",` +
    `"previousHash":"${genesisHash}","seq":"1","stream":"${header.stream}","time":"2026-11-20T12:00:00Z"}`;

  it('hashes a header with the hash of the payload', () => {
    const payload = '{"after":{"a":"é","b":1},"before":null}';
    const chained = chain([
      {
        stream: 'admin',
        kind: 'SettingsChange',
        time: '2026-11-20T12:00:00Z',
        payload: { before: null, after: { b: 1, a: 'é' } },
      },
    ]);
    const hash = sha256(headerText({ kind: 'SettingsChange', stream: 'admin', payload }));
    expect(chained).toMatchObject({
      ok: true,
      value: { entries: [{ format: 2, hash, payloadText: payload }] },
    });
  });

  it('hashes a decision with the hash of its observation in place of it', () => {
    const draft = { ...aDecisionDraft(), time: '2026-11-20T12:00:00Z' };
    const payload = typeof draft.payload === 'function' ? draft.payload([]) : draft.payload;
    const observation = `sha256:${sha256(canonicalJson(payload.input.observation))}`;
    const hashed = canonicalJson({ ...payload, input: { ...payload.input, observation } });
    const hash = sha256(headerText({ kind: 'Decision', stream: draft.stream, payload: hashed }));
    expect(chain([draft])).toMatchObject({
      ok: true,
      value: { entries: [{ hash, payloadText: canonicalJson(payload) }] },
    });
  });

  it('goes on from the heads it is given', () => {
    const head = { stream: 'policy:shop/checkout', seq: 41n, hash: 'f'.repeat(64) };
    const chained = chainEntries({
      cluster: 'test',
      heads: new Map([[head.stream, head]]),
      drafts: [anIntentDraft(), anEventDraft()],
    });
    expect(chained.ok && chained.value.entries.map(({ seq }) => seq)).toEqual([42n, 43n]);
    expect(chained.ok && chained.value.entries[0]?.previousHash).toBe(head.hash);
    expect(chained.ok && chained.value.heads.get(head.stream)?.seq).toBe(43n);
  });

  it('lets a payload name an entry before it', () => {
    const event = anEventDraft();
    const chained = chain([
      anIntentDraft(),
      {
        ...event,
        payload: ([intent]) => ({
          ...(typeof event.payload === 'function' ? event.payload([]) : event.payload),
          intent: intent === undefined ? null : entryId(intent),
        }),
      },
    ]);
    expect(chained.ok && chained.value.entries[1]?.resolvesIntent).toBe('policy:shop/checkout#1');
  });

  const tooLong = 'x'.repeat(maximumPayloadLength);
  it.each([
    { name: 'a time that is none', given: anEventDraft({}, 'yesterday'), want: 'yesterday' },
    { name: 'a day that is none', given: anEventDraft({}, '2026-02-30T00:00:00Z'), want: '2026-02-30' },
    { name: 'a time before 1970', given: anEventDraft({}, '1969-12-31T23:59:59Z'), want: '1969' },
    { name: 'a time that does not sort', given: anEventDraft({}, '2262-01-01T00:00:00Z'), want: '2262' },
    { name: 'no stream name', given: { ...anEventDraft(), stream: 'shop/checkout' }, want: 'shop/checkout' },
    {
      name: 'a payload too large',
      given: anEventDraft({ reason: tooLong }),
      want: `${maximumPayloadLength}`,
    },
  ])('refuses $name', ({ given, want }) => {
    const chained = chain([anEventDraft({}, timeAfter(0)), given]);
    expect(chained).toMatchObject({ ok: false, error: { code: 'InvalidEntry' } });
    expect(!chained.ok && chained.error.message).toContain(want);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json } from '#kernel';
import { payloadTexts, sha256Hex } from '#ledger';
import { newestDictionary } from './dictionaries.ts';
import { fillGap, packParts, partsOf, unpackParts, wholeOf } from './packed-payload.ts';

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const lookalike = fc.constantFrom<Json>({ observation: 'sha256:' }, '"observation":"sha256:"');
const payloads = fc.record({
  commit: fc.oneof(json, lookalike),
  input: fc.record({ memory: fc.oneof(json, lookalike), observation: fc.oneof(json, lookalike) }),
  policy: fc.oneof(json, lookalike),
});

describe('a packed payload', () => {
  it('is the same text again, with a base or without one, whatever the payload is', async () => {
    await fc.assert(
      fc.asyncProperty(payloads, fc.option(payloads), async (payload, other) => {
        const { payloadText, observation } = payloadTexts('Decision', payload, sha256Hex);
        const base = other === null ? null : partsOfPayload(other);
        const packed = await packParts(partsOf(payloadText, observation), {
          dictionary: newestDictionary,
          base,
        });
        expect(wholeOf(await unpackParts(packed, base))).toBe(payloadText);
      }),
      { numRuns: 300 },
    );
  });

  it('has the observation apart, so that the rest can stand without it', () => {
    const payload = { input: { memory: {}, observation: { time: '2026-11-20T12:00:00Z' } }, policy: {} };
    const { payloadText, hashedText, observation } = payloadTexts('Decision', payload, sha256Hex);
    const parts = partsOf(payloadText, observation);
    expect(parts.observation).toBe('{"time":"2026-11-20T12:00:00Z"}');
    const reference = /"sha256:[0-9a-f]{64}"/.exec(hashedText)?.[0] ?? '';
    expect(fillGap(parts.around, reference)).toBe(hashedText);
  });

  it('is whole where another member looks like the gap', () => {
    const payload = { commit: { observation: 'sha256:' }, input: { observation: 1 } };
    const { payloadText, observation } = payloadTexts('Decision', payload, sha256Hex);
    expect(partsOf(payloadText, observation)).toEqual({ around: payloadText, observation: null });
  });

  it.each([10, 400_000])('of %i letters is unpacked beside others with their own bases', async (length) => {
    const random = (seed: number, count: number) =>
      Array.from({ length: count }, (_, index) => Math.sin(index + seed))
        .join()
        .slice(0, count);
    const texts = [1, 2, 3, 4, 5].map((seed) => {
      const base = { around: random(seed / 10, 1_000), observation: null };
      return { base, parts: { around: base.around + random(seed, length), observation: null } };
    });
    const packed = await Promise.all(
      texts.map(({ base, parts }) => packParts(parts, { dictionary: newestDictionary, base })),
    );
    const unpacked = packed.map((payload, at) => unpackParts(payload, texts[at]?.base ?? null));
    expect(await Promise.all(unpacked)).toEqual(texts.map(({ parts }) => parts));
  });

  it('that is damaged, or packed with another base, is not read as something else', async () => {
    const parts = { around: 'a'.repeat(500) + 'b'.repeat(500), observation: null };
    const base = { around: `${'a'.repeat(500)}c`, observation: null };
    const packed = await packParts(parts, { dictionary: newestDictionary, base });
    await expect(unpackParts({ ...packed, packed: packed.packed.subarray(1) }, base)).rejects.toThrow();
    await expect(unpackParts({ ...packed, dictionary: 99n }, base)).rejects.toMatchObject({
      code: 'DatabaseCorrupt',
      message: 'dictionary 99 is not of this release; a newer one has it',
    });
  });
});

function partsOfPayload(payload: Json) {
  const { payloadText, observation } = payloadTexts('Decision', payload, sha256Hex);
  return partsOf(payloadText, observation);
}

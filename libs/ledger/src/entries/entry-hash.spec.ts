import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Json } from '#kernel';
import { genesisHash } from './entry.ts';
import { hashEntry, payloadTexts } from './entry-hash.ts';
import { entryKinds } from './entry-kind.ts';
import { sha256Hex } from './hash.ts';

const specification = readFileSync(
  new URL('../../../../docs/spec/ledger.md', import.meta.url).pathname,
  'utf8',
);
const [payload = '', hashedPayload = '', header = ''] = [
  ...specification.matchAll(/^```json\n(.*)\n```$/gm),
].map(([, text]) => text);
const hashes = [...specification.matchAll(/hash (?:is )?`([0-9a-f]{64})`/g)].map(([, hash]) => hash);

describe('docs/spec/ledger.md', () => {
  it('lists every kind', () => {
    const [, list = ''] = /^The kinds are (.*)\.$/m.exec(specification) ?? [];
    expect([...list.matchAll(/`(\w+)`/g)].map(([, kind]) => kind)).toEqual([...entryKinds]);
  });
});

describe('the worked example of docs/spec/ledger.md', () => {
  const texts = payloadTexts('Decision', JSON.parse(payload) as Json, sha256Hex);
  const payloadHash = sha256Hex(texts.hashedText);

  it('has the texts of its payload', () => {
    const start = payload.indexOf('{"scale"');
    const end = payload.indexOf('},"policy"');
    expect(texts).toEqual({ payloadText: payload, hashedText: hashedPayload, observation: { start, end } });
  });

  it('has the hashes of its payload and of its header', () => {
    const fields = {
      cluster: 'production',
      stream: 'policy:shop/checkout',
      seq: 1n,
      kind: 'Decision',
      time: '2026-11-20T12:00:00Z',
      previousHash: genesisHash,
    };
    expect([payloadHash, hashEntry(fields, payloadHash, sha256Hex)]).toEqual(hashes);
    expect(sha256Hex(header)).toBe(hashes[1]);
  });
});

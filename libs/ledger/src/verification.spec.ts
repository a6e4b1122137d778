import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  emptyEnd,
  merkleLeaf,
  MerkleRoot,
  pureSha256,
  pureSha256Hex,
  verifyStream,
} from '#ledger/verification';
import {
  aDecisionDraft,
  anEventDraft,
  chainedInFormat1,
  timeAfter,
} from '../../../test/support/ledger-builders.ts';
import { chainEntries } from './append/chain.ts';
import { sha256Bytes, sha256Hex } from './entries/hash.ts';

const libraries = join(import.meta.dirname, '../..');

/** Every module that a file needs when it runs. */
function modulesOf(
  file: string,
  found = new Map<string, readonly string[]>(),
): ReadonlyMap<string, readonly string[]> {
  if (found.has(file)) return found;
  const statements = readFileSync(file, 'utf8').match(/^(?:import|export)\b[^;]*?from '[^']+'/gm) ?? [];
  const named = statements
    .filter((statement) => !/^(?:import|export) type\b/.test(statement))
    .map((statement) => /'([^']+)'$/.exec(statement)?.[1] ?? '');
  found.set(file, named);
  for (const name of named) {
    if (name.startsWith('.')) modulesOf(join(dirname(file), name), found);
    if (name.startsWith('#')) modulesOf(join(libraries, name.slice(1), 'src/index.ts'), found);
  }
  return found;
}

describe('verification outside Node.js', () => {
  it('needs no module of Node.js, and packages of one author that need none', () => {
    const modules = modulesOf(join(import.meta.dirname, 'verification.ts'));
    expect(modules.size).toBeGreaterThan(5);
    const others = [...modules.values()].flat().filter((name) => !/^[.#]/.test(name));
    expect(new Set(others)).toEqual(
      new Set(['@noble/ed25519', '@noble/hashes/sha2.js', '@noble/hashes/utils.js']),
    );
  });

  it('hashes as Node.js does, halves of surrogate pairs included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(pureSha256Hex(text)).toBe(sha256Hex(text));
        const bytes = new TextEncoder().encode(text);
        expect([...pureSha256(bytes)]).toEqual([...sha256Bytes(bytes)]);
      }),
    );
    expect(pureSha256Hex('\ud800')).toBe(sha256Hex('\ud800'));
  });

  it('verifies streams of both formats, and finds an edit', () => {
    const drafts = [
      aDecisionDraft(),
      anEventDraft(),
      aDecisionDraft({ time: timeAfter(9), reason: 'größer' }),
    ];
    const newest = chainEntries({ cluster: 'test', heads: new Map(), drafts });
    if (!newest.ok) throw new Error(newest.error.message);
    for (const entries of [newest.value.entries, chainedInFormat1(drafts)]) {
      const { stream, seq, hash } = entries.at(-1)!;
      const head = { stream, seq, hash };
      expect(verifyStream(entries, head, pureSha256Hex)).toEqual({ ok: true, value: head });
      const edited = entries.with(1, { ...entries[1]!, payloadText: '{}' });
      expect(verifyStream(edited, head, pureSha256Hex)).toMatchObject({
        error: { code: 'WrongHash', seq: 2n },
      });
    }
    expect(emptyEnd('admin').seq).toBe(0n);
  });

  it('gives the root of a tree', () => {
    const roots = [pureSha256, sha256Bytes].map((hash) => {
      const tree = new MerkleRoot(hash);
      for (const leaf of ['a', 'b', 'c']) tree.add(merkleLeaf(leaf, hash));
      return [...tree.root];
    });
    expect(roots[0]).toEqual(roots[1]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { HeldFences, policyStream } from '#ledger';
import { anEventDraft, aState } from '../../../../test/support/ledger-builders.ts';
import { Shards } from './shards.ts';

const checkout = { namespace: 'shop', name: 'checkout' };
const billing = { namespace: 'shop', name: 'billing' };

function shardsHolding(...scopes: readonly string[]): Shards {
  const held = new HeldFences(scopes.map((scope) => ({ scope, epoch: 1n, holder: 'a' })));
  return new Shards({
    of: (scope) => held.of(scope),
    holds: (scope) => held.has(scope),
    mayWrite: () => true,
  });
}

describe('Shards', () => {
  it('gives a request the fences of the shards of all its policies, each once', () => {
    const shards = shardsHolding('shard/3', 'shard/13');
    const draft = anEventDraft();
    expect(draft.stream).toBe(policyStream(checkout));
    const states = [aState(checkout), aState(billing)];
    const scopes = shards.fencesFor({ drafts: [draft], states }).map(({ scope }) => scope);
    expect(scopes).toEqual(['shard/3', 'shard/13']);
    expect(shards.held.map(({ scope }) => scope)).toEqual(['shard/3', 'shard/13']);
  });

  it('gives none where one of them is held by another process', () => {
    const shards = shardsHolding('shard/3');
    expect(shards.holds(billing)).toBe(false);
    expect(() => shards.fencesFor({ drafts: [anEventDraft()], forget: [billing] })).toThrow(
      'this process does not hold the scope shard/13',
    );
  });

  it('gives a request that stores a state, and no entry, the fence of its policy', () => {
    const shards = shardsHolding('shard/3', 'shard/13');
    const request = { drafts: [], states: { policies: [billing], from: () => [aState(billing)] } };
    expect(shards.fencesFor(request).map(({ scope }) => scope)).toEqual(['shard/13']);
  });

  it('knows no fence for a request about no policy', () => {
    expect(() => shardsHolding().fencesFor({ drafts: [] })).toThrow('needs a fence of its own');
  });
});

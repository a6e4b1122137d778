import { describe, expect, it } from '@jest/globals';
import { HeldFences, policyStream, shardLayoutScope } from '#ledger';
import { InMemoryLedger, InMemoryShardLayout } from '#ledger/testing';
import { anEventDraft, aState } from '../../../../../test/support/ledger-builders.ts';
import { Shards } from './shards.ts';

const checkout = { namespace: 'shop', name: 'checkout' };
const billing = { namespace: 'shop', name: 'billing' };

function shardsHolding(...scopes: readonly string[]): Shards {
  const held = new HeldFences(scopes.map((scope) => ({ scope, epoch: 1n, holder: 'a' })));
  return new Shards(
    {
      of: (scope) => held.of(scope),
      holds: (scope) => held.has(scope),
      mayWrite: () => true,
    },
    new InMemoryShardLayout(new InMemoryLedger()),
  );
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

  it('are as many as are stored, or 16', async () => {
    const ledger = new InMemoryLedger();
    const held = new HeldFences([]);
    const holdings = {
      of: (scope: string) => held.of(scope),
      holds: () => false,
      mayWrite: () => false,
    };
    const shards = new Shards(holdings, new InMemoryShardLayout(ledger));
    expect(await shards.readLayout()).toEqual({ shardCount: 16, isChanging: false });
    ledger.shardCount = 4;
    ledger.fences.takeOver(shardLayoutScope);
    expect(await shards.readLayout()).toEqual({ shardCount: 4, isChanging: true });
    expect([shards.count, shards.shardOf(checkout)]).toEqual([16, 3]);
    shards.resize(4);
    expect([shards.count, shards.all, shards.shardOf(billing)]).toEqual([4, [0, 1, 2, 3], 3]);
    // One that was asked for before.
    expect(shards.shardOf(checkout)).toBe(0);
  });

  it('knows no fence for a request about no policy', () => {
    expect(() => shardsHolding().fencesFor({ drafts: [] })).toThrow('needs a fence of its own');
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ScopePhase, StoredLease } from '#coordination';
import { ShardHolders } from './shard-holders.ts';

let now: number;
let lastSeen: Map<string, number>;
let holders: ShardHolders;

beforeEach(() => {
  now = 100_000;
  lastSeen = new Map([['other', 99_000]]);
  holders = new ShardHolders({
    identity: 'own',
    clock: {
      elapsed: () => now,
      now: () => '',
      random: () => 0,
      wait: () => Promise.resolve(),
    },
    replicas: { lastSeen: (identity) => lastSeen.get(identity) ?? null },
  });
});

/** A look that finds shard 0 so. */
function look(holder: string | null, phase: ScopePhase = 'Waiting'): void {
  const lease: StoredLease = {
    name: 'plimsoll-shard-0',
    uid: 'uid',
    resourceVersion: '1',
    record: {
      holder,
      durationMilliseconds: 15_000,
      acquireTime: null,
      renewTime: null,
      transitions: 0,
      advertisedUrl: null,
      takesShards: true,
      version: null,
      settings: null,
    },
  };
  holders.observe([{ lease, phase }], now);
}

describe('the holder of a shard', () => {
  it('is not known before the first look, nor of a shard that is free or has no Lease', () => {
    expect(holders.of(0)).toBeNull();
    look(null);
    expect(holders.of(0)).toBeNull();
    holders.observe([{ lease: null, phase: 'Waiting' }], now);
    expect(holders.of(0)).toBeNull();
  });

  it('looks at the policies once it has had time to read what the last one left', () => {
    look('other');
    now += 5_000;
    expect(holders.of(0)).toEqual({ heldMilliseconds: 0, silentMilliseconds: 6_000 });
    now += 7_000;
    lastSeen.set('other', 111_500);
    look('other');
    expect(holders.of(0)).toEqual({ heldMilliseconds: 7_000, silentMilliseconds: 500 });
  });

  it('begins anew with another one', () => {
    look('former');
    now += 60_000;
    look('other');
    lastSeen.set('other', now);
    expect(holders.of(0)).toEqual({ heldMilliseconds: 0, silentMilliseconds: 0 });
  });

  it('is none that is not known to live', () => {
    look('former');
    expect(holders.of(0)).toBeNull();
  });

  it('is this replica once it carries the policies out, and while it does', () => {
    look('own', 'Fenced');
    expect(holders.of(0)).toBeNull();
    now += 3_000;
    look('own', 'Held');
    now += 2_000;
    expect(holders.of(0)).toEqual({ heldMilliseconds: 2_000, silentMilliseconds: 0 });
    look('own', 'Leaving');
    expect(holders.of(0)).toBeNull();
  });
});

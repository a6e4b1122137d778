import { describe, expect, it } from '@jest/globals';
import {
  afterAttempt,
  type Election,
  expiredHolders,
  isPastDeadline,
  observeLease,
  openElection,
  opensAt,
  planAttempt,
  planRelease,
} from './election.ts';
import type { LeaseRecord, StoredLease } from './lease.port.ts';
import { retryMilliseconds } from './lease-terms.ts';

const terms = {
  leaseDurationMilliseconds: 15_000,
  renewDeadlineMilliseconds: 10_000,
  retryPeriodMilliseconds: 2_000,
};

const at = (now: number) => ({ now, time: `${now} ms`, terms, advertisedUrl: 'http://here:8080' });

function aLease(resourceVersion: string, record: Partial<LeaseRecord> = {}): StoredLease {
  return {
    name: 'plimsoll-shard-3',
    uid: 'uid',
    resourceVersion,
    record: {
      holder: 'other',
      durationMilliseconds: 15_000,
      acquireTime: 'then',
      renewTime: 'then',
      transitions: 4,
      advertisedUrl: 'http://there:8080',
      takesShards: true,
      reachesDatabase: true,
      version: null,
      settings: null,
      ...record,
    },
  };
}

const election = openElection('plimsoll-shard-3', 'own');

function aHolder(sentAt: number): Election {
  const seen = observeLease(election, null, sentAt);
  const attempt = planAttempt(seen, at(sentAt));
  const lease = aLease('1', { holder: 'own' });
  return afterAttempt(seen, attempt!, { lease, sentAt });
}

describe('the election of the holder of a Lease', () => {
  it('makes no attempt before it has looked', () => {
    expect(planAttempt(election, at(0))).toBeNull();
  });

  it.each([
    { name: 'was never made', lease: null, kind: 'Create', transitions: 0 },
    { name: 'was released', lease: aLease('7', { holder: null }), kind: 'Update', transitions: 5 },
    {
      name: 'says the most transitions that the API server takes',
      lease: aLease('7', { holder: null, transitions: 2_147_483_647 }),
      kind: 'Update',
      transitions: 0,
    },
    {
      name: 'is its own by an answer that was lost',
      lease: aLease('7', { holder: 'own' }),
      kind: 'Update',
      transitions: 5,
    },
  ])(
    'wins at once a Lease that $name, and not the fence of one who may still work',
    ({ lease, kind, transitions }) => {
      const attempt = planAttempt(observeLease(election, lease, 100), at(100));
      expect(attempt).toMatchObject({ kind, victory: 'Free', record: { holder: 'own', transitions } });
      expect(expiredHolders(observeLease(election, lease, 100), attempt!)).toEqual([]);
    },
  );

  it('waits for another holder from when it last saw a change, whatever the times in the Lease say', () => {
    let seen = observeLease(election, aLease('7'), 1_000);
    seen = observeLease(seen, aLease('7'), 9_000);
    expect(planAttempt(seen, at(15_999))).toBeNull();
    const attempt = planAttempt(seen, at(16_000));
    expect(attempt).toMatchObject({ kind: 'Update', victory: 'Expired' });
    expect(expiredHolders(seen, attempt!)).toEqual(['other']);
    seen = observeLease(seen, aLease('8'), 15_500);
    expect(planAttempt(seen, at(30_499))).toBeNull();
    expect(planAttempt(seen, at(30_500))).not.toBeNull();
  });

  it('takes the fence of any holder that it saw, once the last one has let the Lease expire', () => {
    let seen = observeLease(election, aLease('7', { holder: 'first' }), 0);
    seen = observeLease(seen, aLease('8', { holder: 'second' }), 1_000);
    seen = observeLease(seen, aLease('9', { holder: 'second' }), 3_000);
    const attempt = planAttempt(seen, at(18_000));
    expect(expiredHolders(seen, attempt!)).toEqual(['first', 'second']);
  });

  it('waits as long as the holder says that its Lease lasts', () => {
    const seen = observeLease(election, aLease('7', { durationMilliseconds: 60_000 }), 0);
    expect(planAttempt(seen, at(59_999))).toBeNull();
    expect(opensAt(seen, terms)).toBe(60_000);
  });

  it.each([null, 0, -5_000, 1_000])(
    'waits as long as its own Lease would last where somebody has written another duration: %p',
    (durationMilliseconds) => {
      const seen = observeLease(election, aLease('7', { durationMilliseconds }), 0);
      expect([planAttempt(seen, at(14_999)), opensAt(seen, terms)]).toEqual([null, 15_000]);
      expect(planAttempt(seen, at(15_000))).toMatchObject({ victory: 'Expired' });
    },
  );

  it('waits for no longer than an hour, whatever the Lease says', () => {
    const seen = observeLease(election, aLease('7', { durationMilliseconds: 1e12 }), 0);
    expect([planAttempt(seen, at(3_599_999)), opensAt(seen, terms)]).toEqual([null, 3_600_000]);
  });

  it.each([
    { name: 'is no replica', announced: null, want: 15_000 },
    { name: 'says less of its own', announced: 20_000, want: 20_000 },
    { name: 'says less than this one', announced: 5_000, want: 15_000 },
  ])(
    'believes no duration of a holder that $name, and takes no fence of it before the Lease is over',
    ({ announced: milliseconds, want }) => {
      const announced = (): number | null => milliseconds;
      const seen = observeLease(election, aLease('7', { durationMilliseconds: 3_600_000 }), 0);
      const attemptAt = (now: number) => planAttempt(seen, { ...at(now), announced });
      expect([attemptAt(want - 1), opensAt(seen, terms, announced)]).toEqual([null, want]);
      const attempt = attemptAt(want);
      expect(attempt).toMatchObject({ kind: 'Update', victory: 'Overstated' });
      expect(expiredHolders(seen, attempt!)).toEqual([]);
      expect(attemptAt(3_600_000)).toMatchObject({ victory: 'Expired' });
    },
  );

  it('believes a holder that says as much of its own Leases', () => {
    const announced = (): number => 60_000;
    const seen = observeLease(election, aLease('7', { durationMilliseconds: 60_000 }), 0);
    const attemptAt = (now: number) => planAttempt(seen, { ...at(now), announced });
    expect(attemptAt(59_999)).toBeNull();
    expect(attemptAt(60_000)).toMatchObject({ victory: 'Expired' });
  });

  it('knows when a Lease is open to it: one that is free from when it was seen so, and its own never', () => {
    const free = observeLease(election, aLease('7', { holder: null }), 100);
    expect([election, free, aHolder(0)].map((each) => opensAt(each, terms))).toEqual([null, 100, null]);
  });

  it('renews what it holds, counts from the sending, and keeps when it was acquired', () => {
    const held = aHolder(1_000);
    expect(planAttempt(held, at(3_000))).toMatchObject({
      kind: 'Update',
      observed: { resourceVersion: '1' },
      record: { holder: 'own', acquireTime: 'then', renewTime: '3000 ms', transitions: 4 },
    });
    expect([isPastDeadline(held, 10_999, terms), isPastDeadline(held, 11_000, terms)]).toEqual([false, true]);
  });

  it('never renews once its deadline is over, even if the Lease is gone', () => {
    expect(planAttempt(aHolder(1_000), at(11_000))).toBeNull();
    expect(planAttempt(observeLease(aHolder(1_000), null, 11_000), at(11_000))).toBeNull();
  });

  it('makes a Lease anew that was deleted under it', () => {
    expect(planAttempt(observeLease(aHolder(1_000), null, 2_000), at(2_000))).toMatchObject({
      kind: 'Create',
    });
  });

  it('has lost a Lease that another holds, or that was emptied by hand', () => {
    expect(observeLease(aHolder(0), aLease('9'), 1).held).toBeNull();
    expect(observeLease(aHolder(0), aLease('9', { holder: null }), 1).held).toBeNull();
  });

  it('releases what it holds only', () => {
    expect(planRelease(aHolder(0), 'now')).toMatchObject({
      resourceVersion: '1',
      record: { holder: null, renewTime: 'now', transitions: 4 },
    });
    expect(planRelease(observeLease(election, aLease('9'), 0), 'now')).toBeNull();
  });

  it('spreads the attempts of those who wait', () => {
    expect([retryMilliseconds(terms, 0), retryMilliseconds(terms, 0.5)]).toEqual([2_000, 3_200]);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anActivePolicy } from '../testing/a-policy.ts';
import { FleetLosses, type StoredShardLosses } from './fleet-losses.ts';

const metricSource = 'metrics.k8s.io';
const version = anActivePolicy();
const shards = 4;

/** What one look at one target finds. */
interface Look {
  readonly target: number;
  readonly isLosing: boolean;
}

const looks = fc.array(fc.record({ target: fc.nat({ max: 15 }), isLosing: fc.boolean() }), { maxLength: 60 });

function take(losses: FleetLosses, { target, isLosing }: Look, shard = target % shards): void {
  const sample = {
    replicas: 10,
    minReplicas: 1,
    proposal: isLosing ? 1 : 10,
    rules: { version, limits: '' },
    hasDecided: true,
  };
  losses.note({ metricSource, shard, target: `shop/${target}` }, sample, { now: 0, share: 0.5 });
}

const aFleet = (given: readonly Look[] = []): FleetLosses => {
  const losses = new FleetLosses(300_000);
  for (const look of given) take(losses, look);
  return losses;
};

const latest = (given: readonly Look[]): number =>
  [...new Map(given.map(({ target, isLosing }) => [target, isLosing])).values()].filter(Boolean).length;

/** Each tells the other what it counts. */
function exchange(one: FleetLosses, other: FleetLosses): void {
  const [ofOne, ofOther] = [stored(one), stored(other)];
  one.replaceOthers(ofOther, 0);
  other.replaceOthers(ofOne, 0);
}

const look = { lookedMilliseconds: 30_000, silentMilliseconds: 2_000 };

const stored = (losses: FleetLosses): readonly StoredShardLosses[] =>
  losses.listOwn(0).map((each) => ({ ...each, ...look }));

describe('the losses of a fleet', () => {
  it('are the same for every replica, however the shards are spread over them', () => {
    fc.assert(
      fc.property(
        looks,
        fc.array(fc.boolean(), { minLength: shards, maxLength: shards }),
        (given, isOfOne) => {
          const [one, other] = [aFleet(), aFleet()];
          for (const look of given) take(isOfOne[look.target % shards] === true ? one : other, look);
          exchange(one, other);
          expect([one.losing(metricSource), other.losing(metricSource)]).toEqual([
            latest(given),
            latest(given),
          ]);
        },
      ),
    );
  });

  it('do not depend on which shard a target is of', () => {
    fc.assert(
      fc.property(looks, fc.nat({ max: 100 }), (given, shift) => {
        const moved = aFleet();
        for (const look of given) take(moved, look, (look.target + shift) % shards);
        expect(moved.losing(metricSource)).toBe(latest(given));
      }),
    );
  });

  it('count each target once while a shard changes hands: never less than before, nor more than there are', () => {
    fc.assert(
      fc.property(looks, looks, (before, after) => {
        const [last, next, third] = [aFleet(before), aFleet(), aFleet()];
        next.replaceOthers(stored(last), 0);
        third.replaceOthers(stored(last), 0);
        const counted = latest(before);
        for (const look of after) {
          take(next, look);
          expect(next.losing(metricSource)).toBeGreaterThanOrEqual(counted);
          expect(next.losing(metricSource)).toBeLessThanOrEqual(16);
        }
        // What the last holder stored is too old.
        next.replaceOthers([], 0);
        third.replaceOthers(stored(next), 0);
        expect([next.losing(metricSource), third.losing(metricSource)]).toEqual([
          latest(after),
          latest(after),
        ]);
      }),
    );
  });

  it('are those of the shards that are held, and of none that was given up', () => {
    const losses = aFleet([0, 1, 4, 5].map((target) => ({ target, isLosing: true })));
    expect(losses.listOwn(0)).toEqual([
      { shard: 0, metricSource, losing: 2 },
      { shard: 1, metricSource, losing: 2 },
    ]);
    expect(losses.losing(metricSource)).toBe(4);
    losses.leave(1);
    expect([losses.losing(metricSource), losses.listOwn(0)]).toEqual([
      2,
      [{ shard: 0, metricSource, losing: 2 }],
    ]);
  });

  it('are known with the looks that they were counted by, which are the older the longer nothing is read', () => {
    const [one, other] = [aFleet([{ target: 1, isLosing: true }]), aFleet()];
    other.replaceOthers(stored(one), 10_000);
    expect(other.losingSources()).toEqual([metricSource]);
    expect(other.otherLookAt(metricSource, 1, 15_000)).toEqual({ ...look, silentMilliseconds: 7_000 });
    expect(other.otherLookAt(metricSource, 2, 15_000)).toBeNull();
    other.replaceOthers([], 20_000);
    expect([other.losingSources(), other.otherLookAt(metricSource, 1, 20_000)]).toEqual([[], null]);
  });

  it('are by no looks that are to come, as where the database’s clock was set back', () => {
    const [one, other] = [aFleet([{ target: 1, isLosing: true }]), aFleet()];
    const early = stored(one).map((each) => ({ ...each, silentMilliseconds: -60_000 }));
    other.replaceOthers(early, 10_000);
    expect(other.losing(metricSource)).toBe(1);
    expect(other.otherLookAt(metricSource, 1, 15_000)).toMatchObject({ lookedMilliseconds: 0 });
  });

  it('are of targets in force alone', () => {
    const losses = aFleet([0, 1].map((target) => ({ target, isLosing: true })));
    expect(losses.losing(metricSource)).toBe(2);
    losses.retain(new Set(['shop/1']));
    expect(losses.losing(metricSource)).toBe(1);
  });

  it('that nothing looks at any more are forgotten', () => {
    const losses = aFleet([{ target: 0, isLosing: true }]);
    expect(losses.listOwn(599_999)).toHaveLength(1);
    expect(losses.losing(metricSource)).toBe(1);
    expect(losses.listOwn(900_000)).toEqual([]);
    expect(losses.losing(metricSource)).toBe(0);
  });
});

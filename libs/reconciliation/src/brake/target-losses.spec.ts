import { describe, expect, it } from '@jest/globals';
import { anActivePolicy } from '../testing/a-policy.ts';
import { TargetLosses, type TargetSample } from './target-losses.ts';

const window = 300_000;
const before = anActivePolicy();
const after = { ...anActivePolicy({ maxReplicas: 20 }), document: { ...before.document, kind: 'other' } };
const at = (seconds: number) => ({ now: seconds * 1_000, share: 0.5 });
const sample = (changes: Partial<TargetSample> = {}): TargetSample => ({
  replicas: 10,
  minReplicas: 1,
  proposal: 10,
  rules: { version: before, limits: '1 10 true' },
  hasDecided: true,
  ...changes,
});

describe('the losses of a source', () => {
  it.each([
    { name: 'half', given: { proposal: 5 }, want: 1 },
    { name: 'less than half', given: { proposal: 6 }, want: 0 },
    { name: 'half, which the minimum does not allow', given: { proposal: 1, minReplicas: 6 }, want: 0 },
    { name: 'nothing, since nothing is left', given: { replicas: 0, proposal: 0, minReplicas: 0 }, want: 0 },
    { name: 'what is not known', given: { proposal: null }, want: 0 },
    { name: 'half of a new policy', given: { proposal: 5, hasDecided: false }, want: 0 },
  ])('counts $name: $want', ({ given, want }) => {
    const losses = new TargetLosses(window);
    losses.note('a', sample(given), at(0));
    expect(losses.losing).toBe(want);
  });

  it('says since when a target loses', () => {
    const losses = new TargetLosses(window);
    expect(losses.note('a', sample(), at(0))).toBeNull();
    expect(losses.note('a', sample({ proposal: 2 }), at(15))).toBe(15_000);
    expect(losses.note('a', sample({ proposal: 3 }), at(30))).toBe(15_000);
    expect(losses.note('a', sample(), at(45))).toBeNull();
    expect(losses.losing).toBe(0);
  });

  it('says until when every target was looked at once per interval', () => {
    const losses = new TargetLosses(window);
    expect(losses.lookedUntil(5_000)).toBe(5_000);
    const of = (name: string, intervalSeconds: number) =>
      sample({ rules: { version: anActivePolicy({ name, intervalSeconds }), limits: '' } });
    losses.note('a', of('a', 15), at(10));
    losses.note('b', of('b', 30), at(12));
    losses.note('rare', of('rare', 600), at(12));
    expect([20_000, 40_000].map((now) => losses.lookedUntil(now))).toEqual([20_000, 25_000]);
    losses.note('a', of('a', 15), at(41));
    // Looked through once per second.
    expect([40_900, 41_000, 60_000].map((now) => losses.lookedUntil(now))).toEqual([25_000, 41_000, 42_000]);
  });

  it('waits no more for a target that was not looked at for two minutes', () => {
    const losses = new TargetLosses(window);
    losses.note('a', sample(), at(0));
    expect([119_999, 121_000].map((now) => losses.lookedUntil(now))).toEqual([15_000, 121_000]);
  });

  it('measures against the highest count of the window, and forgets those before', () => {
    const losses = new TargetLosses(window);
    losses.note('a', sample({ replicas: 10 }), at(0));
    losses.note('a', sample({ replicas: 8, proposal: 8 }), at(60));
    losses.note('a', sample({ replicas: 7, proposal: 5 }), at(120));
    expect(losses.losing).toBe(1);
    losses.note('a', sample({ replicas: 7, proposal: 5 }), at(301));
    expect(losses.losing).toBe(0);
  });

  it('excuses what follows from changed rules until nothing is lost any more', () => {
    const losses = new TargetLosses(window);
    losses.note('a', sample(), at(0));
    losses.note('a', sample({ proposal: 3, rules: { version: after, limits: '1 10 true' } }), at(15));
    losses.note('a', sample({ proposal: 2, rules: { version: after, limits: '1 10 true' } }), at(30));
    expect(losses.losing).toBe(0);
    losses.note('a', sample({ rules: { version: after, limits: '1 10 true' } }), at(45));
    losses.note('a', sample({ proposal: 2, rules: { version: after, limits: '1 10 true' } }), at(60));
    expect(losses.losing).toBe(1);
  });

  it.each([600, 900, 3_600])('says of an interval of %i s since when a target loses', (intervalSeconds) => {
    const losses = new TargetLosses(window);
    const rules = { version: anActivePolicy({ intervalSeconds }), limits: '1 10 true' };
    const loses = sample({ proposal: 2, rules });
    losses.note('a', sample({ rules }), at(0));
    expect(losses.note('a', loses, at(intervalSeconds))).toBe(1_000 * intervalSeconds);
    // Another target of the source is looked at meanwhile: what was not looked at for so long counts no more.
    losses.note('b', sample(), at(1.9 * intervalSeconds));
    expect(losses.losing).toBe(intervalSeconds < 900 ? 1 : 0);
    expect(losses.note('a', loses, at(2 * intervalSeconds))).toBe(1_000 * intervalSeconds);
    expect(losses.losing).toBe(1);
    losses.note('a', sample({ rules }), at(3 * intervalSeconds));
    expect(losses.losing).toBe(0);
  });

  it('forgets targets that are not looked at any more', () => {
    const losses = new TargetLosses(window);
    losses.note('gone', sample({ proposal: 1 }), at(0));
    losses.note('a', sample(), at(400));
    expect(losses.losing).toBe(1);
    losses.note('a', sample(), at(701));
    expect(losses.losing).toBe(0);
  });
});

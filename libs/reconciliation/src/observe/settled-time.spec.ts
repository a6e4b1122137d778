import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../ports/clock.fake.ts';
import { SettledTime } from './settled-time.ts';

const hour = 3_600_000;
const far = 400 * 24 * hour;

let clock: FakeClock;
let time: SettledTime;

function aTime(doubts: 'Forward' | 'Either'): SettledTime {
  return new SettledTime(clock, { maximumJumpMilliseconds: hour, settlingMilliseconds: 6 * hour, doubts });
}

beforeEach(() => {
  clock = new FakeClock();
  time = aTime('Forward');
});

/** How far it is behind the clock. */
const behind = (): number => Date.parse(clock.now()) - time.now();
const isDoubted = (): boolean => time.doubt() !== null;

describe('SettledTime', () => {
  it('is the time of day while the clock goes on', () => {
    for (let day = 0; day < 3; day += 1) {
      clock.advance(24 * hour);
      expect([behind(), isDoubted()]).toEqual([0, false]);
    }
  });

  it('follows a clock that is corrected by less than a jump', () => {
    clock.setBack(-hour);
    expect(behind()).toBe(0);
  });

  it('goes on as before where the clock was set forward, and follows it once it has stayed so for long enough', () => {
    clock.setBack(-far);
    expect([behind(), isDoubted()]).toEqual([far, true]);
    clock.advance(6 * hour - 1);
    expect(behind()).toBe(far);
    clock.advance(1);
    expect([behind(), isDoubted()]).toEqual([0, false]);
  });

  it('tells by how much the clock has jumped, since when, and when it will be believed, the same while it lasts', () => {
    const since = Date.parse(clock.now()) + far;
    clock.setBack(-far);
    const doubt = { jumpMilliseconds: far, since, believedAt: since + 6 * hour };
    expect(time.doubt()).toEqual(doubt);
    clock.advance(5 * hour);
    expect(time.doubt()).toEqual(doubt);
  });

  it('is not moved by a clock that was ahead for a moment', () => {
    clock.setBack(-far);
    expect(isDoubted()).toBe(true);
    clock.setBack(far);
    clock.advance(6 * hour);
    expect([behind(), isDoubted()]).toEqual([0, false]);
  });

  it('counts the time of each jump by itself', () => {
    for (let count = 0; count < 3; count += 1) {
      clock.setBack(-far);
      expect(isDoubted()).toBe(true);
      clock.advance(4 * hour);
      expect(isDoubted()).toBe(true);
      clock.setBack(far);
      expect(isDoubted()).toBe(false);
    }
  });

  it('counts anew from a further jump of a clock that has jumped', () => {
    clock.setBack(-far);
    expect(isDoubted()).toBe(true);
    clock.advance(5 * hour);
    clock.setBack(-far);
    expect(behind()).toBe(2 * far);
    clock.advance(5 * hour);
    expect(behind()).toBe(2 * far);
    clock.advance(hour);
    expect(behind()).toBe(0);
  });

  it('follows a clock that was set back at once where only a jump forward is doubted', () => {
    clock.setBack(far);
    expect([behind(), isDoubted()]).toEqual([0, false]);
  });

  it('doubts a clock that was set back where either direction is doubted', () => {
    time = aTime('Either');
    clock.setBack(far);
    expect([behind(), time.doubt()?.jumpMilliseconds]).toEqual([-far, -far]);
    clock.advance(6 * hour);
    expect([behind(), isDoubted()]).toEqual([0, false]);
  });
});

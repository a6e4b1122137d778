import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '#reconciliation/testing';
import { SettledTime } from './settled-time.ts';

const hour = 3_600_000;

let clock: FakeClock;
let time: SettledTime;

beforeEach(() => {
  clock = new FakeClock();
  time = new SettledTime(clock);
});

/** How far it is behind the clock. */
const behind = (): number => Date.parse(clock.now()) - time.now();

describe('SettledTime', () => {
  it('is the time of day while the clock goes on', () => {
    for (let day = 0; day < 3; day += 1) {
      clock.advance(24 * hour);
      expect([behind(), time.isDoubted()]).toEqual([0, false]);
    }
  });

  it('follows a clock that is corrected by less than an hour', () => {
    clock.setBack(-hour);
    expect(behind()).toBe(0);
  });

  it('goes on as before where the clock was set forward, and follows it once it has stayed so for six hours', () => {
    clock.setBack(-400 * 24 * hour);
    expect([behind(), time.isDoubted()]).toEqual([400 * 24 * hour, true]);
    clock.advance(6 * hour - 1);
    expect(behind()).toBe(400 * 24 * hour);
    clock.advance(1);
    expect([behind(), time.isDoubted()]).toEqual([0, false]);
  });

  it('is not moved by a clock that was ahead for a moment', () => {
    clock.setBack(-400 * 24 * hour);
    expect(time.isDoubted()).toBe(true);
    clock.setBack(400 * 24 * hour);
    clock.advance(6 * hour);
    expect([behind(), time.isDoubted()]).toEqual([0, false]);
  });

  it('counts the hours of each time that the clock is ahead by themselves', () => {
    for (let count = 0; count < 3; count += 1) {
      clock.setBack(-400 * 24 * hour);
      expect(time.isDoubted()).toBe(true);
      clock.advance(4 * hour);
      expect(time.isDoubted()).toBe(true);
      clock.setBack(400 * 24 * hour);
      expect(time.isDoubted()).toBe(false);
    }
  });

  it('follows a clock that was set back at once', () => {
    clock.setBack(400 * 24 * hour);
    expect([behind(), time.isDoubted()]).toEqual([0, false]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { HourlyLimit } from './hourly-limit.ts';

const hour = 3_600_000;

describe('what a person may do so often within an hour', () => {
  it.each([
    { name: 'as often as it may', times: [0, 1], want: [true, true] },
    { name: 'once too often', times: [0, 1, 2], want: [true, true, false] },
    { name: 'again after an hour', times: [0, 1, hour - 1, hour], want: [true, true, false, true] },
    { name: 'again where the clock was set back', times: [hour, hour, 0], want: [true, true, true] },
  ])('$name', ({ times, want }) => {
    const limit = new HourlyLimit(2);
    expect(times.map((time) => limit.take('ann', time))).toEqual(want);
    expect(limit.take('ben', 0)).toBe(true);
  });
});

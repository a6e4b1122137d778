import { describe, expect, it } from '@jest/globals';
import { goDurationSeconds } from './go-duration-seconds.ts';

describe('goDurationSeconds', () => {
  it.each([
    { duration: '10s', want: 10 },
    { duration: '1m0s', want: 60 },
    { duration: '1m0.5s', want: 61 },
    { duration: '14.963s', want: 15 },
    { duration: '1h2m3s', want: 3723 },
    { duration: '500ms', want: 1 },
    { duration: '0s', want: 0 },
    { duration: '', want: 60 },
    { duration: 'soon', want: 60 },
  ])('$duration is $want s', ({ duration, want }) => {
    expect(goDurationSeconds(duration)).toBe(want);
  });
});

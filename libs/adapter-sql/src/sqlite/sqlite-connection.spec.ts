import { describe, expect, it } from '@jest/globals';
import { cacheSizeOf } from './sqlite-connection.ts';

const megabyte = 1024 * 1024;

describe('cacheSizeOf', () => {
  it.each([
    { role: 'reader', bytes: 0, want: 4_096 },
    { role: 'reader', bytes: 1_024 * megabyte, want: 4_096 },
    { role: 'reader', bytes: 2_048 * megabyte, want: 8_192 },
    { role: 'reader', bytes: 100_000 * megabyte, want: 16_384 },
    { role: 'command', bytes: 100_000 * megabyte, want: 4_096 },
    { role: 'writer', bytes: 0, want: 16_384 },
  ] as const)('of a $role of a file of $bytes bytes is $want KiB', ({ role, bytes, want }) => {
    expect(cacheSizeOf(role, bytes)).toBe(want);
  });
});

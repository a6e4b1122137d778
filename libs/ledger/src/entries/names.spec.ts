import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeCursor, parseCursor } from '../ports/cursor.ts';
import { entryId, parseEntryId } from './entry-id.ts';
import { timeNanoseconds } from './entry-time.ts';
import { isStreamName, nameBefore, policyOfStream, policyStream } from './stream-name.ts';

const int64 = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
const streams = fc
  .stringMatching(/^[a-c8-9](?:[a-c8-9.-]{0,4}[a-c8-9])?$/)
  .map((name) => policyStream({ namespace: 'shop', name }));

describe('names of streams, entries and places', () => {
  it('gives a policy back from its stream', () => {
    expect(policyStream({ namespace: 'shop', name: 'checkout' })).toBe('policy:shop/checkout');
    expect(policyOfStream('policy:shop/checkout')).toEqual({ namespace: 'shop', name: 'checkout' });
  });

  it.each([
    '',
    'Sync',
    'policy:',
    'policy:a',
    'policy:a/b/c',
    'policy:a/b#1',
    'policy:a/ b',
    'policy:a/b\u0000',
    'policy:a\u007f/b',
    'policy:a/\ud800',
    `policy:a/${'b'.repeat(400)}`,
  ])('knows no stream %j', (name) => {
    expect(isStreamName(name)).toBe(false);
  });

  it('finds no stream between one and the name before it', () => {
    fc.assert(
      fc.property(streams, streams, (stream, other) => {
        expect([nameBefore(stream) < stream, nameBefore(stream) < other]).toEqual([true, stream <= other]);
      }),
    );
  });

  it('gives an address back from its id', () => {
    fc.assert(
      fc.property(fc.constantFrom('sync', 'admin', 'policy:shop/checkout'), int64, (stream, seq) => {
        expect(parseEntryId(entryId({ stream, seq }))).toEqual({ stream, seq });
      }),
    );
  });

  it('gives a place back from its cursor', () => {
    fc.assert(
      fc.property(int64, int64, (timeNanos, position) => {
        const cursor = { timeNanoseconds: timeNanos, position };
        expect(parseCursor(encodeCursor(cursor))).toEqual(cursor);
      }),
    );
  });

  it.each([
    '',
    'sync',
    'sync#',
    'sync#0',
    'sync#01',
    'sync#-1',
    'sync#9223372036854775808',
    'nope#1',
    'sync#1#2',
    'policy:a/b\u0000#1',
  ])('knows no entry %j', (id) => {
    expect(parseEntryId(id)).toBeNull();
  });

  it.each(['', '1', '1.0', '.1', '-1.1', '1.1.1', '9223372036854775808.1', '1.9223372036854775808', '1e3.1'])(
    'knows no place %j',
    (cursor) => {
      expect(parseCursor(cursor)).toBeNull();
    },
  );

  it('never throws on a text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseCursor(text);
        parseEntryId(text);
        timeNanoseconds(text);
      }),
    );
  });

  it('counts a time in nanoseconds, in any offset', () => {
    expect(timeNanoseconds('1970-01-01T01:00:00.000000001+01:00')).toBe(1n);
    expect(timeNanoseconds('2026-11-20T12:00:00.5Z')).toBe(1_795_176_000_500_000_000n);
  });
});

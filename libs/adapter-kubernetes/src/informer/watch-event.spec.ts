import { describe, expect, it } from '@jest/globals';
import { parseWatchEvent } from './watch-event.ts';

const metadata = { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '7' };

describe('parseWatchEvent', () => {
  it.each([
    { type: 'ADDED', want: 'Put' },
    { type: 'MODIFIED', want: 'Put' },
    { type: 'DELETED', want: 'Removed' },
  ])('reads $type', ({ type, want }) => {
    expect(parseWatchEvent(JSON.stringify({ type, object: { metadata } }))).toMatchObject({
      kind: want,
      object: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '7' },
    });
  });

  it('reads a bookmark, which has no name', () => {
    const line = JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } });
    expect(parseWatchEvent(line)).toEqual({ kind: 'Bookmark', resourceVersion: '9' });
  });

  it.each([410, 500])('takes an ERROR event of code %d as the end of what can be resumed', (code) => {
    const line = JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code, message: 'too old' } });
    expect(() => parseWatchEvent(line)).toThrow(
      expect.objectContaining({ code: 'Expired', message: 'the watch ended: too old' }),
    );
  });

  it.each([
    '',
    'null',
    '[]',
    '{"type":"NEWS"}',
    '{"type":"ADDED"}',
    '{"type":"ADDED","object":{"metadata":{}}}',
    '{',
  ])('refuses %s', (line) => {
    expect(() => parseWatchEvent(line)).toThrow(expect.objectContaining({ code: 'Malformed' }));
  });
});

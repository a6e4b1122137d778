import { expect, it } from '@jest/globals';
import type { StoredToken } from '#ledger';
import { aStoredToken } from '#ledger/testing';
import { forgettableTokens } from './forgettable-tokens.ts';

const now = '2026-12-01T12:00:00Z';
const forgotten = (tokens: readonly StoredToken[], before: string): readonly string[] =>
  forgettableTokens(tokens, now, before).map(({ id }) => id);

it('are those that expired long enough ago, revoked or not', () => {
  const tokens = [
    aStoredToken('valid'),
    aStoredToken('expired', { expiresAt: '2026-11-30T12:00:00Z' }),
    aStoredToken('long expired', { expiresAt: '2026-11-23T12:00:00Z' }),
    aStoredToken('revoked', { revokedAt: '2026-11-22T12:00:00Z' }),
  ];
  expect(forgotten(tokens, '2026-11-24T12:00:00Z')).toEqual(['long expired']);
});

it('are the oldest of those that are over, where they are too many; valid ones have room', () => {
  const ended = Array.from({ length: 2_001 }, (_, index) => {
    const revokedAt = new Date(Date.parse('2026-11-23T12:00:00Z') + index).toISOString();
    return aStoredToken(`ended ${index}`, { revokedAt });
  });
  expect(forgotten([aStoredToken('valid'), ...ended], '2026-01-01T00:00:00Z')).toEqual(['ended 0']);
});

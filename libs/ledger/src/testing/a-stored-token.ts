import type { StoredToken } from '../ports/token-store.port.ts';

/** A token of ann's, with which she may view everything. */
export function aStoredToken(id: string, given: Partial<StoredToken> = {}): StoredToken {
  return {
    id,
    sha256: 'a'.repeat(64),
    name: 'ann/ci',
    owner: 'ann',
    parent: null,
    grants: [{ role: 'viewer', namespaces: ['*'] }],
    email: null,
    forgeLogin: null,
    createdAt: '2026-11-22T12:00:00Z',
    expiresAt: '2026-12-22T12:00:00Z',
    revokedAt: null,
    lastUsedAt: null,
    ...given,
  };
}

import { describe, expect, it } from '@jest/globals';
import { grantEverywhere } from '../callers/principal.ts';
import {
  bearerTokenOf,
  createToken,
  randomToken,
  TokenAuthenticator,
  type TokenRecord,
} from './token-authenticator.ts';

describe('TokenAuthenticator', () => {
  const viewer = createToken({ name: 'grafana', grants: grantEverywhere('viewer') });
  const admin = createToken({ name: 'alice', grants: grantEverywhere('admin') });
  const authenticator = new TokenAuthenticator([viewer.record, admin.record]);

  it.each([
    {
      name: 'knows a token by its digest',
      header: `Bearer ${viewer.token}`,
      want: { name: 'grafana', grants: grantEverywhere('viewer') },
    },
    {
      name: 'takes the scheme in any case',
      header: `bearer ${admin.token}`,
      want: { name: 'alice', grants: grantEverywhere('admin') },
    },
    { name: 'refuses another token', header: 'Bearer plm_wrong', want: undefined },
    { name: 'refuses another scheme', header: `Basic ${admin.token}`, want: undefined },
    { name: 'refuses a token with something behind it', header: `Bearer ${admin.token} x`, want: undefined },
    { name: 'refuses a missing header', header: undefined, want: undefined },
  ])('$name', ({ header, want }) => {
    const token = bearerTokenOf(header);
    expect(token === undefined ? undefined : authenticator.authenticate(token)).toEqual(want);
  });

  describe('of a token that was made through the API', () => {
    const { token, sha256 } = randomToken();
    const grantsOf = (owner: string, records: readonly TokenRecord[]) => {
      const stored = {
        ...{ id: 'a', sha256, name: `${owner}/ci`, owner, parent: null, email: null, forgeLogin: null },
        grants: [{ role: 'approver', namespaces: ['shop', 'team-*'] }] as const,
        ...{ createdAt: '2026-11-22T12:00:00Z', expiresAt: '2999-01-01T00:00:00Z' },
        ...{ revokedAt: null, lastUsedAt: null },
      };
      const made = new TokenAuthenticator([]);
      made.replaceStored([stored]);
      made.replace(records);
      return made.authenticate(token)?.grants;
    };
    const ann = (grants: TokenRecord['grants']): TokenRecord => ({ name: 'ann', grants, sha256: 'x' });

    it.each<{ name: string; owner: string; records: readonly TokenRecord[]; want: unknown }>([
      {
        name: 'knows it while its owner may do as much',
        owner: 'ann',
        records: [ann(grantEverywhere('admin'))],
        want: [{ role: 'approver', namespaces: ['shop', 'team-*'] }],
      },
      {
        name: 'leaves it the highest role that its owner still has',
        owner: 'ann',
        records: [
          ann([
            { role: 'viewer', namespaces: ['*'] },
            { role: 'operator', namespaces: ['team-*'] },
          ]),
        ],
        want: [
          { role: 'viewer', namespaces: ['shop'] },
          { role: 'operator', namespaces: ['team-*'] },
        ],
      },
      {
        name: 'takes from it the namespaces that its owner has lost',
        owner: 'ann',
        records: [
          ann([
            { role: 'admin', namespaces: ['team-a'] },
            { role: 'viewer', namespaces: ['shop'] },
          ]),
        ],
        want: [{ role: 'viewer', namespaces: ['shop'] }],
      },
      { name: 'refuses it when its owner is gone', owner: 'ann', records: [], want: undefined },
      {
        name: 'leaves it what it has where another system knows its owner',
        owner: 'oidc:ann@example.com',
        records: [],
        want: [{ role: 'approver', namespaces: ['shop', 'team-*'] }],
      },
    ])('$name', ({ owner, records, want }) => {
      expect(grantsOf(owner, records)).toEqual(want);
    });
  });

  it('keeps no token in its record', () => {
    expect(JSON.stringify(admin.record)).not.toContain(admin.token);
  });
});

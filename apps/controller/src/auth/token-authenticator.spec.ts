import { describe, expect, it } from '@jest/globals';
import { grantEverywhere } from './principal.ts';
import { bearerTokenOf, createToken, TokenAuthenticator } from './token-authenticator.ts';

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

  it('keeps no token in its record', () => {
    expect(JSON.stringify(admin.record)).not.toContain(admin.token);
  });
});

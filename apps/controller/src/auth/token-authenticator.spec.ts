import { describe, expect, it } from '@jest/globals';
import { createToken, mayAct, TokenAuthenticator } from './token-authenticator.ts';

describe('TokenAuthenticator', () => {
  const viewer = createToken({ name: 'grafana', role: 'viewer' });
  const admin = createToken({ name: 'alice', role: 'admin' });
  const authenticator = new TokenAuthenticator([viewer.record, admin.record]);

  it.each([
    {
      name: 'knows a token by its digest',
      header: `Bearer ${viewer.token}`,
      want: { name: 'grafana', role: 'viewer' },
    },
    {
      name: 'takes the scheme in any case',
      header: `bearer ${admin.token}`,
      want: { name: 'alice', role: 'admin' },
    },
    { name: 'refuses another token', header: 'Bearer plm_wrong', want: undefined },
    { name: 'refuses another scheme', header: `Basic ${admin.token}`, want: undefined },
    { name: 'refuses a token with something behind it', header: `Bearer ${admin.token} x`, want: undefined },
    { name: 'refuses a missing header', header: undefined, want: undefined },
  ])('$name', ({ header, want }) => {
    expect(authenticator.authenticate(header)).toEqual(want);
  });

  it('keeps no token in its record', () => {
    expect(JSON.stringify(admin.record)).not.toContain(admin.token);
  });
});

describe('mayAct', () => {
  it.each([
    { role: 'viewer', wanted: 'operator', want: false },
    { role: 'operator', wanted: 'operator', want: true },
    { role: 'admin', wanted: 'approver', want: true },
  ] as const)('$role for $wanted: $want', ({ role, wanted, want }) => {
    expect(mayAct({ name: 'x', role }, wanted)).toBe(want);
  });
});

import { describe, expect, it } from '@jest/globals';
import { externalName, hasRole, mayAct, nobody, type Principal, visibleNamespaces } from './principal.ts';

const ann: Principal = {
  name: 'ann',
  grants: [
    { role: 'approver', namespaces: ['shop'] },
    { role: 'operator', namespaces: ['team-*', '*-staging', 'a*b*c'] },
    { role: 'viewer', namespaces: ['pay', 'shop'] },
  ],
};
const root: Principal = { name: 'root', grants: [{ role: 'operator', namespaces: ['*'] }] };

describe('a grant', () => {
  it.each([
    { caller: ann, role: 'approver', namespace: 'shop', want: true },
    { caller: ann, role: 'viewer', namespace: 'shop', want: true },
    { caller: ann, role: 'admin', namespace: 'shop', want: false },
    { caller: ann, role: 'approver', namespace: 'shop2', want: false },
    { caller: ann, role: 'operator', namespace: 'team-a', want: true },
    { caller: ann, role: 'operator', namespace: 'team-', want: true },
    { caller: ann, role: 'operator', namespace: 'team', want: false },
    { caller: ann, role: 'operator', namespace: 'x-staging', want: true },
    { caller: ann, role: 'operator', namespace: 'x-staging-y', want: false },
    { caller: ann, role: 'operator', namespace: 'axbxc', want: true },
    { caller: ann, role: 'operator', namespace: 'abc', want: true },
    { caller: ann, role: 'operator', namespace: 'ac', want: false },
    { caller: ann, role: 'operator', namespace: 'acb', want: false },
    { caller: ann, role: 'operator', namespace: 'pay', want: false },
    { caller: ann, role: 'viewer', namespace: null, want: false },
    { caller: root, role: 'operator', namespace: null, want: true },
    { caller: root, role: 'operator', namespace: 'anything', want: true },
    { caller: root, role: 'approver', namespace: 'anything', want: false },
    { caller: nobody, role: 'viewer', namespace: 'shop', want: false },
  ] as const)('of $caller.name: $role in $namespace, $want', ({ caller, role, namespace, want }) => {
    expect(mayAct(caller, role, namespace)).toBe(want);
  });

  it('overlaps of the two ends of a pattern count once', () => {
    const caller = { name: 'x', grants: [{ role: 'viewer', namespaces: ['ab*ba'] }] } as const;
    expect(mayAct(caller, 'viewer', 'aba')).toBe(false);
    expect(mayAct(caller, 'viewer', 'abba')).toBe(true);
  });

  it('is a filter of lists', () => {
    expect(visibleNamespaces(ann, 'viewer')).toEqual({
      kind: 'Some',
      patterns: ['*-staging', 'a*b*c', 'pay', 'shop', 'team-*'],
    });
    expect(visibleNamespaces(ann, 'approver')).toEqual({ kind: 'Some', patterns: ['shop'] });
    expect(visibleNamespaces(root, 'viewer')).toEqual({ kind: 'All' });
    expect(visibleNamespaces(nobody, 'viewer')).toEqual({ kind: 'Some', patterns: [] });
  });

  it('makes a role of some namespace', () => {
    expect([hasRole(ann, 'approver'), hasRole(ann, 'admin'), hasRole(nobody, 'viewer')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('the name of a caller whom another system knows', () => {
  it.each([
    { user: 'ann@example.com', want: 'oidc:ann@example.com' },
    { user: 'ann/ci', want: 'oidc:ann%2Fci' },
    { user: 'ann%2Fci', want: 'oidc:ann%252Fci' },
    { user: 'ann\nroot', want: 'oidc:ann%0Aroot' },
    { user: 'toor\u202e\u200b', want: 'oidc:toor%E2%80%AE%E2%80%8B' },
    { user: 'ann\u2028root', want: 'oidc:ann%E2%80%A8root' },
    { user: 'ann\ud800', want: 'oidc:ann\ufffd' },
    { user: 'ann\u3164\ufe0f', want: 'oidc:ann%E3%85%A4%EF%B8%8F' },
    { user: 'ann\u2800', want: 'oidc:ann%E2%A0%80' },
    { user: 'ann\u00a0lee', want: 'oidc:ann%C2%A0lee' },
    { user: ' ann  lee ', want: 'oidc:%20ann%20 lee%20' },
    { user: 'Ann Lee', want: 'oidc:Ann Lee' },
    { user: 'rene\u0301', want: 'oidc:rene%CC%81' },
    { user: 'ren\u00e9', want: 'oidc:ren\u00e9' },
    { user: '\u212aim', want: 'oidc:%E2%84%AAim' },
  ])('is $want, which is no token’s', ({ user, want }) => {
    expect(externalName('oidc', user)).toBe(want);
  });
});

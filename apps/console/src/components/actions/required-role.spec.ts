import { describe, expect, it } from '@jest/globals';
import type { Grant } from '../../api/session.ts';
import { actions } from '../../messages/actions.ts';
import { forbiddenPlaces } from './required-role.ts';

function aCaller(...grants: readonly Grant[]): { readonly name: string; readonly grants: readonly Grant[] } {
  return { name: 'ann', grants };
}

const viewer: Grant = { role: 'viewer', namespaces: ['*'] };

describe('where the role forbids an action', () => {
  it.each([
    {
      name: 'each namespace is named once, in the order in which it was chosen',
      given: ['shop', 'billing', 'shop', 'media'],
      grants: [viewer, { role: 'operator', namespaces: ['media'] }] as const,
      want: ['shop', 'billing'],
    },
    {
      name: 'a higher role may',
      given: ['shop'],
      grants: [{ role: 'admin', namespaces: ['s*'] }] as const,
      want: [],
    },
    { name: 'every namespace wants all of them', given: ['*'], grants: [viewer] as const, want: ['*'] },
  ])('$name', ({ given, grants, want }) => {
    expect(forbiddenPlaces({ role: 'operator', namespaces: given }, aCaller(...grants))).toEqual(want);
  });

  it('a place of which the server knows the namespaces is open to whoever has the role anywhere', () => {
    const required = { role: 'approver', place: 'every namespace of it' } as const;
    expect(forbiddenPlaces(required, aCaller(viewer))).toEqual(['every namespace of it']);
    expect(forbiddenPlaces(required, aCaller({ role: 'approver', namespaces: ['shop'] }))).toEqual([]);
    expect(forbiddenPlaces(required, undefined)).toEqual(['every namespace of it']);
  });

  it('a place of which the server has said the roles is open to those alone', () => {
    const required = { role: 'operator', place: 'every namespace of it' } as const;
    const caller = aCaller({ role: 'operator', namespaces: ['shop'] });
    expect(forbiddenPlaces({ ...required, roles: [] }, caller)).toEqual(['every namespace of it']);
    expect(forbiddenPlaces({ ...required, roles: ['viewer', 'operator'] }, caller)).toEqual([]);
  });

  it('is said with every place, and with who could', () => {
    expect(actions.forbiddenText('operator', ['shop', 'billing', 'media'])).toBe(
      'It wants the role operator in shop, billing and media.',
    );
    expect(actions.whoCould('operator', ['*'])).toBe(
      'An operator, approver or admin of every namespace could.',
    );
    expect(actions.whoCould('approver', ['shop'])).toBe('An approver or admin of shop could.');
  });
});

import { describe, expect, it } from '@jest/globals';
import { auditFilterOf } from './audit-filter.ts';

describe('the filter of the audit page', () => {
  it.each([
    { name: 'nothing', given: '', want: {} },
    { name: 'an unknown kind', given: 'kind=Nope&actor=%20', want: {} },
    {
      name: 'everything',
      given:
        'kind=OperatorAction&namespace=shop&policy=shop/web&actor=demo&commit=abc&from=2026-11-22T03:00&until=2026-11-22T04:00:00Z',
      want: {
        kinds: ['OperatorAction'],
        namespaces: ['shop'],
        policy: { namespace: 'shop', name: 'web' },
        actor: 'demo',
        commit: 'abc',
        from: '2026-11-22T03:00:00Z',
        until: '2026-11-22T04:00:00Z',
      },
    },
    {
      name: 'a policy beside its namespace',
      given: 'namespace=shop&policy=web',
      want: { namespaces: ['shop'], policy: { namespace: 'shop', name: 'web' } },
    },
    { name: 'a policy without one', given: 'policy=web', want: { policy: { namespace: '', name: 'web' } } },
  ])('$name', ({ given, want }) => {
    expect(auditFilterOf(new URLSearchParams(given))).toEqual(want);
  });
});

import { describe, expect, it } from '@jest/globals';
import { auditFilterOf } from './audit-filter.ts';

describe('the filter of the audit page', () => {
  it.each([
    { name: 'nothing', given: '', want: {} },
    { name: 'an unknown kind', given: 'kind=Nope&actor=%20', want: {} },
    {
      name: 'everything',
      given: 'kind=OperatorAction&namespace=shop&actor=demo&from=2026-11-22T03:00&until=2026-11-22T04:00:00Z',
      want: {
        kinds: ['OperatorAction'],
        namespaces: ['shop'],
        actor: 'demo',
        from: '2026-11-22T03:00:00Z',
        until: '2026-11-22T04:00:00Z',
      },
    },
  ])('$name', ({ given, want }) => {
    expect(auditFilterOf(new URLSearchParams(given))).toEqual(want);
  });
});

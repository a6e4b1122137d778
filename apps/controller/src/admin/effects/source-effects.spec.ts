import { expect, it } from '@jest/globals';
import type { Hold } from '#git-sync';
import { approvalEffect } from './source-effects.ts';

const holdOf = (digest: string, tenant: string | null, commit = '0123456789abcdef'): Hold => ({
  scope: tenant === null ? { kind: 'Source' } : { kind: 'Tenant', tenant },
  causes: [],
  digest,
  commit,
  since: '2026-11-21T12:00:00Z',
  isRejected: false,
});
const hold = holdOf('a', 'shop');

it.each<{ beside: string; approved?: Hold; others: readonly Hold[]; want: string }>([
  { beside: 'no other hold', others: [], want: 'as it is held' },
  { beside: 'a hold of another tenant', others: [holdOf('b', 'billing')], want: 'as it is held' },
  { beside: 'a hold of an earlier commit', others: [holdOf('b', null, 'ffff')], want: 'as it is held' },
  {
    beside: 'a hold of the whole source',
    others: [holdOf('b', null)],
    want: 'only as far as nothing else holds it: another hold of it stands',
  },
  {
    beside: 'another hold of its tenant',
    others: [holdOf('b', 'shop')],
    want: 'only as far as nothing else holds it: another hold of it stands',
  },
  {
    beside: 'holds of two tenants, of the whole source itself',
    approved: holdOf('a', null),
    others: [holdOf('b', 'shop'), holdOf('c', 'billing')],
    want: 'only as far as nothing else holds it: 2 other holds of it stand',
  },
])('an approval beside $beside: $want', ({ approved = hold, others, want }) => {
  const { summary } = approvalEffect({ name: 'policies', holds: [approved, ...others] }, approved, {
    effects: [],
    standing: [],
  });
  expect(summary).toBe(`0123456789ab of policies comes in force ${want}`);
});

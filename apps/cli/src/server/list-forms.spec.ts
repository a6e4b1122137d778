import { expect, it } from '@jest/globals';
import { aCommit } from '../../../../test/support/ledger-builders.ts';
import { changesForm, listForms } from './list-forms.ts';
import { table } from './print-answer.ts';

it('has of a version both how it left and the subject of its commit', () => {
  const origin = { source: 'policies', commit: aCommit, file: 'checkout.yaml', line: 3 };
  const version = { origin, validFrom: '2026-11-20T11:00:00Z', removedBy: null, document: {} };
  const rows = [
    { ...version, validTo: null, departure: null },
    { ...version, validTo: '2026-11-20T13:00:00Z', departure: 'RolledBack' },
  ];
  const hash = aCommit.hash.slice(0, 12);
  expect(table(rows, changesForm.columns).split('\n').slice(1, 3)).toEqual([
    `2026-11-20T11:00:00Z  -                     -           -           ${hash}  Ada <ada@example.org>  Add checkout policy`,
    `2026-11-20T11:00:00Z  2026-11-20T13:00:00Z  RolledBack  -           ${hash}  Ada <ada@example.org>  Add checkout policy`,
  ]);
});

it('has who removed a version, and in which commit', () => {
  const [, cell] = changesForm.columns.find(([heading]) => heading === 'REMOVED BY') ?? [];
  expect(cell?.({ removedBy: aCommit })).toBe(`${aCommit.hash.slice(0, 12)} Ada <ada@example.org>`);
});

it.each([
  { takesShards: true, want: null },
  { takesShards: false, want: 'no' },
  { takesShards: null, want: '?' },
])(
  'says of a replica whether it takes shards, where that is known: $takesShards',
  ({ takesShards, want }) => {
    const [, cell] = listForms['replicas']?.columns.find(([heading]) => heading === 'TAKES') ?? [];
    expect(cell?.({ takesShards })).toBe(want);
  },
);

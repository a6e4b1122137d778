import { expect, it } from '@jest/globals';
import { aCommit } from '../../../../test/support/ledger-builders.ts';
import { historyForm, listForms } from './list-forms.ts';
import { table } from './print-answer.ts';
import { changesForm } from './versions-form.ts';

it('has of a version both how it left and the subject of its commit', () => {
  const origin = { source: 'policies', commit: aCommit, file: 'checkout.yaml', line: 3 };
  const version = {
    origin,
    validFrom: '2026-11-20T11:00:00Z',
    removedBy: null,
    removedByOperator: null,
    removalAllowedBy: null,
    allowedBy: null,
    document: {},
  };
  const rows = [
    { ...version, validTo: null, departure: null },
    { ...version, validTo: '2026-11-20T13:00:00Z', departure: 'RolledBack' },
  ];
  const hash = aCommit.hash.slice(0, 12);
  expect(table(rows, changesForm.columns).split('\n').slice(1, 3)).toEqual([
    `2026-11-20T11:00:00Z  -                     -           -           -          ${hash}  Ada <ada@example.org>  Add checkout policy`,
    `2026-11-20T11:00:00Z  2026-11-20T13:00:00Z  RolledBack  -           -          ${hash}  Ada <ada@example.org>  Add checkout policy`,
  ]);
});

it.each([
  { allowedBy: null, want: null },
  { allowedBy: [], want: null },
  {
    allowedBy: [
      { action: 'RollBackSource', by: 'ann', reason: 'it flaps', time: '2026-11-20T12:00:00Z' },
      { action: 'ResumeSource', by: 'ben', reason: '', time: null },
    ],
    want: 'ann rolled back at 2026-11-20T12:00:00Z: it flaps; ben resumed',
  },
])('says of a version who let it in: $want', ({ allowedBy, want }) => {
  const [, cell] = changesForm.columns.find(([heading]) => heading === 'LET IN BY') ?? [];
  expect(cell?.({ allowedBy })).toBe(want);
});

it('has who removed a version, in which commit, and who let that happen', () => {
  const [, cell] = changesForm.columns.find(([heading]) => heading === 'REMOVED BY') ?? [];
  const byCommit = `${aCommit.hash.slice(0, 12)} Ada <ada@example.org>`;
  const nobody = { removedByOperator: null, removalAllowedBy: [] };
  expect(cell?.({ ...nobody, removedBy: aCommit })).toBe(byCommit);
  const removedByOperator = { action: 'ReleasePolicy', by: 'olga', reason: 'leaves' };
  expect(cell?.({ removedBy: null, removedByOperator, removalAllowedBy: null })).toBe('olga: leaves');
  const approval = { action: 'ApproveHold', by: 'ben', reason: 'off-season', time: '2026-11-20T12:00:00Z' };
  const approved = 'ben approved at 2026-11-20T12:00:00Z: off-season';
  expect(cell?.({ ...nobody, removedBy: aCommit, removalAllowedBy: [approval] })).toBe(
    `${byCommit}; ${approved}`,
  );
  expect(cell?.({ removedBy: null, removedByOperator, removalAllowedBy: [approval] })).toBe(
    `olga: leaves; ${approved}`,
  );
  expect(cell?.({ ...nobody, removedBy: null })).toBeNull();
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

it.each([
  { given: { kind: 'Suspend', direction: 'Down' }, want: 'down' },
  { given: { kind: 'Suspend', direction: 'Both' }, want: 'up and down' },
  {
    given: { kind: 'Override', replicas: 40, minReplicas: null, maxReplicas: 50 },
    want: 'at most 50, exactly 40',
  },
  { given: { kind: 'Override', replicas: null, minReplicas: null, maxReplicas: 10 }, want: 'at most 10' },
  {
    given: { kind: 'Override', replicas: null, minReplicas: 2, maxReplicas: 10 },
    want: 'at least 2, at most 10',
  },
  { given: { kind: 'DryRun' }, want: 'writes nothing' },
])('says of an intervention what it does: $want', ({ given, want }) => {
  const [, cell] = listForms['interventions']?.columns.find(([heading]) => heading === 'WHAT') ?? [];
  expect(cell?.(given)).toBe(want);
});

it.each([
  { code: 'NotDescendant', items: ['a'], want: 'why' },
  { code: 'ScaleInByBound', items: [], want: 'why' },
  {
    code: 'ScaleInByBound',
    items: ['a maxReplicas 50 → 10 (40 present)', 'b', 'c', 'd', 'e'],
    want: 'a maxReplicas 50 → 10 (40 present), b, c and 2 more: why',
  },
  {
    code: 'ScaleInByBound',
    items: ['a maxReplicas 10 (40 present)'],
    message: 'a: maxReplicas 10 is too low',
    want: 'a maxReplicas 10 (40 present): maxReplicas 10 is too low',
  },
  {
    code: 'ScaleInByBound',
    items: ['a maxReplicas 10 (40 present)', 'b'],
    message: 'a: maxReplicas 10 is too low (and 1 more)',
    want: 'a maxReplicas 10 (40 present), b: a: maxReplicas 10 is too low (and 1 more)',
  },
])(
  'has the code of a cause, and the numbers of one that takes replicas away: $code of $items',
  ({ code, items, message = 'why', want }) => {
    const [, cell] = listForms['holds']?.columns.find(([heading]) => heading === 'CAUSES') ?? [];
    expect(cell?.({ causes: [{ code, message, items }] })).toBe(`${code}: ${want}`);
  },
);

it.each([
  { reason: 'Override by ann: incident 7', want: null },
  { reason: 'All metrics below target', want: aCommit.hash.slice(0, 12) },
])('names a commit for a change of the count where no operator made it: $reason', ({ reason, want }) => {
  const [, cell] = historyForm.columns.find(([heading]) => heading === 'COMMIT') ?? [];
  expect(cell?.({ commit: aCommit, reason })).toBe(want);
});

it('names the controller as who did something', () => {
  const [, cell] = listForms['audit-entries']?.columns.find(([heading]) => heading === 'ACTOR') ?? [];
  expect(['plimsoll', 'ada', undefined].map((actor) => cell?.({ payload: { actor } }))).toEqual([
    'Plimsoll',
    'ada',
    null,
  ]);
});

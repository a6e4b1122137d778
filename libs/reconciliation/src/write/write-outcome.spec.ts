import { describe, expect, it } from '@jest/globals';
import type { ScalingIntentPayload } from '#ledger';
import { plimsollManager } from '../ports/field-manager.ts';
import type { ScaleReading } from '../ports/scale.port.ts';
import type { ExternalChange } from '../runtime/replica-account.ts';
import { refusedWriteOutcomeOf, writeOutcomeOf } from './write-outcome.ts';

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout', uid: 'u1' };
const intent = { target, from: 4, to: 6, resourceVersion: '10' } as unknown as ScalingIntentPayload;

const reading = (specReplicas: number, resourceVersion: string, uid = 'u1'): ScaleReading => ({
  state: { uid, specReplicas, resourceVersion } as Extract<ScaleReading, { state: unknown }>['state'],
});

const change = (to: number, manager: string | null): ExternalChange => ({
  uid: 'u1',
  from: 4,
  to,
  manager,
  resourceVersion: '11',
});

describe('what became of a write whose answer was lost', () => {
  it.each([
    {
      name: 'the step is there, by us',
      found: reading(6, '11'),
      changes: [change(6, plimsollManager)],
      want: 'Written',
    },
    {
      name: 'the step is there, by nobody known',
      found: reading(6, '11'),
      changes: [change(6, null)],
      want: 'Written',
    },
    {
      name: 'the step is there, by us, to a count that admission made of it',
      found: reading(5, '11'),
      changes: [change(5, plimsollManager)],
      want: 'Written',
    },
    {
      name: 'a step to another count is there, by nobody known',
      found: reading(5, '11'),
      changes: [change(5, null)],
      want: 'Overtaken',
    },
    { name: 'the version is the one written on', found: reading(4, '10'), changes: [], want: 'NotApplied' },
    { name: 'the target has changed since', found: reading(4, '12'), changes: [], want: 'Overtaken' },
    {
      name: 'others have scaled since',
      found: reading(9, '12'),
      changes: [change(9, 'helm')],
      want: 'Overtaken',
    },
    {
      name: 'the step is there, by another',
      found: reading(6, '11'),
      changes: [change(6, 'helm')],
      want: 'Overtaken',
    },
    { name: 'the target was made anew', found: reading(4, '12', 'u2'), changes: [], want: 'TargetReplaced' },
  ])('is $want where $name', ({ found, changes, want }) => {
    const outcome = writeOutcomeOf(intent, found, changes);
    expect(outcome.kind === 'Failed' ? outcome.failure.code : outcome.kind).toBe(want);
  });

  it('is not known while the target cannot be read', () => {
    const failed = { error: { reason: 'FailedGetScale', message: 'away' }, cause: 'Failed' } as const;
    expect(writeOutcomeOf(intent, failed, [])).toEqual({ kind: 'Unknown', message: 'away' });
  });
});

describe('what became of a write that was refused', () => {
  it.each([
    { name: 'we changed the count', changes: [change(6, plimsollManager)], want: 'Written' },
    {
      name: 'we did before others',
      changes: [change(6, plimsollManager), change(9, 'helm')],
      want: 'Written',
    },
    { name: 'others changed it', changes: [change(9, 'helm')], want: 'Changed' },
    { name: 'nobody did: its selector is another one', changes: [], want: 'Changed' },
    { name: 'a manager that is not known changed it', changes: [change(9, null)], want: 'Overtaken' },
  ])('is $want where $name', ({ changes, want }) => {
    const outcome = refusedWriteOutcomeOf(intent, reading(9, '12'), changes);
    expect(outcome.kind === 'Failed' ? outcome.failure.code : outcome.kind).toBe(want);
  });
});

describe('a write of which nothing shows that it was not made', () => {
  it.each([
    { name: 'a scale-in', to: 2, found: 4, want: true },
    { name: 'a scale-up after which the count is another one', to: 6, found: 9, want: true },
    { name: 'a scale-up after which the count is as it was', to: 6, found: 4, want: false },
  ])('counts for limits as made: $name is $want', ({ to, found, want }) => {
    const outcome = writeOutcomeOf({ ...intent, to }, reading(found, '12'), []);
    expect(outcome).toMatchObject({ failure: { code: 'Overtaken', countsAsMade: want } });
  });
});

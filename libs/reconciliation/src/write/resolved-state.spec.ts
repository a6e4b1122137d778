import { expect, it } from '@jest/globals';
import type { PolicyState } from '#ledger';
import { resolvedState } from './resolved-state.ts';
import type { WriteOutcome } from './write-outcome.ts';

const refusal = {
  direction: 'Down',
  wanted: 2,
  targetUid: 'uid',
  version: 'fleet 1 a.yaml',
  code: 'Forbidden',
  message: 'it is forbidden',
  since: '2026-11-20T12:00:00.000Z',
  refusedAt: ['2026-11-20T12:00:00.000Z'],
  refusals: 0,
} as const;
const state: PolicyState = {
  policy: { namespace: 'shop', name: 'checkout' },
  memory: {},
  memoryIfWritten: {},
  openRun: null,
  lastDecision: null,
  strategy: null,
  account: null,
  contest: null,
  refusal,
  updatedAt: '2026-11-20T12:00:00.000Z',
};
const scale = { uid: 'uid', resourceVersion: '5', specReplicas: 2, statusReplicas: 4, selector: '' };

it.each<{ name: string; outcome: WriteOutcome; want: PolicyState['refusal'] }>([
  { name: 'ends with a write that was made', outcome: { kind: 'Written', from: 4, scale }, want: null },
  {
    name: 'goes on after one that was not made',
    outcome: { kind: 'Failed', failure: { code: 'NotApplied', message: 'it was not made' } },
    want: refusal,
  },
])('a refusal $name', ({ outcome, want }) => {
  expect(resolvedState(state, outcome, '2026-11-20T12:00:30.000Z').refusal).toBe(want);
});

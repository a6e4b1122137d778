import { expect, it } from '@jest/globals';
import type { AppendBatch, PolicyState } from '#ledger';
import { appendStatementsInSteps } from './append-statements.ts';

const state = {
  memory: {},
  memoryIfWritten: null,
  openRun: null,
  lastDecision: null,
  strategy: null,
  account: null,
  contest: null,
  refusal: null,
  updatedAt: '2026-11-20T12:00:00.000Z',
} as const;

it('writes one state and the conditions of one policy per step, so that thousands do not hold the thread', () => {
  const policies = Array.from({ length: 50 }, (_, index) => ({ namespace: 'shop', name: `p${index}` }));
  const states: readonly PolicyState[] = policies.map((policy) => ({ ...state, policy }));
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Done',
    message: '',
    lastTransitionTime: '',
  } as const;
  const batch: AppendBatch = {
    id: '1.1',
    fences: [{ scope: 'shard/0', epoch: 1n, holder: 'a' }],
    entries: [],
    before: [],
    after: [],
    states,
    conditions: policies.map((policy) => ({ policy, conditions: [condition] })),
    forget: [],
    begin: [],
    end: [],
    tokens: { put: [], forget: [] },
    sources: [],
  };
  const steps = appendStatementsInSteps('sqlite', batch, new Map());
  let taken = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) taken += 1;
  expect(taken).toBe(100);
  expect(step.value.map(({ rows }) => rows?.length)).toEqual([undefined, 50, 50]);
});

import { expect, it } from '@jest/globals';
import type { Condition } from '#decision';
import { aDecision } from '../testing/a-decision.ts';
import { upstreamConditions } from './upstream-conditions.ts';

const condition = (type: string, reason: string): Condition => ({
  type,
  status: 'False',
  reason,
  message: 'as remembered from an earlier pass',
  lastTransitionTime: '2026-11-20T12:00:00.000Z',
});

it('says what a remembered reason means where no sentence of before is known, as after a restart', () => {
  const conditions = [condition('ScaledToZero', 'NotScaledToZero'), condition('AbleToScale', 'Other')];
  const made = upstreamConditions({
    decision: aDecision({ conditions }),
    memory: { conditions },
    outcome: { kind: 'Done', reason: 'Unchanged', message: '' },
    replicas: 4,
    before: () => undefined,
  });
  expect(made.map(({ type, message }) => `${type}: ${message}`)).toEqual([
    'ScaledToZero: the target was not scaled to zero by its policy',
    'AbleToScale: as remembered from an earlier pass',
  ]);
});

import { expect, it } from '@jest/globals';
import type { DryDecision } from '#contracts';
import { aCommit, aDecision } from '../../../../test/support/ledger-builders.ts';
import { plain } from '../decision/explain-decision.ts';
import { showWhatIf } from './show-what-if.ts';

const recorded = {
  ...{ ...aDecision(), id: 'policy:shop/checkout#1', commit: aCommit },
  ...{ departures: [], engineVersion: '1.0.0' },
} as unknown as DryDecision['recorded'];
const dry = { recorded, action: 'ScaleDown', desiredReplicas: 5, reason: 'Override', metrics: [] } as const;
const steps = [
  { rule: 'override', before: 4, after: 9, because: 'pinned' },
  { rule: 'min-max', before: 9, after: 5, because: 'at most 5' },
  { rule: 'tolerance', before: 5, after: 5, because: 'nothing' },
];

it('begins with the bounds that were asked for, and the rule that has the last word', () => {
  const bounds = { minReplicas: '2', maxReplicas: '5' };
  expect(showWhatIf({ ...dry, steps }, bounds, plain)).toMatch(
    /^with minReplicas 2 and maxReplicas 5; the last rule to change the count is min-max: 9 → 5\n\nshop\/checkout /,
  );
  const none = { minReplicas: undefined, maxReplicas: undefined };
  expect(showWhatIf({ ...dry, steps: [] }, none, plain)).toMatch(
    /^with the bounds as they are; no rule changes the count\n\n/,
  );
});

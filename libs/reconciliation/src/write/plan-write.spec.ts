import { describe, expect, it } from '@jest/globals';
import { aDecision } from '../testing/a-decision.ts';
import { aPolicy } from '../testing/a-policy.ts';
import { type PlanInput, planWrite } from './plan-write.ts';

const rival = {
  name: 'web',
  uid: 'uid-of-web',
  target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
  selector: 'app=checkout',
  manager: 'helm',
  policy: null,
};
const down = aDecision({ action: 'ScaleDown', desiredReplicas: 2 });
const downByOwner = {
  ...down,
  selection: { requested: 'OwnerReference', effective: 'OwnerReference', fallback: null },
} as const;

function planned(changes: Partial<PlanInput>): string {
  const input: PlanInput = {
    policy: aPolicy(),
    decision: aDecision(),
    mode: 'Act',
    rival: null,
    competitors: 'Known',
    ...changes,
  };
  const plan = planWrite(input);
  if (plan.kind === 'Write') return `${plan.from} → ${plan.to}`;
  return plan.kind === 'Nothing' ? 'Nothing' : plan.reason;
}

describe('planWrite', () => {
  const shared = aPolicy({ sharedSelectorAllowed: true });
  const rendered = aPolicy({ actuation: 'HorizontalPodAutoscaler' });
  it.each<{ name: string; given: Partial<PlanInput>; want: string }>([
    { name: 'writes a scale-up', given: {}, want: '4 → 6' },
    { name: 'writes a scale-down', given: { decision: down }, want: '4 → 2' },
    {
      name: 'does nothing for the present count',
      given: { decision: aDecision({ desiredReplicas: 4 }) },
      want: 'Nothing',
    },
    {
      name: 'does nothing where the scale was not read',
      given: { decision: aDecision({ currentReplicas: null, desiredReplicas: null, action: 'Hold' }) },
      want: 'Nothing',
    },
    { name: 'writes nothing in a dry run', given: { policy: aPolicy({ dryRun: true }) }, want: 'DryRun' },
    { name: 'writes nothing in mode Observe', given: { mode: 'Observe' }, want: 'Observing' },
    { name: 'writes nothing for a native HPA', given: { policy: rendered }, want: 'HpaNotRendered' },
    { name: 'writes nothing beside a live HPA', given: { rival }, want: 'Conflict' },
    { name: 'scales up before competitors are known', given: { competitors: 'Unknown' }, want: '4 → 6' },
    {
      name: 'does not scale down before competitors are known',
      given: { decision: down, competitors: 'Unknown' },
      want: 'CompetitorsUnknown',
    },
    {
      name: 'scales down by owner whoever shares labels',
      given: { decision: downByOwner, competitors: 'Unknown' },
      want: '4 → 2',
    },
    {
      name: 'scales down where sharing is the documented use',
      given: { decision: down, competitors: 'Unknown', policy: shared },
      want: '4 → 2',
    },
  ])('$name', ({ given, want }) => {
    expect(planned(given)).toBe(want);
  });

  it('names the HPA that is in the way, and who applies it', () => {
    expect(
      planWrite({ policy: aPolicy(), decision: aDecision(), mode: 'Act', rival, competitors: 'Known' }),
    ).toEqual({
      kind: 'Withheld',
      reason: 'Conflict',
      message:
        'not written: HorizontalPodAutoscaler web, applied by helm, scales the same target; delete one of the two',
    });
  });
});

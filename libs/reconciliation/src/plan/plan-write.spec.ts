import { describe, expect, it } from '@jest/globals';
import type { MetricSpec } from '#policy';
import type { LossWait } from '../brake/loss-wait.ts';
import { aDecision, aDecisionMetric } from '../testing/a-decision.ts';
import { aNativeAutoscaler } from '../testing/a-native-autoscaler.ts';
import { aPolicy } from '../testing/a-policy.ts';
import { type Plan, type PlanInput, planWrite } from './plan-write.ts';

const rival = aNativeAutoscaler({ name: 'web', selector: 'app=checkout' });
const down = aDecision({ action: 'ScaleDown', desiredReplicas: 2 });
const downByOwner = {
  ...down,
  selection: { requested: 'OwnerReference', effective: 'OwnerReference', fallback: null },
} as const;

const cpu = {
  type: 'Resource',
  resource: 'cpu',
  target: { type: 'Utilization', averageUtilization: 60 },
  targetDocument: { type: 'Utilization', averageUtilization: 60 },
} as unknown as MetricSpec;
const disabled = aPolicy({ enabled: false });
const keeping = aDecision({ desiredReplicas: 4, action: 'None', reason: 'Disabled' });
const freeze = (direction: 'Up' | 'Down' | 'Both') => [{ direction, name: 'freeze "release"' }];

function planFor(changes: Partial<PlanInput>): Plan {
  return planWrite({
    policy: aPolicy(),
    decision: aDecision(),
    mode: 'Act',
    isDryRun: false,
    rival: null,
    competitor: null,
    competitorUnknown: null,
    restoreReplicas: null,
    stops: [],
    isRivalOwn: false,
    awaitedNeighbours: [],
    missingPods: 0,
    isEarly: false,
    lossWait: null,
    contest: null,
    refusal: null,
    targetUid: 'uid-of-checkout',
    version: 'fleet 1 checkout.yaml',
    now: 0,
    ...changes,
  });
}

function planned(changes: Partial<PlanInput>): string {
  const plan = planFor(changes);
  if (plan.kind === 'Write') return `${plan.from} → ${plan.to}`;
  return plan.kind === 'Withheld' ? plan.reason : plan.kind;
}

describe('planWrite', () => {
  const shared = aPolicy({ sharedSelectorAllowed: true });
  const unchanged = aDecision({ desiredReplicas: 4, action: 'None' });
  const obstacles = [
    {
      name: 'a policy beside a live HPA that agrees',
      given: { rival, decision: unchanged },
      want: 'Conflict',
    },
    {
      name: 'not a policy that is not to be carried out: mode Observe',
      given: { rival, decision: unchanged, mode: 'Observe' },
      want: 'Nothing',
    },
    {
      name: 'not a policy that is not to be carried out: disabled',
      given: { rival, decision: unchanged, policy: aPolicy({ enabled: false }) },
      want: 'Nothing',
    },
  ] as const;
  const byCpu = aPolicy({ metrics: [cpu] });
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
    { name: 'writes nothing in a dry run', given: { isDryRun: true }, want: 'DryRun' },
    { name: 'writes nothing in mode Observe', given: { mode: 'Observe' }, want: 'Observing' },
    { name: 'writes nothing beside a live HPA', given: { rival }, want: 'Conflict' },
    ...obstacles,
    {
      name: 'scales up before competitors are known',
      given: { awaitedNeighbours: ['shop/web'] },
      want: '4 → 6',
    },
    {
      name: 'does not scale down before competitors are known',
      given: { decision: down, awaitedNeighbours: ['shop/web'] },
      want: 'CompetitorsUnknown',
    },
    {
      name: 'scales down by owner whoever shares labels',
      given: { decision: downByOwner, awaitedNeighbours: ['shop/web'] },
      want: '4 → 2',
    },
    {
      name: 'scales down where sharing is the documented use',
      given: { decision: down, awaitedNeighbours: ['shop/web'], policy: shared },
      want: '4 → 2',
    },
    {
      name: 'does not scale down by pods that the cache does not know',
      given: { decision: down, policy: byCpu, missingPods: 1 },
      want: 'PodsUnknown',
    },
    { name: 'scales up by them', given: { policy: byCpu, missingPods: 1 }, want: '4 → 6' },
    {
      name: 'scales down by a queue that knows no pods',
      given: { decision: down, missingPods: 1 },
      want: '4 → 2',
    },
    {
      name: 'restores the count of a disabled policy',
      given: { policy: disabled, decision: keeping, restoreReplicas: 2 },
      want: '4 → 2',
    },
    {
      name: 'restores nothing where nothing is to be restored',
      given: { policy: disabled, decision: keeping },
      want: 'Nothing',
    },
    {
      name: 'restores after a freeze of that direction',
      given: { policy: disabled, decision: keeping, restoreReplicas: 2, stops: freeze('Down') },
      want: 'RestoreDelayed',
    },
    {
      name: 'restores during a freeze of the other direction',
      given: { policy: disabled, decision: keeping, restoreReplicas: 2, stops: freeze('Up') },
      want: '4 → 2',
    },
    {
      name: 'restores nothing beside a live HPA',
      given: { policy: disabled, decision: keeping, restoreReplicas: 2, rival },
      want: 'Conflict',
    },
  ])('$name', ({ given, want }) => {
    expect(planned(given)).toBe(want);
  });

  it('names the policies that have not looked yet', () => {
    const names = ['shop/a', 'shop/b', 'shop/c', 'shop/d', 'shop/e'];
    expect(planFor({ decision: down, awaitedNeighbours: names })).toMatchObject({
      message:
        'not written yet: shop/a, shop/b, shop/c and 2 more must first look at the pods of the namespace',
    });
  });

  it('names the HPA that is in the way, and who applies it', () => {
    expect(planFor({ rival })).toEqual({
      kind: 'Withheld',
      reason: 'Conflict',
      message:
        'not written: HorizontalPodAutoscaler web, applied by helm, scales the same target; delete one of the two',
    });
  });

  it.each(['ScaledObject', 'WatermarkPodAutoscaler'] as const)(
    'writes nothing beside a %s, and names it',
    (kind) => {
      const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' };
      const competitor = { kind, name: 'other', target, manager: 'argocd' };
      for (const decision of [aDecision(), unchanged]) {
        expect(planFor({ competitor, decision })).toEqual({
          kind: 'Withheld',
          reason: 'Conflict',
          message: `not written: ${kind} other, applied by argocd, scales the same target; delete one of the two`,
        });
      }
      expect(planned({ competitor, policy: disabled, decision: keeping })).toBe('Nothing');
    },
  );

  it.each([
    { name: 'what metrics ask for', changes: {}, want: 'IntervalNotElapsed' },
    {
      name: 'what metrics ask for in a dry run',
      changes: { isDryRun: true },
      want: 'IntervalNotElapsed',
    },
    { name: 'what metrics ask for beside another HPA', changes: { rival }, want: 'Conflict' },
    { name: 'nothing where nothing changes', changes: { decision: unchanged }, want: 'Nothing' },
    { name: 'a correction of the bounds', changes: { decision: aDecision({ metrics: [] }) }, want: '4 → 6' },
    {
      name: 'a pin',
      changes: {
        decision: aDecision({ reason: 'Override' }),
      },
      want: '4 → 6',
    },
    {
      name: 'what metrics ask for within an override of the bounds',
      changes: {
        decision: aDecision({ steps: [{ rule: 'override', before: 4, after: 4, because: 'at most 9' }] }),
      },
      want: 'IntervalNotElapsed',
    },
    {
      name: 'the restoring of a count',
      changes: { policy: disabled, decision: keeping, restoreReplicas: 3 },
      want: '4 → 3',
    },
  ])('before the interval has elapsed plans $want for $name', ({ changes, want }) => {
    expect(planned({ isEarly: true, ...changes })).toBe(want);
  });

  it.each([
    { name: 'up within a minute', now: 59_999, want: 'Contested' },
    { name: 'up after a minute', now: 60_000, want: '4 → 6' },
    {
      name: 'down within four minutes',
      decision: aDecision({ desiredReplicas: 2 }),
      now: 239_999,
      want: 'Contested',
    },
    {
      name: 'down after four minutes',
      decision: aDecision({ desiredReplicas: 2 }),
      now: 240_000,
      want: '4 → 2',
    },
  ])('in a contest with five reversals plans $want for a write $name', ({ want, ...changes }) => {
    const contest = { manager: 'helm', reversals: 5, lastAt: 0 };
    expect(planned({ contest, ...changes })).toBe(want);
  });

  it.each<{ lossWait: LossWait; want: string }>([
    { lossWait: { kind: 'TargetsUnseen' }, want: 'other targets of its metrics' },
    {
      lossWait: { kind: 'ShardsUnseen', shards: [3] },
      want: 'those of shard 3, of which it is not known yet what a replica has seen since',
    },
    {
      lossWait: { kind: 'ShardsUnseen', shards: [1, 3, 5, 7, 9] },
      want: 'those of shards 1, 3, 5 and 2 more, of which it is not known yet what a replica has seen since',
    },
  ])('says that a large loss waits for $want', ({ lossWait, want }) => {
    const metrics = [aDecisionMetric({ proposedReplicas: 2 })];
    expect(planFor({ decision: { ...down, metrics }, lossWait })).toEqual({
      kind: 'Withheld',
      reason: 'LossUnconfirmed',
      message: `not written yet: it takes a large share of the replicas, and the fleet brake first looks at ${want}`,
    });
    expect(planned({ lossWait })).toBe('4 → 6');
  });

  it('says that the suspension of all that the metrics scale is on its way', () => {
    const decision = { ...down, metrics: [aDecisionMetric({ proposedReplicas: 2 })] };
    expect(planFor({ decision, lossWait: { kind: 'SuspensionAwaited' } })).toEqual({
      kind: 'Withheld',
      reason: 'LossUnconfirmed',
      message:
        'not written: the fleet brake holds what its metrics take, and the suspension is not recorded yet',
    });
  });

  it('names in a contest who undoes the writes, for how long they wait, and the cure', () => {
    const contest = { manager: 'helm', reversals: 3, lastAt: 0 };
    expect(planFor({ contest, now: 15_000 })).toMatchObject({
      message: expect.stringMatching(
        /^not written for 45 s: 3 writes of Plimsoll were undone, the last by helm; let one/,
      ),
    });
  });
});

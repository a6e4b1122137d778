import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Condition } from '#decision';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import type { Rollout } from '../ports/scale.port.ts';
import type { Reconciler } from '../reconciler.ts';
import { aNativeAutoscaler } from '../testing/a-native-autoscaler.ts';
import { rendered } from '../testing/a-rendered-policy.ts';
import { queryOf, World } from '../testing/a-world.ts';

const start = '2026-11-20T12:00:15.000Z';
const failing = { error: { reason: 'FailedGetExternalMetric', message: 'no such metric' } };
const rolledOut: Rollout = {
  readyReplicas: 4,
  updatedReplicas: 4,
  isObserved: true,
  progressDeadlineSeconds: 30,
  failure: null,
};

let world: World;
let checkout: ActivePolicy;
let reconciler: Reconciler;

beforeEach(async () => {
  world = new World();
  checkout = world.add({}, 4);
  world.proposes(checkout, 4);
  world.scale.roll(scaleTargetOf(checkout.policy), rolledOut);
  reconciler = await world.start();
});

function conditionOf(type: string): Condition | undefined {
  return world.reports.reports.at(-1)?.conditions.find((condition) => condition.type === type);
}

function stored(): readonly Condition[] {
  return world.ledger.conditions.get('policy:shop/checkout')?.conditions ?? [];
}

function breakMetric(): void {
  world.metrics.set(queryOf(checkout.policy), { kind: 'Answers', metrics: [failing] });
}

describe('the conditions of a policy', () => {
  it('are those of Plimsoll and those of upstream', async () => {
    await world.pass(reconciler);
    expect(
      world.reports.reports
        .at(-1)
        ?.conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
    ).toEqual([
      'Ready True Unchanged',
      'Available True ReplicasReady',
      'Progressing False ReplicasReady',
      'Degraded False AsExpected',
      'AbleToScale True ReadyForNewScale',
      'ScalingActive True ValidMetricFound',
      'ScalingLimited False DesiredWithinRange',
    ]);
  });

  it('say what a write changed', async () => {
    world.proposes(checkout, 6);
    await world.pass(reconciler);
    expect(conditionOf('AbleToScale')).toEqual({
      type: 'AbleToScale',
      status: 'True',
      reason: 'SucceededRescale',
      message: 'the HPA controller was able to update the target scale to 6',
      lastTransitionTime: start,
    });
    expect(conditionOf('Progressing')).toMatchObject({ status: 'True', reason: 'ReplicasNotReady' });
  });

  it('say why a write failed', async () => {
    world.proposes(checkout, 6);
    const failure = { code: 'Forbidden', message: 'scale is forbidden', retryable: false };
    world.scale.faults.push({ kind: 'Fails', failure });
    await world.pass(reconciler);
    expect(conditionOf('AbleToScale')).toMatchObject({
      status: 'False',
      reason: 'FailedUpdateScale',
      message:
        'the HPA controller was unable to update the target scale: could not scale to 6: scale is forbidden',
    });
  });

  it('keep what a pass did not come to see', async () => {
    await world.pass(reconciler);
    world.pods.unsync(queryOf(checkout.policy));
    await world.pass(reconciler);
    expect(conditionOf('Ready')).toMatchObject({ status: 'Unknown', reason: 'CacheNotSynced' });
    expect(conditionOf('Available')).toMatchObject({ status: 'True', lastTransitionTime: start });
    expect(conditionOf('ScalingActive')).toMatchObject({ status: 'True' });
  });

  it('say that nothing is known of a target that cannot be read', async () => {
    await world.pass(reconciler);
    world.scale.breakReads(scaleTargetOf(checkout.policy), 'GET scale: 403 forbidden');
    await world.pass(reconciler);
    for (const type of ['Available', 'Progressing', 'Degraded']) {
      const want = { status: 'Unknown', reason: 'FailedGetScale', message: 'GET scale: 403 forbidden' };
      expect(conditionOf(type)).toMatchObject(want);
    }
  });

  it("degrade after the target's progress deadline, and recover", async () => {
    const target = scaleTargetOf(checkout.policy);
    world.scale.roll(target, { ...rolledOut, readyReplicas: 3 });
    const seen: string[] = [];
    for (let pass = 0; pass < 4; pass += 1) {
      await world.pass(reconciler);
      seen.push(`${conditionOf('Progressing')?.status ?? ''} ${conditionOf('Degraded')?.reason ?? ''}`);
    }
    expect(seen).toEqual([
      'True AsExpected',
      'True AsExpected',
      'True AsExpected',
      'True ProgressDeadlineExceeded',
    ]);
    expect(conditionOf('Degraded')?.message).toBe('for more than 30 s 3 of 4 replicas are ready');
    world.scale.roll(target, rolledOut);
    await world.pass(reconciler);
    expect(conditionOf('Degraded')).toMatchObject({
      status: 'False',
      lastTransitionTime: '2026-11-20T12:01:15.000Z',
    });
  });

  it('tell a conflict from its beginning to its end, also in an early pass', async () => {
    await world.pass(reconciler);
    expect(conditionOf('Conflict')).toBeUndefined();
    world.nativeAutoscalers.set('shop', [aNativeAutoscaler({ name: 'foreign' })]);
    world.proposes(checkout, 6);
    await world.pass(reconciler);
    expect(conditionOf('Conflict')).toMatchObject({ status: 'True', reason: 'Conflict' });
    expect(conditionOf('Degraded')).toMatchObject({ status: 'True', reason: 'Conflict' });
    world.scale.set(scaleTargetOf(checkout.policy), 5, { manager: 'foreign' });
    await world.pass(reconciler, 1_000);
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toBe('Stalled/Conflict');
    breakMetric();
    world.nativeAutoscalers.set('shop', []);
    await world.pass(reconciler);
    expect(conditionOf('Conflict')).toMatchObject({ status: 'False', reason: 'NoConflict' });
    expect(conditionOf('Degraded')).toMatchObject({ status: 'False' });
  });

  it('say that a disabled policy is not scaled, and nothing of before', async () => {
    await world.pass(reconciler);
    world.activePolicies.policies = [{ ...checkout, policy: { ...checkout.policy, enabled: false } }];
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(conditionOf('ScalingActive')).toEqual({
      type: 'ScalingActive',
      status: 'False',
      reason: 'ScalingDisabled',
      message: 'the policy is disabled',
      lastTransitionTime: '2026-11-20T12:00:30.000Z',
    });
    expect(conditionOf('AbleToScale')).toBeUndefined();
    expect(conditionOf('ScalingLimited')).toBeUndefined();
  });

  it('claim nothing while the native controller has not looked at the HPA', async () => {
    world.activePolicies.policies = [{ ...checkout, policy: { ...checkout.policy, ...rendered } }];
    await world.pass(reconciler);
    await world.pass(reconciler);
    for (const type of ['AbleToScale', 'ScalingActive']) {
      expect(conditionOf(type)).toMatchObject({
        status: 'Unknown',
        reason: 'NotObserved',
        message: expect.stringContaining('has not looked at HorizontalPodAutoscaler checkout yet'),
      });
    }
    breakMetric();
    await world.pass(reconciler);
    expect(conditionOf('ScalingActive')).toMatchObject({
      status: 'False',
      reason: 'FailedGetExternalMetric',
    });
  });

  it('are those of the HPA where the native controller scales', async () => {
    const web = world.add({ ...rendered, name: 'web' }, 2);
    world.proposes(web, 2);
    await world.pass(reconciler);
    const said = { type: 'ScalingActive', status: 'False', reason: 'FailedGetExternalMetric' };
    world.nativeAutoscalers.report(
      { namespace: 'shop', name: 'web' },
      {
        currentReplicas: 2,
        desiredReplicas: 2,
        conditions: [{ ...said, message: 'no metrics returned' }],
        metrics: [],
      },
    );
    await world.pass(reconciler);
    const report = world.reports.reports.findLast(({ key }) => key === 'shop/web');
    expect(report?.conditions.find(({ type }) => type === 'ScalingActive')).toMatchObject({
      ...said,
      message: 'no metrics returned (HPA-managed)',
    });
    expect(report?.conditions.find(({ type }) => type === 'Available')?.message).toMatch(/\(HPA-managed\)$/);
  });
});

describe('the record of conditions', () => {
  it('is written where one changes, and not where nothing does', async () => {
    await world.pass(reconciler);
    expect(stored()).toEqual(world.reports.reports.at(-1)?.conditions);
    const alone = (): number =>
      world.ledger.batches.filter(({ entries, states }) => entries + states === 0).length;
    expect(alone()).toBe(1);
    await world.pass(reconciler);
    expect(alone()).toBe(1);
  });

  it('keeps since when each is as it is over a restart, of a crash too', async () => {
    await world.pass(reconciler);
    breakMetric();
    await world.pass(reconciler);
    reconciler = await world.start();
    await world.pass(reconciler);
    const broken = '2026-11-20T12:00:30.000Z';
    expect(conditionOf('Ready')).toMatchObject({ status: 'Unknown', lastTransitionTime: broken });
    expect(conditionOf('ScalingActive')).toMatchObject({ status: 'False', lastTransitionTime: broken });
    expect(conditionOf('Available')).toMatchObject({ status: 'True', lastTransitionTime: start });
  });

  it('keeps them of a policy that comes into force after the start, too', async () => {
    await world.pass(reconciler);
    const { policies } = world.activePolicies;
    world.activePolicies.policies = [];
    reconciler = await world.start();
    world.activePolicies.policies = policies;
    await world.pass(reconciler);
    expect(conditionOf('Available')).toMatchObject({ lastTransitionTime: start });
  });

  it('is stored with the first pass after the ledger is back', async () => {
    world.ledger.outage = 'Broken';
    await world.pass(reconciler);
    expect(stored()).toEqual([]);
    world.ledger.outage = null;
    await world.pass(reconciler);
    expect(stored().find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' });
  });

  it('that cannot be written is told once, in an Event', async () => {
    const told = (): string[] =>
      world.kubernetesEvents.emitted.flatMap(({ reason }) =>
        reason === 'FailedUpdateStatus' ? [reason] : [],
      );
    // The decision is stored, and the conditions after it are not.
    world.ledger.faults.push(null, 'Broken', 'Broken');
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(told()).toHaveLength(1);
    await world.pass(reconciler);
    expect(stored().length).toBeGreaterThan(0);
    breakMetric();
    world.ledger.faults.push(null, 'Broken');
    await world.pass(reconciler);
    expect(told()).toHaveLength(2);
  });

  it('leaves with its policy', async () => {
    await world.pass(reconciler);
    world.activePolicies.policies = [];
    await world.pass(reconciler);
    expect(stored()).toEqual([]);
  });

  it('is forgotten at the start where the policy left while the controller was down', async () => {
    await world.pass(reconciler);
    world.activePolicies.policies = [];
    await world.recordDeparture(checkout, 'Pruned');
    await world.start();
    expect(world.ledger.conditions.size).toBe(0);
  });
});

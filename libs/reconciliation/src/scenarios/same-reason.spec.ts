import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EffectivePolicy } from '#policy';
import type { ActivePolicy } from '../policies/active-policy.ts';
import { scaleTargetOf } from '../policies/scale-target.ts';
import { aNativeAutoscaler } from '../testing/a-native-autoscaler.ts';
import { queryOf, World } from '../testing/a-world.ts';

const lifecycle = { apiVersion: 'v1', kind: 'ConfigMap', name: 'brake', jsonPath: '.data.stop' };

interface Trouble {
  readonly reason: string;
  /** The Event's, where upstream has another word for it. */
  readonly event?: string;
  /** What the sentence names: the rule that acted, or who is in the way. */
  readonly names: string;
  readonly policy?: Partial<EffectivePolicy>;
  readonly make: (world: World, checkout: ActivePolicy) => void;
}

const troubles: readonly Trouble[] = [
  {
    reason: 'FailedGetScale',
    names: 'holds by scale-unreadable: ',
    make: (world, { policy }) => world.scale.breakReads(scaleTargetOf(policy), 'GET scale: 403 forbidden'),
  },
  {
    reason: 'FailedGetExternalMetric',
    names: 'holds by invalid-metric: ',
    make: (world, { policy }) =>
      world.metrics.set(queryOf(policy), {
        kind: 'Answers',
        metrics: [{ error: { reason: 'FailedGetExternalMetric', message: 'no such metric' } }],
      }),
  },
  {
    reason: 'InvalidSelector',
    event: 'SelectorRequired',
    names: 'holds by selector: ',
    make: (world, { policy }) => world.scale.set(scaleTargetOf(policy), 4, { selector: '' }),
  },
  {
    reason: 'AmbiguousSelector',
    names: 'holds by selector: ',
    make: (world, { policy }) => {
      const hpa = aNativeAutoscaler({
        name: 'other',
        target: { ...policy.target, name: 'other' },
        selector: 'app=checkout',
      });
      world.nativeAutoscalers.set(policy.namespace, [hpa]);
    },
  },
  {
    reason: 'ConfigMapNotOK',
    names: 'holds by lifecycle: ',
    policy: { lifecycle },
    make: (world) => world.objects.set(lifecycle, { object: { data: { stop: 'yes' } } }),
  },
  {
    reason: 'Conflict',
    names: 'HorizontalPodAutoscaler foreign, applied by helm,',
    make: (world, { policy }) =>
      world.nativeAutoscalers.set(policy.namespace, [aNativeAutoscaler({ name: 'foreign' })]),
  },
  {
    reason: 'WriteRefused',
    names: 'could not scale to 6: scale is forbidden',
    make: (world) =>
      world.scale.faults.push({
        kind: 'Fails',
        failure: { code: 'Forbidden', message: 'scale is forbidden', retryable: false },
      }),
  },
  {
    reason: 'CacheNotSynced',
    names: 'the pod cache is not synced',
    make: (world, { policy }) => world.pods.unsync(queryOf(policy)),
  },
  {
    reason: 'LedgerUnavailable',
    names: 'the disk is full',
    make: (world) => {
      world.ledger.outage = 'Broken';
    },
  },
];

let world: World;

beforeEach(() => {
  world = new World();
});

describe('the reason of what keeps a policy from being carried out', () => {
  it.each(troubles)('$reason is one in log, Event and API, in one sentence', async (trouble) => {
    const { reason, event = reason, names, policy = {}, make } = trouble;
    const checkout = world.add(policy, 4);
    world.proposes(checkout, 6);
    const reconciler = await world.start();
    make(world, checkout);
    await world.pass(reconciler);
    const report = world.reports.reports.at(-1);
    const message = report?.outcome.message ?? '';
    expect(message).toContain(names);
    expect(report?.outcome.reason).toBe(reason);
    expect(report?.conditions.find(({ type }) => type === 'Ready')).toMatchObject({ reason, message });
    const logged = world.log.lines.filter(({ fields }) => fields['reason'] === reason);
    expect(logged.map(({ text }) => text.endsWith(message))).toEqual([true]);
    const told = world.kubernetesEvents.emitted.filter((one) => one.reason === event);
    expect(told.map((one) => one.message)).toEqual([message]);
  });

  it('a scaling names its rules in the log and in the API, and upstream’s reason in the Event', async () => {
    const checkout = world.add({ maxReplicas: 5 }, 4);
    world.proposes(checkout, 9);
    await world.pass(await world.start());
    const message = world.reports.reports.at(-1)?.outcome.message ?? '';
    expect(message).toContain('asks for 9, min-max makes it 5');
    expect(world.log.lines.map(({ text }) => text)).toEqual([message]);
    expect(world.kubernetesEvents.emitted).toMatchObject([
      {
        reason: 'SuccessfulRescale',
        message: expect.stringMatching(/^New size: 5; reason: .* above target$/),
      },
    ]);
  });
});

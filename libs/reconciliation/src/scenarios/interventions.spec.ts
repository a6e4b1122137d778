import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Intervention } from '#decision';
import type { InterventionScope, StandingIntervention } from '#ledger';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { Reconciler } from '../reconciler.ts';
import { flushMicrotasks, queryOf, World } from '../testing/a-world.ts';

let world: World;
let checkout: ActivePolicy;
let reconciler: Reconciler;
let hastened: number;

beforeEach(async () => {
  world = new World();
  checkout = world.add({ minReplicas: 2, maxReplicas: 20 }, 4);
  world.proposes(checkout, 4);
  reconciler = await world.start();
  hastened = 0;
  reconciler.onHastened(() => (hastened += 1));
  await world.pass(reconciler);
});

const passes = () => world.reports.outcomesOf('shop/checkout').length;
const later = (seconds: number) => new Date(Date.parse(world.clock.now()) + seconds * 1_000).toISOString();
const scopeOfCheckout: InterventionScope = { kind: 'Policy', namespace: 'shop', name: 'checkout' };
type Effect = Partial<Intervention> & Pick<Intervention, 'kind'>;
const standing = (
  effect: Effect,
  {
    id = 'one',
    scope = scopeOfCheckout,
    seconds = 60,
  }: { id?: string; scope?: InterventionScope; seconds?: number } = {},
): StandingIntervention => ({
  id,
  scope,
  intervention: {
    reason: 'incident 7',
    actor: 'ada',
    since: world.clock.now(),
    expires: later(seconds),
    ...effect,
  } as Intervention,
});
const begin = async (...given: Parameters<typeof standing>) =>
  expect(await world.interventions.begin(standing(...given))).toBeNull();
const end = (id = 'one') => world.interventions.end(id, { actor: 'bob', reason: 'it is over' });
const suspendDown: Effect = { kind: 'Suspend', direction: 'Down' };
const lastDecision = () => world.reports.reports.at(-1)?.decision;
const actions = () =>
  world.ledger.payloadsOf('OperatorAction').map(({ actor, action, reason }) => [actor, action, reason]);

describe('an intervention', () => {
  it('starts a pass at once when it begins, however short ago the last one was', async () => {
    await begin({ kind: 'Override', replicas: 9 });
    expect(hastened).toBe(1);
    await world.pass(reconciler, 100);
    expect(passes()).toBe(2);
    expect(world.replicasOf(checkout)).toBe(9);
    expect(world.ledger.payloadsOf('ScalingEvent').at(-1)?.reason).toMatch(/^Override by ada: ./);
    expect(lastDecision()?.steps).toContainEqual(
      expect.objectContaining({
        rule: 'override',
        after: 9,
        because: expect.stringContaining('by ada until'),
      }),
    );
  });

  it('starts a pass of no other policy', async () => {
    const cart = world.add({ name: 'cart' }, 4);
    world.proposes(cart, 4);
    await world.pass(reconciler);
    const before = world.reports.outcomesOf('shop/cart').length;
    await begin(suspendDown);
    await world.pass(reconciler, 100);
    expect(world.reports.outcomesOf('shop/cart')).toHaveLength(before);
  });

  it.each<{ readonly name: string; readonly scope: InterventionScope; readonly isFor: boolean }>([
    { name: 'its policy', scope: scopeOfCheckout, isFor: true },
    { name: 'another policy', scope: { ...scopeOfCheckout, name: 'cart' }, isFor: false },
    { name: 'its namespace', scope: { kind: 'Namespace', namespace: 'shop' }, isFor: true },
    { name: 'another namespace', scope: { kind: 'Namespace', namespace: 'bank' }, isFor: false },
    { name: 'its source', scope: { kind: 'Source', source: 'fleet' }, isFor: true },
    { name: 'another source', scope: { kind: 'Source', source: 'other' }, isFor: false },
    { name: 'the cluster', scope: { kind: 'Cluster' }, isFor: true },
  ])('of $name is for it: $isFor', async ({ scope, isFor }) => {
    world.proposes(checkout, 2);
    await begin({ kind: 'Suspend', direction: 'Both' }, { scope, seconds: 3_600 });
    await world.pass(reconciler, 400_000);
    expect(world.replicasOf(checkout)).toBe(isFor ? 4 : 2);
    if (isFor) expect(lastDecision()?.reason).toBe('The change is suspended');
  });

  it('lets metrics change nothing before the interval has elapsed, and stops what it suspends after that', async () => {
    world.proposes(checkout, 8);
    await begin({ kind: 'Suspend', direction: 'Up' });
    await world.pass(reconciler, 100);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(await end()).toBeNull();
    await world.pass(reconciler, 100);
    expect(world.replicasOf(checkout)).toBe(4);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(8);
  });

  it('ends by itself, in a pass at that moment, with an entry that says so', async () => {
    await begin({ kind: 'Override', minReplicas: 7 }, { seconds: 20 });
    await world.pass(reconciler, 100);
    expect(world.replicasOf(checkout)).toBe(7);
    await world.pass(reconciler, 15_000);
    world.proposes(checkout, 3);
    await world.pass(reconciler, 4_900);
    expect(lastDecision()?.steps.map(({ rule }) => rule)).not.toContain('override');
    await world.pass(reconciler, 300_000);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(3);
    expect(world.interventions.list()).toEqual([]);
    expect(world.ledger.standing.size).toBe(0);
    expect(actions()).toEqual([
      ['ada', 'OverrideReplicas', 'incident 7'],
      ['plimsoll', 'EndOverride', 'it has expired'],
    ]);
  });

  it('ends once: whoever ends it second hears that it has ended', async () => {
    await begin(suspendDown);
    const answers = await Promise.all([end(), end()]);
    expect(answers).toContainEqual({ code: 'InterventionEnded' });
    expect(answers).toContainEqual(null);
    expect(await end('never')).toEqual({ code: 'InterventionEnded' });
    expect(actions()).toEqual([
      ['ada', 'SuspendScaling', 'incident 7'],
      ['bob', 'EndSuspension', 'it is over'],
    ]);
  });

  it('stops a pass that looked before it began', async () => {
    world.proposes(checkout, 9);
    const answer = Promise.withResolvers<undefined>();
    world.ledger.faults.push({ until: answer.promise });
    const begun = begin({ kind: 'Suspend', direction: 'Both' });
    await flushMicrotasks();
    world.clock.schedule(16_000, () => answer.resolve(undefined));
    await world.pass(reconciler);
    await begun;
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toBe('Waiting/PolicyChanged');
    expect(world.ledger.payloadsOf('ScalingFailure')).toMatchObject([
      { code: 'PolicyChanged', message: 'not sent: an intervention began or ended meanwhile' },
    ]);
    expect(world.replicasOf(checkout)).toBe(4);
    await world.pass(reconciler, 100);
    expect(lastDecision()?.reason).toBe('The change is suspended');
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(4);
  });

  it.each([
    { name: 'hangs', answer: { kind: 'Hangs' } },
    { name: 'fails', answer: { kind: 'Rejects', message: 'down' } },
  ] as const)('is carried out within a second while the source of metrics $name', async ({ answer }) => {
    world.metrics.set(queryOf(checkout.policy), answer);
    await begin({ kind: 'Override', replicas: 9 });
    const asked = world.clock.monotonicMilliseconds();
    await world.pass(reconciler, 100);
    expect(world.replicasOf(checkout)).toBe(9);
    expect(world.clock.monotonicMilliseconds() - asked).toBeLessThanOrEqual(1_100);
  });

  it('ends the wait of a pass for a source of metrics that hangs', async () => {
    world.metrics.set(queryOf(checkout.policy), { kind: 'Hangs' });
    world.clock.advance(15_000);
    const sweep = reconciler.sweep();
    await flushMicrotasks();
    await begin({ kind: 'Override', replicas: 9 });
    world.clock.advance(1);
    await sweep;
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toBe('Waiting/PolicyChanged');
    await world.pass(reconciler, 1);
    expect(world.replicasOf(checkout)).toBe(9);
  });

  it('delays the restoring of a disabled policy in its direction', async () => {
    await begin(suspendDown, { seconds: 40 });
    const { policy } = checkout;
    world.activePolicies.policies = [
      {
        ...checkout,
        document: { ...checkout.document, spec: {} },
        policy: { ...policy, enabled: false, replicas: 2 },
      },
    ];
    await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toBe('Waiting/RestoreDelayed');
    await world.pass(reconciler, 30_000);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(2);
  });
});

describe('a dry run', () => {
  it.each<InterventionScope>([
    scopeOfCheckout,
    { kind: 'Namespace', namespace: 'shop' },
    { kind: 'Source', source: 'fleet' },
    { kind: 'Cluster' },
  ])('of scope $kind lets everything be decided and nothing be written, until it ends', async (scope) => {
    world.proposes(checkout, 9);
    await begin({ kind: 'DryRun' }, { scope, seconds: 40 });
    await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toBe('Done/DryRun');
    expect(lastDecision()).toMatchObject({ desiredReplicas: 9, action: 'ScaleUp' });
    expect(lastDecision()?.steps.at(-1)?.because).toContain('nothing is written');
    expect(world.replicasOf(checkout)).toBe(4);
    await world.pass(reconciler, 30_000);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(9);
    expect(actions()).toEqual([
      ['ada', 'StartDryRun', 'incident 7'],
      ['plimsoll', 'EndDryRun', 'it has expired'],
    ]);
  });

  it('lets a pin write nothing either', async () => {
    await begin({ kind: 'DryRun' });
    await begin({ kind: 'Override', replicas: 9 }, { id: 'two' });
    await world.pass(reconciler, 100);
    expect(world.replicasOf(checkout)).toBe(4);
  });

  it('that ends leaves the dry run of the document', async () => {
    const dry = world.add({ name: 'cart', dryRun: true }, 4);
    world.proposes(dry, 9);
    await begin({ kind: 'DryRun' }, { scope: { kind: 'Cluster' } });
    await world.pass(reconciler);
    expect(await end()).toBeNull();
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(world.replicasOf(dry)).toBe(4);
  });

  it('delays the restoring of a disabled policy', async () => {
    await begin({ kind: 'DryRun' }, { seconds: 40 });
    const { policy } = checkout;
    const disabled = { ...policy, enabled: false, replicas: 2 };
    world.activePolicies.policies = [
      { ...checkout, document: { ...checkout.document, spec: {} }, policy: disabled },
    ];
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(4);
    await world.pass(reconciler, 30_000);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(2);
  });

  it('is nothing to a policy whose native controller scales', async () => {
    const native = world.add({ name: 'cart', actuation: 'HorizontalPodAutoscaler' }, 4);
    await begin({ kind: 'DryRun' }, { scope: { kind: 'Cluster' } });
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(world.interventions.actingOn(native, world.clock.now())).toEqual([]);
    expect(world.reports.outcomesOf('shop/cart')).not.toContain('Done/DryRun');
  });
});

describe('a restart', () => {
  it('goes on with the interventions that stand', async () => {
    world.proposes(checkout, 9);
    await begin({ kind: 'Suspend', direction: 'Up' }, { seconds: 3_600 });
    reconciler = await world.start();
    await world.pass(reconciler);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.interventions.list().map(({ id }) => id)).toEqual(['one']);
  });

  it('ends what expired while the process was down', async () => {
    await begin({ kind: 'Override', replicas: 9 }, { seconds: 20 });
    world.clock.advance(60_000);
    reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(4);
    // The new process does not know yet whether the time of day is to be believed.
    expect(actions().at(-1)).toEqual(['ada', 'OverrideReplicas', 'incident 7']);
    await world.pass(reconciler, 60_000);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(actions().at(-1)).toEqual(['plimsoll', 'EndOverride', 'it has expired']);
  });
});

describe('while the ledger is away', () => {
  it('nothing begins, and what expires acts no more', async () => {
    await begin({ kind: 'Override', replicas: 9 }, { seconds: 20 });
    await world.pass(reconciler, 100);
    expect(world.replicasOf(checkout)).toBe(9);
    world.ledger.outage = 'Broken';
    await expect(world.interventions.begin(standing(suspendDown, { id: 'two' }))).rejects.toThrow(
      'disk is full',
    );
    await world.pass(reconciler, 30_000);
    expect(world.interventions.list().map(({ id }) => id)).toEqual(['one']);
    expect(lastDecision()?.reason).not.toBe('Override');
    world.ledger.outage = null;
    await world.pass(reconciler);
    expect(world.interventions.list()).toEqual([]);
  });

  it('a process that was fenced begins and ends nothing', async () => {
    await begin(suspendDown);
    await world.ledger.takeOver('ledger');
    expect(await world.interventions.begin(standing(suspendDown, { id: 'two' }))).toEqual({ code: 'Fenced' });
    expect(await end()).toEqual({ code: 'Fenced' });
    expect(world.interventions.list().map(({ id }) => id)).toEqual(['one']);
  });
});

describe('places', () => {
  const beginMany = async (
    count: number,
    given: (index: number) => { scope: InterventionScope; actor: string },
  ) => {
    for (let index = 0; index < count; index += 1) {
      const { scope, actor } = given(index);
      const id = `${actor} ${scope.kind} ${index}`;
      expect(
        await world.interventions.begin(standing({ ...suspendDown, actor }, { id, scope, seconds: 3_600 })),
      ).toBeNull();
    }
  };
  const tryAs = (actor: string, scope: InterventionScope) =>
    world.interventions.begin(standing({ ...suspendDown, actor }, { id: 'one more', scope }));
  const policy = (namespace: string, index: number): InterventionScope => ({
    kind: 'Policy',
    namespace,
    name: `app-${index}`,
  });
  /** As many policies' as one person may have, in each of so many namespaces. */
  const fill = async (namespaces: number) => {
    for (let each = 0; each < namespaces; each += 1) {
      const count = Math.min(90, 800 - 90 * each);
      await beginMany(count, (index) => ({ scope: policy(`team-${each}`, index), actor: `person-${each}` }));
    }
  };

  it('of one scope are few, and others have theirs', async () => {
    await beginMany(10, (index) => ({ scope: scopeOfCheckout, actor: `person-${index}` }));
    expect(await tryAs('ada', scopeOfCheckout)).toEqual({
      code: 'TooManyInterventions',
      share: { of: 'Scope', scope: scopeOfCheckout, limit: 10, standing: 10 },
    });
    expect(await tryAs('ada', policy('shop', 1))).toBeNull();
  });

  it('of the policies of one namespace are taken by no other, and the namespace keeps its own', async () => {
    await beginMany(100, (index) => ({ scope: policy('bank', index), actor: `person-${index % 2}` }));
    expect(await tryAs('ada', policy('bank', 100))).toEqual({
      code: 'TooManyInterventions',
      share: { of: 'Namespace', namespace: 'bank', limit: 100, standing: 100 },
    });
    expect(await tryAs('ada', { kind: 'Namespace', namespace: 'bank' })).toBeNull();
    expect(await tryAs('ada', policy('shop', 100))).toBeNull();
  });

  it('of one person are theirs with all of their tokens, the last ones for wider scopes', async () => {
    await beginMany(90, (index) => ({
      scope: policy(`team-${index % 2}`, index),
      actor: index % 3 === 0 ? 'ada' : `ada/token-${index}`,
    }));
    const scope = policy('shop', 100);
    expect(await tryAs('ada/another', scope)).toEqual({
      code: 'TooManyInterventions',
      share: { of: 'Person', person: 'ada', scope, limit: 90, standing: 90 },
    });
    await beginMany(10, (index) => ({
      scope: { kind: 'Namespace', namespace: `team-${index}` },
      actor: 'ada/wide',
    }));
    const wide = { kind: 'Source', source: 'policies' } as const;
    expect(await tryAs('ada', wide)).toMatchObject({ share: { of: 'Person', limit: 100, standing: 100 } });
    expect(await tryAs('bob', wide)).toBeNull();
    expect(await tryAs('ada', { kind: 'Cluster' })).toBeNull();
  });

  it('of everybody are kept for wider scopes, the cluster always has its own, and the fleet brake is never refused', async () => {
    await fill(9);
    const scope = policy('shop', 1);
    expect(await tryAs('ada', scope)).toEqual({
      code: 'TooManyInterventions',
      share: { of: 'All', scope, limit: 800, standing: 800 },
    });
    await beginMany(50, (index) => ({
      scope: { kind: 'Namespace', namespace: `other-${index}` },
      actor: 'ada',
    }));
    expect(await tryAs('bob', { kind: 'Namespace', namespace: 'shop' })).toMatchObject({
      share: { of: 'All', limit: 850, standing: 850 },
    });
    await beginMany(50, (index) => ({
      scope: { kind: 'MetricSource', metricSource: `prometheus/${index}` },
      actor: 'bob',
    }));
    expect(await tryAs('eve', { kind: 'Source', source: 'policies' })).toMatchObject({
      share: { of: 'All', limit: 900, standing: 900 },
    });
    await beginMany(10, () => ({ scope: { kind: 'Cluster' }, actor: 'eve' }));
    expect(await tryAs('ada', { kind: 'Cluster' })).toMatchObject({ share: { of: 'Scope', limit: 10 } });
    await beginMany(100, (index) => ({
      scope: { kind: 'MetricSource', metricSource: `prometheus/${index % 50}` },
      actor: 'fleet-brake',
    }));
    expect(world.interventions.list()).toHaveLength(1_010);
  });

  it('are counted in what is stored, by the next process and by one that follows', async () => {
    const follower = world.interventions;
    reconciler = await world.start();
    await fill(9);
    await beginMany(300, (index) => ({
      scope: { kind: 'MetricSource', metricSource: `prometheus/${index}` },
      actor: 'fleet-brake',
    }));
    await follower.follow();
    expect(follower.list()).toHaveLength(1_100);
    const asked = standing({ ...suspendDown, actor: 'ada' }, { scope: policy('shop', 1) });
    const full = { of: 'All', limit: 800, standing: 800 };
    expect(follower.fullShareFor(asked)).toMatchObject(full);
    reconciler = await world.start();
    await world.interventions.restore();
    expect(world.interventions.list()).toHaveLength(1_100);
    expect(world.interventions.fullShareFor(asked)).toMatchObject(full);
  });
});

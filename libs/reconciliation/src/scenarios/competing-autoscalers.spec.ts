import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CompetingAutoscaler } from '../ports/competing-autoscalers.port.ts';
import { World } from '../testing/a-world.ts';

const competitor: CompetingAutoscaler = {
  kind: 'ScaledObject',
  name: 'queue',
  target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
  manager: 'helm',
};

let world: World;

beforeEach(() => {
  world = new World();
  world.competingAutoscalers.competitors = [competitor];
});

describe('a ScaledObject on the target of a policy', () => {
  it('keeps it from writing until the ScaledObject goes', async () => {
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.reports.reports.at(-1)?.outcome).toMatchObject({
      kind: 'Stalled',
      reason: 'Conflict',
      message: expect.stringContaining('ScaledObject queue, applied by helm, scales the same target'),
    });
    world.competingAutoscalers.competitors = [];
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
  });

  it('keeps it from being rendered into an HPA', async () => {
    world.proposes(world.add({ actuation: 'HorizontalPodAutoscaler' }, 4), 6);
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/checkout')).toEqual(['Stalled/Conflict']);
    world.competingAutoscalers.competitors = [];
    await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toBe('Done/HpaCreated');
  });

  it('that was seen last before its watch died still does, and the message says so', async () => {
    world.competingAutoscalers.unknown = 'nothing has been heard of scaledobjects for 70 s';
    const checkout = world.add({}, 4);
    world.proposes(checkout, 6);
    await world.pass(await world.start());
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.reports.reports.at(-1)?.outcome).toMatchObject({
      reason: 'Conflict',
      message: expect.stringContaining(
        'as far as is known: nothing has been heard of scaledobjects for 70 s; delete one of the two',
      ),
    });
  });

  it('is nothing to the policy of another target', async () => {
    const web = world.add({ name: 'web' }, 4);
    world.proposes(web, 6);
    await world.pass(await world.start());
    expect(world.replicasOf(web)).toBe(6);
  });
});

describe('while it is not known whether a ScaledObject is on the target', () => {
  const why = 'scaledobjects are not listed yet (GET scaledobjects: 403)';
  beforeEach(() => {
    world.competingAutoscalers.competitors = [];
    world.competingAutoscalers.unknown = why;
  });

  it('a policy scales up, and down once it is known', async () => {
    const checkout = world.add({}, 4);
    const reconciler = await world.start();
    world.proposes(checkout, 6);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
    world.proposes(checkout, 3);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
    expect(world.reports.reports.at(-1)?.outcome).toMatchObject({
      kind: 'Waiting',
      reason: 'CompetitorsUnknown',
      message: expect.stringContaining(why),
    });
    world.competingAutoscalers.unknown = null;
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(3);
  });

  it('no HPA is made, and one that is there stays as the policy says', async () => {
    const checkout = world.add({ actuation: 'HorizontalPodAutoscaler' }, 4);
    world.proposes(checkout, 4);
    const reconciler = await world.start();
    await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/checkout')).toEqual(['Waiting/CompetitorsUnknown']);
    world.competingAutoscalers.unknown = null;
    await world.pass(reconciler);
    world.competingAutoscalers.unknown = why;
    await world.pass(reconciler);
    expect(world.reports.outcomesOf('shop/checkout').slice(1)).toEqual(['Done/HpaCreated', 'Done/Unchanged']);
  });
});

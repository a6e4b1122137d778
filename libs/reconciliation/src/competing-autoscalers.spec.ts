import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CompetingAutoscaler } from './ports/competing-autoscalers.port.ts';
import { World } from './testing/a-world.ts';

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

  it('is nothing to the policy of another target', async () => {
    const web = world.add({ name: 'web' }, 4);
    world.proposes(web, 6);
    await world.pass(await world.start());
    expect(world.replicasOf(web)).toBe(6);
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { Reconciler } from '../reconciler.ts';
import { World } from '../testing/a-world.ts';

const failure = { error: { reason: 'OwnerLookupFailed', message: 'GET replicasets: 403 forbidden' } };
const allPods =
  'owners could not be looked up, so all label-matched pods count: GET replicasets: 403 forbidden';

let world: World;
let reconciler: Reconciler;
let checkout: ActivePolicy;

beforeEach(async () => {
  world = new World();
  checkout = world.add({ selectionStrategy: 'OwnerReference' }, 4);
  world.proposes(checkout, 6);
  reconciler = await world.start();
});

const events = () =>
  world.kubernetesEvents.emitted.flatMap(({ type, reason, message }) =>
    reason === 'OwnerLookupFailed' ? [{ type, message }] : [],
  );
const condition = () =>
  world.reports.reports.at(-1)?.conditions.find(({ type }) => type === 'OwnerLookupFailed');
const logged = () => world.log.lines.map(({ text }) => text);

describe('an owner lookup that fails', () => {
  it('falls back to all pods, with one event while it lasts, and says when it works again', async () => {
    world.owners.reading = failure;
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(6);
    await world.pass(reconciler);
    expect(events()).toEqual([{ type: 'Warning', message: allPods }]);
    expect(condition()).toMatchObject({
      status: 'True',
      reason: 'OwnerLookupFailed',
      message: allPods,
      lastTransitionTime: '2026-11-20T12:00:15.000Z',
    });
    world.owners.reading = [];
    await world.pass(reconciler);
    expect(condition()).toMatchObject({ status: 'False', lastTransitionTime: '2026-11-20T12:00:45.000Z' });
    expect(logged().filter((text) => text.includes('owner'))).toEqual([
      `shop/checkout  ${allPods}`,
      'shop/checkout  every owner was looked up',
    ]);
    world.owners.reading = failure;
    await world.pass(reconciler);
    expect(events()).toHaveLength(2);
  });

  it('is not told again by the process that comes after', async () => {
    world.owners.reading = failure;
    await world.pass(reconciler);
    await world.pass(await world.start());
    expect(events()).toHaveLength(1);
    expect(condition()).toMatchObject({ status: 'True' });
  });

  it('is no condition of a policy that filters by labels alone', async () => {
    world.proposes(world.add({ name: 'web' }, 2), 2);
    await world.pass(reconciler);
    const report = world.reports.reports.findLast(({ key }) => key === 'shop/web');
    expect(report?.conditions.map(({ type }) => type)).not.toContain('OwnerLookupFailed');
  });
});

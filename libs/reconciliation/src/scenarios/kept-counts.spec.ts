import { describe, expect, it } from '@jest/globals';
import { World } from '../testing/a-world.ts';

describe('a write of which admission makes another count', () => {
  it('is recorded as what came of it, once', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 8);
    const reconciler = await world.start();
    world.scale.faults.push({ kind: 'Kept', replicas: 6 });
    await world.pass(reconciler);
    expect(world.reports.reports.at(-1)?.outcome).toMatchObject({
      kind: 'Done',
      message: expect.stringMatching(/4 → 8 .*; asked for 8, and the API server made it 6$/),
    });
    world.proposes(checkout, 6);
    await world.pass(reconciler);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([
      { origin: 'Plimsoll', from: 4, to: 6, reason: expect.stringContaining('asked for 8') },
    ]);
    expect(world.scale.writes).toEqual([{ target: 'shop/Deployment/checkout', from: 4, to: 6 }]);
  });

  it('that is no nearer waits as one that is refused, and each change is recorded', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    world.proposes(checkout, 2);
    const reconciler = await world.start();
    for (let replicas = 5; replicas < 10; replicas += 1) world.scale.faults.push({ kind: 'Kept', replicas });
    for (let passed = 0; passed < 180; passed += 15) await world.pass(reconciler);
    expect(world.ledger.payloadsOf('ScalingEvent')).toMatchObject([
      { from: 4, to: 5, origin: 'Plimsoll' },
      { from: 5, to: 6 },
      { from: 6, to: 7 },
      { from: 7, to: 8 },
    ]);
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toBe('Stalled/WriteRefused');
    expect(world.reports.reports.at(-1)?.outcome.message).toMatch(
      /^could not scale to 2: the API server made it 8, and it was 7: does an admission webhook set the count\?; refused 4 times since .*, next attempt at /,
    );
  });
});

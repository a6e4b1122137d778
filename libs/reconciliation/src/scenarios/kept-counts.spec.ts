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
});

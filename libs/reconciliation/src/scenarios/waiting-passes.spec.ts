import { describe, expect, it } from '@jest/globals';
import type { Reconciler } from '../reconciler.ts';
import { flushMicrotasks, World } from '../testing/a-world.ts';

const policies = 320;
const intervalSeconds = 2;
/** What beginning 32 passes, the work of one turn of the loop, takes on a machine that is too slow for these policies. */
const turnMilliseconds = 300;
/** What beginning all of them takes. */
const sweepMilliseconds = 3_000;

describe('passes that take longer than their interval', () => {
  it('come round and round: no policy waits longer for its next the longer that lasts', async () => {
    const { world, reconciler, passedAt } = await aSlowWorld();
    await sweepFor(60_000, { world, reconciler });
    const waits = [...passedAt, 60_000].map((time, index) => time - (passedAt[index - 1] ?? 0));
    expect(Math.max(...waits)).toBeLessThan(2 * sweepMilliseconds);
  });
});

async function aSlowWorld() {
  const world = new World();
  for (let index = 0; index < policies; index += 1) {
    const active = world.add({ name: `policy-${index}`, intervalSeconds }, 4);
    world.proposes(active, 4);
  }
  const { clock } = world;
  clock.nextTurn = async () => {
    clock.advance(turnMilliseconds);
    await flushMicrotasks();
  };
  const reconciler = await world.start();
  /** Of the last policy, in milliseconds since the start. */
  const passedAt: number[] = [];
  world.reports.publish = ({ key }) => {
    if (key === `shop/policy-${policies - 1}`) passedAt.push(clock.monotonicMilliseconds());
  };
  return { world, reconciler, passedAt };
}

/** Begins a sweep per second, whether those before it have ended or not. */
async function sweepFor(
  milliseconds: number,
  { world: { clock }, reconciler }: { readonly world: World; readonly reconciler: Reconciler },
): Promise<void> {
  const tick = (): void => {
    void reconciler.sweep();
    if (clock.monotonicMilliseconds() < milliseconds) clock.schedule(1_000, tick);
  };
  tick();
  while (clock.monotonicMilliseconds() < milliseconds) {
    clock.advance(10);
    await flushMicrotasks();
  }
}

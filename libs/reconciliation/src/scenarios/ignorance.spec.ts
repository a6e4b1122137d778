import { describe, expect, it } from '@jest/globals';
import type { MetricSpec } from '#policy';
import { scaleTargetOf } from '../policies/scale-target.ts';
import { World } from '../testing/a-world.ts';

const perPod: MetricSpec = {
  type: 'Pods',
  metric: { name: 'requests' },
  target: { type: 'AverageValue', averageValueMilli: 1_000n },
  targetDocument: { type: 'AverageValue', averageValue: '1' },
};

describe('a count is not lowered', () => {
  it('while a neighbour could never look at its pods since the start', async () => {
    const world = new World();
    const checkout = world.add({}, 8);
    const web = world.add({ name: 'web' }, 4);
    world.proposes(checkout, 1);
    world.proposes(web, 4);
    // Both select the same pods, which only one of them can say.
    world.scale.set(scaleTargetOf(web.policy), 4, { selector: 'app=checkout' });
    world.scale.breakReads(scaleTargetOf(web.policy), 'forbidden');
    const reconciler = await world.start();
    for (let pass = 0; pass < 4; pass += 1) await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(8);
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toBe('Waiting/CompetitorsUnknown');
    world.scale.mend(scaleTargetOf(web.policy));
    for (let pass = 0; pass < 2; pass += 1) await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(8);
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toBe('Stalled/AmbiguousSelector');
  });

  it.each([
    { name: 'is disabled', change: { enabled: false }, isGone: false },
    { name: 'has no target', change: {}, isGone: true },
  ])('longer than that for a neighbour that $name', async ({ change, isGone }) => {
    const world = new World();
    const checkout = world.add({}, 8);
    const web = world.add({ name: 'web', ...change }, 4);
    world.proposes(checkout, 1);
    if (isGone) world.scale.remove(scaleTargetOf(web.policy));
    const reconciler = await world.start();
    for (let pass = 0; pass < 2; pass += 1) await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(1);
  });

  it('while the target counts more pods than the cache knows', async () => {
    const world = new World();
    const checkout = world.add({ metrics: [perPod] }, 4);
    const pods = ['a', 'b', 'c', 'd'].map((name) => ({ name, phase: 'Running' }) as const);
    const query = { namespace: 'shop', selector: 'app=checkout' };
    const idle = pods.map(({ name }) => ({ pod: name, timestamp: '2026-11-20T12:00:00Z', value: '250m' }));
    world.metrics.set(query, { kind: 'Answers', metrics: [{ pods: idle }] });
    world.pods.set(query, pods.slice(1));
    const reconciler = await world.start();
    for (let pass = 0; pass < 3; pass += 1) await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(4);
    expect(world.reports.outcomesOf('shop/checkout').at(-1)).toBe('Waiting/PodsUnknown');
    world.pods.set(query, pods);
    await world.pass(reconciler);
    expect(world.replicasOf(checkout)).toBe(1);
  });
});

describe('a namespace that is not managed', () => {
  it('stalls its policies; nothing of it is read, written or told', async () => {
    const world = new World();
    const checkout = world.add({}, 4);
    const other = world.add({ namespace: 'other', name: 'web' }, 4);
    world.proposes(checkout, 4);
    world.proposes(other, 6);
    world.scale.faults.push({ kind: 'Lost', taken: 'Yes' });
    await world.pass(await world.start());
    expect(world.reports.outcomesOf('other/web')).toEqual(['Waiting/WriteInDoubt']);
    world.options = { ...world.options, namespaces: ['shop'] };
    world.scale.reads.length = 0;
    world.kubernetesEvents.emitted.length = 0;
    const reconciler = await world.start();
    for (let pass = 0; pass < 2; pass += 1) await world.pass(reconciler);
    expect(world.reports.outcomesOf('other/web').at(-1)).toBe('Stalled/NamespaceNotManaged');
    expect(new Set(world.scale.reads.map(({ target }) => target.namespace))).toEqual(new Set(['shop']));
    expect(world.kubernetesEvents.emitted.filter(({ subject }) => subject.namespace === 'other')).toEqual([]);
    expect(world.log.lines.at(-1)?.text).toContain('namespace other is not among the configured namespaces');
  });
});

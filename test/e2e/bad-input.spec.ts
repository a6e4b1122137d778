import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { badAnswers, type UsageSample } from './support/bad-answers.ts';
import type { ControllerProcess } from './support/controller-process.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';
import { untilSaid } from './support/until-said.ts';

jest.setTimeout(180_000);

const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const hpa = { ...target, apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' };
const usagePath = '/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods';

let world: ShopWorld;
let controller: ControllerProcess;

beforeAll(async () => {
  world = await startShopWorld();
  world.repository.commit('Add policy', { 'shop/checkout.yaml': policyText });
  controller = await world.startController();
});
afterAll(() => world.stop());

const replicas = (): unknown =>
  (world.simulator.objects.find(target)?.['spec'] as { readonly replicas?: number } | undefined)?.replicas;

/** Samples of the pods that there are, of which each uses what its target says: nothing wants to change. */
function samples(usage: string): readonly UsageSample[] {
  return world.simulator.objects
    .list({ apiVersion: 'v1', kind: 'Pod', namespace: 'shop' })
    .map(({ metadata }) => ({
      metadata: { name: metadata.name, namespace: 'shop', labels: { app: 'checkout' } },
      timestamp: new Date().toISOString(),
      window: '15s',
      containers: [{ name: 'app', usage: { cpu: usage, memory: '1Mi' } }],
    }));
}

describe('bad input', () => {
  beforeEach(() => world.proxy.release());

  it.each(badAnswers)('leaves the count as it is, and says why: $name', async ({ status, body, want }) => {
    world.proxy.answerWith(({ path }) =>
      path.startsWith(usagePath) ? { status, body: body(samples) } : undefined,
    );
    await untilSaid(controller, want, 1);
    expect(replicas()).toBe(4);
  });

  it('has scaled nothing by any of these answers', () => {
    expect(world.proxy.writes.filter((write) => write.includes('/scale'))).toEqual([]);
  });

  it('of an HPA that is edited again and again ends in corrections that wait, and names who edits it', async () => {
    const rendered = policyText.replace(
      '  interval: 1s\n',
      '  interval: 1s\n  actuation: HorizontalPodAutoscaler\n',
    );
    world.repository.commit('Natively', { 'shop/checkout.yaml': rendered });
    await soon('the HPA', () => world.simulator.objects.find(hpa));
    let edited = 20;
    const edits = setInterval(() => {
      edited += 1;
      const spec = world.simulator.objects.find(hpa)?.['spec'];
      world.simulator.objects.update(
        hpa,
        (live) => ({ ...live, spec: { ...(spec as object), maxReplicas: edited } }),
        'kubectl-edit',
      );
    }, 500);
    try {
      await untilSaid(controller, /Stalled Contested .*kubectl-edit/);
      const corrections = (): number =>
        world.proxy.writes.filter((write) => /PUT .*horizontalpodautoscalers/.test(write)).length;
      const before = corrections();
      await untilSaid(controller, /Stalled Contested .*kubectl-edit/);
      expect(corrections()).toBe(before);
      expect(replicas()).toBe(4);
    } finally {
      clearInterval(edits);
    }
  });
});

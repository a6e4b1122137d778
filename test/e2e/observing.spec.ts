import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(120_000);

/** With a bound that asks for a write at once. */
const wanting = policyText.replace('minReplicas: 2', 'minReplicas: 6');
/** Rendered, so that an HPA would be made; its target does not exist, which is told elsewhere by an Event. */
const rendered = policyText
  .replaceAll('name: checkout', 'name: web')
  .replace('  interval: 1s\n', '  interval: 1s\n  actuation: HorizontalPodAutoscaler\n');

interface Statuses {
  readonly policies: {
    readonly edges: readonly {
      readonly node: {
        readonly name: string;
        readonly status: {
          readonly reason: string;
          readonly conditions: readonly { readonly type: string; readonly status: string }[];
        } | null;
      };
    }[];
  };
}

describe('the built controller in mode Observe', () => {
  let world: ShopWorld;

  beforeEach(async () => {
    world = await startShopWorld();
  });
  afterEach(() => world.stop());

  it('decides, and asks the API server for no change: no scale, no HPA, no Event', async () => {
    const controller = await world.startController({ mode: 'Observe' });
    world.repository.commit('Add policies', { 'shop/checkout.yaml': wanting, 'shop/web.yaml': rendered });
    const statuses = await soon('both policies', async () => {
      const { policies } = await controller.query<Statuses>(
        '{ policies { edges { node { name status { reason conditions { type status } } } } } }',
      );
      const seen = policies.edges.map(({ node }) => `${node.name} ${node.status?.reason ?? ''}`);
      const isReady = seen.includes('checkout Observing') && seen.includes('web FailedGetScale');
      return isReady ? policies.edges : undefined;
    });
    const web = statuses.find(({ node }) => node.name === 'web')?.node.status;
    expect(web?.conditions).toContainEqual({ type: 'Available', status: 'Unknown' });
    expect(await controller.stop()).toBe(0);
    expect(world.proxy.writes).toEqual([]);
  });

  it('whose proxy would have seen a change', async () => {
    await world.startController();
    world.repository.commit('Add policies', { 'shop/checkout.yaml': wanting });
    await soon('a write', () => Promise.resolve(world.proxy.writes.length > 1 ? true : undefined));
    expect(world.proxy.writes).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^PUT .*\/deployments\/checkout\/scale/),
        expect.stringMatching(/^POST .*\/events/),
      ]),
    );
  });
});

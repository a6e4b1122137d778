import { rename } from 'node:fs/promises';
import { it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../control-plane/poll.ts';
import type { AConsole } from '../support/a-console.ts';
import { askDemoCluster, scaleByHand } from '../support/demo-cluster.ts';
import { askDemo, bringToDemo, demoFile } from '../support/demo-requests.ts';

const autoscalers = '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers';

/** Of `shop/gateway`, that somebody else makes. */
const anotherAutoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'gateway-by-hand', namespace: 'shop' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gateway' },
    minReplicas: 2,
    maxReplicas: 9,
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
      },
    ],
  },
};

/** States that are seldom, made in the demo, and what is said of each. */
export function stateTasks(world: () => AConsole): void {
  const open = async (policy: string): Promise<Page> => {
    const page = await world().open(`/policies/${policy}`);
    await page.getByRole('heading', { name: policy }).waitFor();
    return page;
  };
  const state = (page: Page, word: string): Locator =>
    page
      .locator('.policy-states')
      .getByRole('listitem')
      .filter({ has: page.getByText(word, { exact: true }) });

  it('a conflict names the other autoscaler, who made it, and since when', async () => {
    const { demo } = world();
    const page = await open('shop/gateway');
    await askDemoCluster(demo, { method: 'POST', path: autoscalers, body: anotherAutoscaler });
    const said = state(page, 'conflict');
    await said
      .getByText(/HorizontalPodAutoscaler gateway-by-hand, applied by kubectl-edit, scales the same target/)
      .waitFor();
    await said.getByText(/since \d+ (?:s|min) ago/).waitFor();
    await world().show(page, 'policy-conflict');
    await askDemoCluster(demo, { method: 'DELETE', path: `${autoscalers}/gateway-by-hand` });
    await said.waitFor({ state: 'detached' });
  });

  it('a policy whose writes somebody undoes is contested, and says who undoes them', async () => {
    const { demo } = world();
    const page = await open('shop/catalog-owner');
    const said = state(page, 'contested');
    // Below its minimum of three, which the next pass writes again.
    await eventually({
      description: 'the policy is contested',
      probe: async () => {
        if ((await specReplicas(world())) === 3) await scaleByHand(demo, 'shop/catalog-owner', 2);
        return (await said.count()) > 0 || undefined;
      },
      timeoutMilliseconds: 200_000,
    });
    await said.getByText(/writes of Plimsoll were undone, the last by kubectl-edit/).waitFor();
    await world().show(page, 'policy-contested');
  });

  it('a stale source says since when, on each of its policies', async () => {
    const { demo } = world();
    const away = `${demo.repository}-away`;
    const page = await open('shop/gateway');
    await rename(demo.repository, away);
    try {
      await askDemo(demo, 'mutation { syncNow(source: "policies") { __typename } }');
      const said = state(page, 'stale source');
      await said.getByText(/Its repository cannot be looked at; what was in force stays\./).waitFor();
      await said.getByText(/since \d+ (?:s|min) ago/).waitFor();
    } finally {
      await rename(away, demo.repository);
    }
    await askDemo(demo, 'mutation { syncNow(source: "policies") { __typename } }');
    await state(page, 'stale source').waitFor({ state: 'detached' });
  });

  it('a policy that is disabled says that nothing is scaled', async () => {
    const { demo } = world();
    const file = 'media/transcoder.yaml';
    const text = demoFile(demo, file);
    await bringToDemo(demo, 'Disable the transcoder', {
      [file]: text.replace('\nspec:\n', '\nspec:\n  enabled: false\n'),
    });
    const page = await open('media/transcoder');
    await state(page, 'disabled').getByText('The document says that nothing is scaled.').waitFor();
    await bringToDemo(demo, 'Have the transcoder scaled again', { [file]: text });
    await state(page, 'disabled').waitFor({ state: 'detached' });
  });
}

async function specReplicas({ demo }: AConsole): Promise<number | null> {
  const { policy } = await askDemo<{
    readonly policy: { readonly status: { readonly replicas: number | null } | null };
  }>(demo, '{ policy(namespace: "shop", name: "catalog-owner") { status { replicas } } }');
  return policy.status?.replicas ?? null;
}

import { expect, it } from '@jest/globals';
import { policyText } from '../../e2e/support/shop-world.ts';
import type { AConsole } from '../support/a-console.ts';

const nothing = {
  FleetPage: { policies: { edges: [], pageInfo: { endCursor: null, hasNextPage: false } } },
  FleetAround: {
    fleet: { policies: 0, mode: 'Act', unknown: 0, holds: 0, interventions: 0, orphanedHpas: 0 },
    degraded: [],
    sources: [],
  },
  SourcesPage: { sources: [] },
} as const;

/** What a controller shows that was started a minute ago, and what it says is to be done. */
export function firstRunTasks(world: () => AConsole): void {
  it('leads from no policy over no metrics API to a policy that is carried out', async () => {
    const { url, tokens, proxy, bring } = await world().another();
    proxy.answerWith(({ path }) =>
      path.startsWith('/apis/metrics.k8s.io') ? { status: 404, body: '404 page not found' } : undefined,
    );
    const page = await world().open('/', { at: { url, token: tokens.viewer } });
    await page.getByRole('heading', { name: 'No policy is in force yet' }).waitFor();
    await page.getByText('kind: AutoscalingPolicy').waitFor();
    await world().show(page, 'first-run');
    await page.getByRole('link', { name: 'See what the sources say' }).click();
    await page.getByText('Nothing is in force yet.').waitFor();
    await page.goBack();
    await bring('Add the checkout policy', { 'shop/checkout.yaml': policyText });
    const row = page.getByRole('row', { name: /shop\/checkout/ });
    await row.getByText(/does not serve metrics\.k8s\.io/).waitFor();
    await world().show(page, 'first-run-no-metrics');
    await row.getByRole('link').click();
    await page
      .getByText(/does not serve metrics\.k8s\.io\/v1beta1: is what provides it installed\?/)
      .first()
      .waitFor();
    proxy.release();
    await page.getByText('Within its bounds, and nothing stands in the way.').waitFor();
  });

  it('says what to do where there is no source, or none that one may see', async () => {
    const page = await world().open('/reports');
    await page.getByRole('heading', { name: 'Reports', exact: true }).first().waitFor();
    await page.route('**/graphql', async (route) => {
      const { operationName } = route.request().postDataJSON() as { readonly operationName?: string };
      const data = nothing[operationName as keyof typeof nothing] as object | undefined;
      return data === undefined ? route.continue() : route.fulfill({ json: { data } });
    });
    await page.goto(world().demo.url);
    await page
      .getByText('No repository is configured, or none that you may see.', { exact: false })
      .waitFor();
    await world().show(page, 'first-run-no-source');
    await page.getByRole('link', { name: 'See what the sources say' }).click();
    await page.getByRole('heading', { name: 'No source yet' }).waitFor();
    await page.getByText('under "sources"', { exact: false }).waitFor();
    await world().show(page, 'sources-none');
    expect(await page.getByRole('article').count()).toBe(0);
  });
}

import { expect, it } from '@jest/globals';
import type { AConsole } from '../support/a-console.ts';
import { askDemo, bringToDemo, demoFile } from '../support/demo-requests.ts';

const wholeDayFreeze = JSON.stringify({
  name: 'release',
  cron: '0 0 * * *',
  timeZone: 'UTC',
  duration: '1d',
  direction: 'Down',
});

/** Long enough to be seen; where the machine was too slow for one, the next is made. */
const overrideMilliseconds = [10_000, 20_000, 40_000, 80_000] as const;

/** The pages of a policy and of a decision. */
export function policyTasks(world: () => AConsole): void {
  it('tells why checkout grew and who allowed it, three clicks from the fleet', async () => {
    const page = await world().open('/');
    await page.getByRole('link', { name: 'shop/checkout', exact: true }).click();
    const scalings = page.getByRole('row').filter({ hasText: 'above target' });
    await scalings.first().waitFor();
    await world().show(page, 'policy');
    await scalings.last().getByRole('link').first().click();
    await page.getByRole('heading', { name: 'shop/checkout scales up' }).waitFor();
    const waterfall = page.getByRole('region', { name: 'Waterfall', exact: true });
    await waterfall.getByText(/^83 % of 2 cores requested over 4 ready pods/).waitFor();
    await page.getByText('Alex Example').waitFor();
    await page.getByText(/^4 → 6 by Plimsoll/).waitFor();
    await page
      .getByRole('list', { name: 'Decisions around this one' })
      .getByRole('listitem')
      .first()
      .waitFor();
    await world().show(page, 'decision');
    await page
      .getByRole('link', { name: /^[0-9a-f]{7}$/ })
      .first()
      .click();
    await page.waitForURL(/\/sources\/policies\/revisions\//);
  });

  it('charts what passes saw, reads out a moment, and opens a change of the count by its mark', async () => {
    const page = await world().open('/policies/shop/checkout');
    const chart = page.getByRole('region', { name: 'Over time' });
    await chart.getByText('As a table').waitFor();
    // The demo began within the hour, however slow the machine is.
    await chart.getByRole('button', { name: '1 h', exact: true }).click();
    await chart.locator('canvas').waitFor();
    await chart.locator('.u-over').hover({ position: { x: 5, y: 150 } });
    await chart
      .getByRole('link', { name: /^policy changed: policies [0-9a-f]{7} / })
      .first()
      .waitFor();
    await chart.getByRole('list', { name: 'Marks' }).getByText('policy changed').waitFor();
    await chart.getByRole('button', { name: '15 min' }).click();
    await chart.getByRole('button', { name: '15 min', pressed: true }).waitFor();
    await chart.locator('canvas').waitFor();
    await world().show(page, 'policy-chart');
    await chart.getByRole('button', { name: '1 h', exact: true }).click();
    await chart.getByText('As a table').click();
    await chart.getByRole('row').nth(1).waitFor();
    // The newest leads its group, and the demo's load goes up and down in three minutes.
    await chart
      .getByRole('link', { name: /^(?:4 → 6|6 → 4): / })
      .first()
      .click();
    await page.getByRole('heading', { name: /^shop\/checkout scales (?:up|down)$/ }).waitFor();
  });

  it('marks schedules and freezes on the chart', async () => {
    const page = await world().open('/audit');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    await page.route('**/graphql', async (route) => {
      const { operationName } = route.request().postDataJSON() as { readonly operationName?: string };
      if (operationName !== 'PolicyPage') return route.continue();
      const answer = await route.fetch();
      const body = (await answer.text()).replace('"spec":{', `"spec":{"freeze":[${wholeDayFreeze}],`);
      return route.fulfill({ response: answer, body });
    });
    await page.goto(`${world().demo.url}/policies/shop/gateway`);
    const chart = page.getByRole('region', { name: 'Over time' });
    await chart
      .getByRole('link', { name: /^Freeze release: nothing shrinks, until/ })
      .first()
      .waitFor();
    await chart.getByRole('list', { name: 'Marks' }).getByText('freeze').waitFor();
  });

  it('shows older changes of the count, as many as there are', async () => {
    const page = await world().open('/audit');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    // One in the place of twenty: the demo has not changed a count so often.
    await page.route('**/graphql', async (route) => {
      const body = route.request().postDataJSON() as {
        readonly operationName?: string;
        readonly variables?: { readonly scalings: number };
      };
      if (body.operationName !== 'PolicyHistory') return route.continue();
      const scalings = (body.variables?.scalings ?? 0) / 20;
      return route.continue({ postData: { ...body, variables: { ...body.variables, scalings } } });
    });
    await page.goto(`${world().demo.url}/policies/shop/catalog-labels`);
    const panel = page.getByRole('region', { name: 'Changes of the count' });
    // By a key: what arrives above it may move it away from under a pointer.
    await panel.getByRole('button', { name: 'Older' }).press('Enter');
    await panel.getByRole('row').nth(2).waitFor();
    expect(await panel.getByRole('row').count()).toBe(3);
  });

  it('names the pods that were left out, and why', async () => {
    const page = await world().open('/policies/shop/catalog-owner');
    const left = page.getByText('left out by selection');
    await left.waitFor();
    await page.getByText(/catalog-owner-reindex-\w+ \(belongs to another owner\)/).waitFor();
    // Groups of pods stand close together, and each is pressed.
    await world().show(page, 'policy-pods', left);
  });

  it('says of each value that is in force where it comes from', async () => {
    const page = await world().open('/policies/shop/checkout');
    const spec = page.getByRole('region', { name: 'Effective spec' });
    const minimum = spec.getByRole('listitem').filter({ hasText: 'spec.minReplicas' });
    await minimum.getByRole('link', { name: /^shop\/checkout\.yaml:\d+$/ }).waitFor();
    await spec.getByText(/values by default$/).click();
    await spec.getByText('upstream’s default').first().waitFor();
    await world().show(page, 'policy-values');
    await minimum.getByRole('link').click();
    await page.waitForURL(/\/sources\/policies\/revisions\//);
  });

  it('names the file and the line of the defaults that a value comes from', async () => {
    const { demo } = world();
    const file = 'billing/reports.yaml';
    const text = demoFile(demo, file);
    const lines = demoFile(demo, 'policy-defaults.yaml').split('\n');
    const line = lines.findIndex((each) => each.includes('interval:')) + 1;
    await bringToDemo(demo, 'Leave the interval to the defaults', {
      [file]: text.replace(/^ *interval:.*\n/m, ''),
    });
    const page = await world().open('/policies/billing/reports');
    const spec = page.getByRole('region', { name: 'Effective spec' });
    const interval = spec.getByRole('listitem').filter({ hasText: 'spec.interval' });
    await interval.getByText('defaults of', { exact: false }).waitFor();
    expect(await interval.textContent()).toMatch(`defaults of policy-defaults.yaml:${line}`);
    await world().show(page, 'policy-defaults', spec);
    await interval.getByRole('link', { name: `policy-defaults.yaml:${line}` }).click();
    await page.getByRole('heading', { name: 'Add the policies of shop, billing and media' }).waitFor();
    await bringToDemo(demo, 'Have the interval in the policy again', { [file]: text });
  });

  it('shows a decision that could not be made with its error', async () => {
    const page = await world().open('/policies/billing/reports');
    await page.getByText('invalid-metric', { exact: true }).waitFor();
    await page
      .getByText(/the metrics provider of reports_pending is down/)
      .first()
      .waitFor();
    await world().show(page, 'policy-without-a-value');
  });

  it('overrides the count for an hour, says beforehand what that does, and ends it', async () => {
    const page = await world().open('/policies/shop/gateway');
    await page.getByRole('button', { name: 'Override replicas' }).click();
    const dialog = page.getByRole('dialog', { name: 'Override replicas' });
    await dialog.getByLabel('Exactly').fill('4');
    await dialog.getByLabel('Reason').fill('a sale begins');
    await dialog.getByText(/→/).first().waitFor();
    await world().show(page, 'policy-override');
    await dialog.getByRole('button', { name: 'Override replicas' }).click();
    await page.getByText('Replicas are overridden').waitFor();
    await page.getByText('by demo: a sale begins').waitFor();
    await page.getByRole('button', { name: 'End it now' }).click();
    const ending = page.getByRole('dialog', { name: 'End it now' });
    await ending.getByLabel('Reason').fill('the sale is over');
    await ending.getByRole('button', { name: 'End it now' }).click();
    await page.getByText('Replicas are overridden').waitFor({ state: 'detached' });
  });

  it('an override that ends by itself while it is shown is gone from the page, and so are its bounds', async () => {
    const page = await world().open('/policies/shop/gateway');
    await page.getByText('between 2 and 10').waitFor();
    const overridden = page
      .getByRole('main')
      .filter({ hasText: 'by demo: a short sale' })
      .filter({ hasText: 'between 2 and 7' });
    const isSeen = async (milliseconds: number): Promise<boolean> => {
      const expires = new Date(Date.now() + milliseconds).toISOString();
      await askDemo(
        world().demo,
        `mutation { overrideReplicas(namespace: "shop", name: "gateway", maxReplicas: 7, expires: "${expires}", reason: "a short sale") { __typename } }`,
      );
      return overridden.waitFor({ timeout: milliseconds }).then(
        () => true,
        () => false,
      );
    };
    let wasSeen = false;
    for (const milliseconds of overrideMilliseconds) wasSeen ||= await isSeen(milliseconds);
    expect(wasSeen).toBe(true);
    await page.getByText('by demo: a short sale').waitFor({ state: 'detached' });
    await page.getByText('between 2 and 10').waitFor();
    await page.getByText('stale', { exact: true }).waitFor({ state: 'hidden' });
  });

  it.each([
    { name: 'HTML', odd: '<img src=x onerror=alert(1)>' },
    { name: '253 characters', odd: 'a'.repeat(253) },
    { name: 'a word of ten thousand letters', odd: 'W'.repeat(10_000) },
    { name: 'written from right to left', odd: 'שלום-עולם' },
  ])('shows a name that is $name as text, on a telephone too', async ({ odd }) => {
    const page = await world().open('/policies/shop/gateway', { size: 'narrow' });
    await page.getByRole('heading', { name: 'shop/gateway' }).waitFor();
    await page.route('**/graphql', async (route) => {
      const answer = await route.fetch();
      const body = await answer.text();
      await route.fulfill({
        response: answer,
        body: body
          .replaceAll('"name":"gateway"', `"name":${JSON.stringify(odd)}`)
          .replaceAll(/"(subject|author|message)":"/g, `$&${odd.length > 253 ? odd : ''}`),
      });
    });
    await page.getByRole('heading', { name: `shop/${odd}` }).waitFor();
    const isWide = await page.evaluate<boolean>(
      `['html', 'main'].map((name) => document.querySelector(name)).some((each) => each.scrollWidth > each.clientWidth)`,
    );
    expect({ isWide, images: await page.locator('main img').count() }).toEqual({ isWide: false, images: 0 });
  });

  it('is printed whole, on white, without what can only be clicked', async () => {
    const page = await world().open('/policies/shop/gateway', { colorScheme: 'dark' });
    await page.getByRole('region', { name: 'Over time' }).locator('canvas').waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const printed = await page.evaluate<object>(
      `(() => {
        const main = document.querySelector('main');
        const panel = getComputedStyle(document.querySelector('.panel'));
        return {
          isWhole: document.documentElement.scrollHeight >= main.scrollHeight && main.clientHeight === main.scrollHeight,
          buttons: [...document.querySelectorAll('.header, .button')].filter((each) => each.checkVisibility()).length,
          panel: panel.backgroundColor,
        };
      })()`,
    );
    expect(printed).toEqual({ isWhole: true, buttons: 0, panel: 'rgb(255, 255, 255)' });
    const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page[^s]/g);
    expect(pages?.length).toBeGreaterThan(1);
  });

  it('the palette knows policies and sources that no page has shown, and changes the theme', async () => {
    const page = await world().open('/policies/shop/gateway');
    await page.getByRole('heading', { name: 'shop/gateway' }).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByLabel('A policy, a source, a page');
    await field.fill('theme');
    await page.getByRole('option', { name: /^Change the theme/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme]').waitFor();
    await page.keyboard.press('Control+k');
    await field.fill('invoices');
    await page.getByRole('option', { name: /billing\/invoices/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/policies/billing/invoices');
  });

  it('is told of as it happens', async () => {
    const page = await world().open('/policies/shop/checkout');
    await page.getByRole('heading', { name: 'shop/checkout' }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
  });

  it('says so where there is no such policy or decision', async () => {
    const page = await world().open('/policies/shop/nothing');
    await page.getByRole('heading', { name: 'No such policy in force' }).waitFor();
    await page.getByRole('link', { name: 'Its changes in the audit timeline' }).click();
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    await page.goto(`${world().demo.url}/decisions/${encodeURIComponent('policy:shop/nothing#1')}`);
    await page.getByRole('heading', { name: 'No such decision' }).waitFor();
    expect(await page.getByRole('link', { name: 'Go to the fleet' }).getAttribute('href')).toBe('/');
  });
}

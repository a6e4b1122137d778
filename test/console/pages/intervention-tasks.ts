import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { soon } from '../../e2e/support/soon.ts';
import type { AConsole } from '../support/a-console.ts';
import { askDemo } from '../support/demo-requests.ts';
import { pressTogether } from '../support/keyboard.ts';

/** What operators do to many policies at once, and how it ends. */
export function interventionTasks(world: () => AConsole): void {
  const stands = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });
  /** Begins what the panel offers, and waits until it stands. */
  const begin = async (page: Page, title: string, reason: string): Promise<void> => {
    await page.getByRole('button', { name: title }).click();
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.getByLabel('Reason').fill(reason);
    await dialog.locator('[type="submit"]:enabled').click();
    await dialog.waitFor({ state: 'detached' });
    await stands(page, reason).waitFor();
  };

  it('a namespace is suspended with one intervention, which its policies name, and is ended for all of them', async () => {
    const page = await world().open('/?namespace=billing');
    await page.getByRole('link', { name: 'Intervene in billing' }).click();
    await page.getByRole('heading', { name: 'No intervention in force' }).waitFor();
    expect(await page.title()).toBe('Interventions · Plimsoll');
    expect(await page.getByLabel('Namespace', { exact: true }).inputValue()).toBe('billing');
    await world().show(page, 'interventions-none');
    await page.getByRole('button', { name: 'Suspend scaling' }).click();
    const dialog = page.getByRole('dialog', { name: 'Suspend scaling' });
    await dialog.getByLabel('Direction').selectOption('down: nothing shrinks');
    await dialog.getByText(/^no scaling down of namespace billing until /).waitFor();
    await dialog.getByText('billing/invoices').waitFor();
    await dialog.getByText('billing/reports').waitFor();
    await dialog.getByLabel('Reason').fill('the month is being closed');
    await world().show(page, 'interventions-begin');
    await dialog.getByRole('button', { name: 'Suspend scaling' }).click();
    await stands(page, 'namespace billing').getByText('down: nothing shrinks').waitFor();
    await page.goto(`${world().demo.url}/policies/billing/invoices`);
    await page.getByText(/for namespace billing until .* by demo: the month is being closed/).waitFor();
    await page.getByRole('link', { name: 'namespace billing', exact: true }).click();
    await stands(page, 'namespace billing').getByRole('button', { name: 'End it now' }).click();
    const ending = page.getByRole('dialog', { name: 'End it now' });
    await ending.getByText('billing/reports').waitFor();
    await ending.getByLabel('Reason').fill('it is closed');
    await ending.getByRole('button', { name: 'End it now' }).click();
    await page.getByRole('heading', { name: 'No intervention in force' }).waitFor();
    await page.locator('main:focus').waitFor();
    await page.goto(`${world().demo.url}/audit?kind=OperatorAction`);
    await page
      .getByText(
        /^demo asked for a suspension · accepted · namespace billing · down: nothing shrinks · ended .* UTC by .*demo.*, before it expired at .* UTC: the month is being closed$/,
      )
      .waitFor();
  });

  it('a source and everything are intervened in, found by words, and ended together by keys', async () => {
    const page = await world().open('/sources/policies');
    await page.getByRole('link', { name: 'Intervene' }).click();
    await begin(page, 'Start a dry run', 'a rehearsal of the move');
    await page.getByLabel('Where').selectOption('everywhere');
    await begin(page, 'Suspend scaling', 'the cluster is being upgraded');
    await page.getByText('2 interventions in force', { exact: true }).waitFor();
    // What, in a word beside a shape of its own; until when, as a time and from now on.
    await stands(page, 'every policy').getByText('suspended', { exact: true }).waitFor();
    await stands(page, 'rehearsal').getByText('dry run', { exact: true }).waitFor();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const until = stands(page, 'every policy').getByText(
        /^\w{3} \d+ \w{3} (\d{4} )?\d{2}:\d{2}:\d{2} UTC$/,
      );
      await until.waitFor();
      await stands(page, 'every policy')
        .getByText(/^in \d+ min$/)
        .waitFor();
      // It is cut where the column is narrow.
      const place = stands(page, 'every policy').getByRole('link', { name: 'every policy' });
      expect(await place.getAttribute('title')).toBe('every policy');
      // No page of the navigation is out of sight.
      const end = await page.evaluate<number>(
        `document.querySelector('.header nav a:last-child').getBoundingClientRect().right`,
      );
      expect(end).toBeLessThanOrEqual(width);
    }
    await world().show(page, 'interventions');
    await pressTogether(page, 'g', 'f');
    await page.getByRole('link', { name: '2 interventions in force' }).waitFor();
    await page.getByRole('button', { name: '7 suspended' }).waitFor();
    await pressTogether(page, 'g', 'i');
    await stands(page, 'every policy').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('rehearsal');
    await page.getByText('1 of 2').waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Backspace');
    await stands(page, 'every policy').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('ControlOrMeta+a');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'End 2 interventions' }).press('Enter');
    const ending = page.getByRole('dialog', { name: 'End 2 interventions' });
    await ending.getByLabel('Reason').fill('both are over');
    await ending.locator('[type="submit"]:enabled').press('Enter');
    await page.getByRole('heading', { name: 'No intervention in force' }).waitFor();
  });

  it('a stop by the fleet brake says what it stops, and is ended by an operator', async () => {
    const page = await world().open('/audit');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    // As the brake begins it, but for whose it is.
    await page.route('**/graphql', async (route) => {
      const { operationName } = route.request().postDataJSON() as { readonly operationName?: string };
      if (operationName !== 'InterventionsPage') return route.continue();
      const answer = await route.fetch();
      const body = (await answer.text()).replaceAll('"actor":"demo"', '"actor":"fleet-brake"');
      return route.fulfill({ response: answer, body });
    });
    await page.goto(`${world().demo.url}/interventions`);
    await page.getByLabel('Where').selectOption('what a source of metrics scales');
    await page.getByLabel('Source of metrics', { exact: true }).fill('metrics.k8s.io');
    await begin(page, 'Suspend scaling', '12 of 20 targets would lose half of their replicas');
    const row = stands(page, 'what metrics.k8s.io scales');
    await row.getByText(/by the fleet brake/).waitFor();
    await row.getByRole('button', { name: 'Which policies' }).click();
    const dialog = page.getByRole('dialog', {
      name: 'Policies that it acts on: what metrics.k8s.io scales',
    });
    await dialog.getByText(/^It acts on \d policies now\.$/).waitFor();
    await dialog.getByRole('link', { name: 'shop/checkout' }).waitFor();
    // Its metric is another source's.
    expect(await dialog.getByRole('link', { name: 'billing/reports' }).count()).toBe(0);
    await world().show(page, 'interventions-acted');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await world().show(page, 'interventions-fleet-brake');
    await row.getByRole('button', { name: 'End it now' }).click();
    const ending = page.getByRole('dialog', { name: 'End it now' });
    await ending.getByText('shop/checkout').waitFor();
    await ending.getByLabel('Reason').fill('the load is really gone');
    await ending.locator('[type="submit"]:enabled').click();
    await page.getByRole('heading', { name: 'No intervention in force' }).waitFor();
  });

  it('a source of metrics that no policy has is refused with those that there are', async () => {
    const page = await world().open('/interventions');
    await page.getByLabel('Where').selectOption('what a source of metrics scales');
    await page.getByLabel('Source of metrics', { exact: true }).fill('prometheus/nowhere');
    await page.getByRole('button', { name: 'Suspend scaling' }).click();
    const dialog = page.getByRole('dialog', { name: 'Suspend scaling' });
    await dialog.getByText(/no policy in force has a metric of the source .*metrics\.k8s\.io/).waitFor();
    await dialog.getByLabel('Reason').fill('to see it');
    expect(await dialog.locator('[type="submit"]').isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page
      .getByRole('region', { name: 'Intervene' })
      .getByRole('button', { name: 'Show the query' })
      .click();
    await page.getByRole('dialog').getByText('"metricSource": "prometheus/nowhere"').waitFor();
  });

  it('says of an override that it was forced, and against what', async () => {
    const { demo } = world();
    const orRefusal = '{ __typename ... on Intervention { id } ... on ActionRefusal { code message } }';
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const { forced } = await askDemo<{ readonly forced: { readonly id: string } }>(
      demo,
      `mutation { forced: overrideReplicas(namespace: "media", name: "transcoder", maxReplicas: 60, force: true, expires: "${expires}", reason: "a premiere") ${orRefusal} }`,
    );
    const page = await world().open('/interventions');
    await stands(page, 'a premiere').getByText('forced').waitFor();
    await page.goto(`${demo.url}/policies/media/transcoder`);
    await page.getByText('· forced against guardrail bounds, rule at-most-fifty').waitFor();
    const decided = await soon('a decision by the override', async () => {
      const { policy } = await askDemo<LatestBlame>(
        demo,
        '{ policy(namespace: "media", name: "transcoder") { latestDecision { id blame { interventions { intervention { id } } } } } }',
      );
      const { id, blame } = policy.latestDecision;
      return blame.interventions.some(({ intervention }) => intervention.id === forced.id) ? id : undefined;
    });
    await askDemo(demo, `mutation { endOverride(id: "${forced.id}", reason: "it is over") ${orRefusal} }`);

    // What stood as it was decided is said as it stood, and how it ended since.
    await page.goto(`${demo.url}/decisions/${encodeURIComponent(decided)}`);
    const then = page.getByRole('region', { name: 'Interventions that stood then' });
    await then.getByText('forced against guardrail bounds, rule at-most-fifty').waitFor();
    await then.getByText(/ended .* by .?demo.*: it is over/).waitFor();

    // The page of its end says when and by whom it ended, and not that it lasts.
    const { auditEntries } = await askDemo<LatestAction>(
      demo,
      '{ auditEntries(first: 1, where: { kinds: [OperatorAction] }) { edges { node { id } } } }',
    );
    await page.goto(`${demo.url}/audit/${encodeURIComponent(auditEntries.edges[0]?.node.id ?? '')}`);
    const facts = page.getByRole('region', { name: 'What is recorded' });
    await facts.getByText('Would have expired').waitFor();
    await facts.getByText(/by .?demo/).waitFor();
    expect(await facts.getByText('Until', { exact: true }).count()).toBe(0);
  });
}

interface LatestBlame {
  readonly policy: {
    readonly latestDecision: {
      readonly id: string;
      readonly blame: {
        readonly interventions: readonly { readonly intervention: { readonly id: string } }[];
      };
    };
  };
}

interface LatestAction {
  readonly auditEntries: { readonly edges: readonly { readonly node: { readonly id: string } }[] };
}

import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { eventually } from '../../control-plane/poll.ts';
import { Random } from '../../support/random.ts';
import { type AConsole, sizes, wideParts } from '../support/a-console.ts';
import { askDemo } from '../support/demo-requests.ts';
import { garbled } from '../support/garbled.ts';
import { pressTogether } from '../support/keyboard.ts';
import { lengthened } from '../support/lengthened.ts';

/** Beyond what may be shown without being called old. */
const longMilliseconds = 70_000;

const tooCostly = {
  errors: [
    { message: 'the query may read 30,000, and 25,000 is the most', extensions: { code: 'QueryTooCostly' } },
  ],
};

/** That ask for something before they show anything. */
const everyPage = [
  '/',
  '/policies/shop/gateway',
  '/decisions/policy:shop%2Fgateway%231',
  '/interventions',
  '/sources',
  '/sources/policies',
  `/sources/policies/revisions/${'0'.repeat(40)}`,
  '/audit',
  '/audit/sync%231',
  '/reports',
  '/controller',
];

const notReadable = /The answer could not be read to its end\./;

/** More find nothing: 30 were tried. */
const roundsPerPage = 3;

interface LatestDecision {
  readonly decisions: { readonly edges: readonly [{ readonly node: { readonly id: string } }] };
}

/** What is shown while the controller is slow, refuses, or goes away. */
export function failureTasks(world: () => AConsole): void {
  const rowOf = (page: Page) => page.getByRole('row', { name: /transcoder/ });
  const open = async (): Promise<Page> => {
    const page = await world().open('/');
    await rowOf(page).waitFor();
    return page;
  };
  /** The fleet is asked for when it is gone to; otherwise in ten seconds. */
  const askAnew = async (page: Page): Promise<void> => {
    await pressTogether(page, 'g', 'p');
    await pressTogether(page, 'g', 'f');
    await rowOf(page).waitFor();
  };
  const latestDecision = async (): Promise<string> => {
    const { decisions } = await askDemo<LatestDecision>(
      world().demo,
      '{ decisions(first: 1) { edges { node { id } } } }',
    );
    return `/decisions/${encodeURIComponent(decisions.edges[0].node.id)}`;
  };
  const stale = (page: Page) => page.getByText('stale', { exact: true }).first();

  it('a controller that is slow is said to be, and what is known stays until it answers', async () => {
    const page = await world().open('/reports');
    await page.getByRole('heading', { name: 'Reports', exact: true }).first().waitFor();
    // However slow the machine is, the page does not give its question up.
    await page.addInitScript('AbortSignal.timeout = () => new AbortController().signal');
    await page.clock.install();
    await page.goto(world().demo.url);
    await rowOf(page).waitFor();
    const gate = Promise.withResolvers<undefined>();
    await page.route('**/graphql', async (route) => {
      await gate.promise;
      await route.continue();
    });
    const slow = page.getByText('the controller is slow to answer');
    await eventually({
      description: 'the controller is said to be slow',
      probe: async () => {
        // Once more where an answer was still on its way, from which on the time is counted.
        await page.clock.fastForward(longMilliseconds);
        return (await slow.isVisible()) || undefined;
      },
      timeoutMilliseconds: longMilliseconds,
    });
    expect(await rowOf(page).count()).toBe(1);
    await world().show(page, 'fleet-slow');
    gate.resolve(undefined);
    await stale(page).waitFor({ state: 'hidden' });
  });

  it('a controller that refuses is quoted, and what is known stays', async () => {
    world().forgive(/Failed to load resource/);
    const page = await open();
    await page.route('**/graphql', (route) => route.fulfill({ json: tooCostly }));
    await askAnew(page);
    await page.getByText('the query may read 30,000, and 25,000 is the most').waitFor();
    await stale(page).waitFor();
    expect(await rowOf(page).count()).toBe(1);
    await world().show(page, 'fleet-refused');
    await page.unroute('**/graphql');
    await page.route('**/graphql', (route) => route.fulfill({ status: 429, json: {} }));
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText('The controller has had too many requests of yours.', { exact: false }).waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await stale(page).waitFor({ state: 'hidden' });
  });

  it('a page that was never answered says why', async () => {
    world().forgive(/Failed to load resource/);
    const page = await world().open('/reports');
    await page.getByRole('heading', { name: 'Reports', exact: true }).first().waitFor();
    await page.route('**/graphql', (route) => route.abort());
    await pressTogether(page, 'g', 's');
    await page.getByRole('alert').getByText('The controller does not answer.').waitFor();
    await world().show(page, 'sources-unanswered');
  });

  it('a part that cannot be loaded, while the controller is away, says so in its place, and the rest stays', async () => {
    world().forgive(/Failed to load resource/);
    const page = await open();
    const missing = page.getByRole('alert').filter({ hasText: 'This could not be loaded' });
    await page.route('**/assets/**', (route) => route.abort('connectionrefused'));
    await page.keyboard.press('?');
    await missing.waitFor();
    expect(await rowOf(page).count()).toBe(1);
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('main').getByText('This could not be loaded').waitFor();
    // That of what was over the page before has gone with it.
    expect(await missing.count()).toBe(1);
    expect(await page.getByText('This page failed').count()).toBe(0);
  });

  it.each([
    {
      name: 'a proxy',
      answer: { contentType: 'text/html', body: '<h1>It works!</h1><script>alert(1)</script>' },
      says: notReadable,
    },
    {
      name: 'another server',
      answer: { json: { data: {} } },
      says: /The answer is not what was asked for \(\w+\)/,
    },
    { name: 'a server without data', answer: { json: { data: null } }, says: notReadable },
  ])('$name that answers in the place of the controller breaks no page', async ({ answer, says }) => {
    const page = await world().open('/reports');
    await page.getByRole('heading', { name: 'Reports', exact: true }).first().waitFor();
    await page.route('**/graphql', (route) => route.fulfill(answer));
    for (const path of everyPage) {
      await page.goto(`${world().demo.url}${path}`);
      await page.getByText(says).first().waitFor();
      expect([path, await page.getByText('This page failed').count()]).toEqual([path, 0]);
    }
  });

  it('an answer with a value in it that nobody expects breaks no page', async () => {
    const page = await world().open('/reports');
    await page.getByRole('heading', { name: 'Reports', exact: true }).first().waitFor();
    const decision = await latestDecision();
    const changes: string[] = [];
    let round = 0;
    await page.route('**/graphql', async (route) => {
      const { operationName = '' } = route.request().postDataJSON() as { readonly operationName?: string };
      const response = await route.fetch();
      // By the question: in which order they are asked is up to the machine.
      const changed = garbled(await response.json(), new Random(seedOf(operationName, round)));
      changes.push(`${operationName}${changed.at}`);
      await route.fulfill({ json: changed.answer });
    });
    const broken: string[] = [];
    for (const path of [...everyPage, decision]) {
      for (round = 1; round <= roundsPerPage; round += 1) {
        changes.length = 0;
        await page.goto(`${world().demo.url}${path}`);
        await page.waitForLoadState('networkidle');
        if ((await page.getByText('This page failed').count()) > 0)
          broken.push(`${path}, round ${round}: ${changes.join('; ')}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('texts without a place to break a line at make no page scroll sideways', async () => {
    const page = await world().open('/reports');
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: lengthened(await response.json()) });
    });
    const wide: string[] = [];
    for (const size of ['narrow', 'usual'] as const) {
      await page.setViewportSize(sizes[size]);
      for (const path of [...everyPage, await latestDecision()]) {
        await page.goto(`${world().demo.url}${path}`);
        await page.waitForLoadState('networkidle');
        for (const place of await wideParts(page)) wide.push(`${path}, ${size}: ${place}`);
      }
    }
    expect(wide).toEqual([]);
  });

  it('an action that is not answered may or may not be done, and an action that is refused is not', async () => {
    world().forgive(/Failed to load resource/);
    const page = await world().open('/policies/media/transcoder');
    await page.getByRole('button', { name: 'Suspend scaling' }).click();
    const dialog = page.getByRole('dialog', { name: 'Suspend scaling' });
    await dialog.getByLabel('Reason').fill('a sentence that took a while');
    const send = dialog.getByRole('button', { name: 'Suspend scaling' });
    await dialog.getByText('What it will do').waitFor();
    const enabled = dialog.locator('[type="submit"]:enabled');
    await enabled.waitFor();
    // What it would do is looked up again after each attempt, and answered.
    const answerAction = (answer: (route: Route) => Promise<void>): Promise<unknown> =>
      page.route('**/graphql', (route) =>
        route.request().postData()?.includes('"dryRun":false') === true ? answer(route) : route.continue(),
      );
    await answerAction((route) => route.abort());
    await send.click();
    await dialog
      .getByText('The answer did not come: it may or may not have been carried out.', { exact: false })
      .waitFor();
    await page.unroute('**/graphql');
    await answerAction((route) => route.fulfill({ status: 429, json: {} }));
    await enabled.waitFor();
    await send.click();
    await dialog
      .getByText('It was not carried out: the controller has had too many requests of yours.', {
        exact: false,
      })
      .waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('a sentence that took a while');
    await world().show(page, 'action-refused');
    await page.unroute('**/graphql');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Scaling is suspended').waitFor({ state: 'detached' });
  });
}

/** Another one for each question, and in each round. */
function seedOf(operation: string, round: number): number {
  return createHash('sha256').update(`${operation} ${round}`).digest().readUInt32BE();
}

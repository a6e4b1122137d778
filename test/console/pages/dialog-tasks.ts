import { expect, it } from '@jest/globals';
import type { Locator, Page, Route } from 'playwright-core';
import type { AConsole } from '../support/a-console.ts';
import { askDemo } from '../support/demo-requests.ts';
import { tabTo } from '../support/keyboard.ts';

/** What a dialog asks for, and sends. */
interface Asked {
  readonly dryRun: boolean;
  readonly expires?: string;
}

const minuteMilliseconds = 60_000;

/** The dialogs of actions: agreed to, open for long, with what does not fit, and while what they sent is under way. */
export function dialogTasks(world: () => AConsole): void {
  const open = async (path: string, title: string): Promise<{ page: Page; dialog: Locator }> => {
    const page = await world().open(path);
    await page.getByRole('main').getByRole('button', { name: title }).click();
    return { page, dialog: page.getByRole('dialog', { name: title }) };
  };

  it('what has to be agreed to is done as it was looked at, and is looked at and agreed to again where it is another by now', async () => {
    const { page, dialog } = await open('/policies/shop/catalog-owner', 'Override replicas');
    const asked = notedOf(page);
    await dialog.getByLabel('Minimum').fill('1.5');
    await dialog.getByText('A count is a whole number, 0 to 2,147,483,647.').waitFor();
    await dialog.getByLabel('Minimum').fill('1');
    await dialog.getByLabel('Maximum').fill('1');
    await dialog.getByLabel('Reason').fill('a test of dialogs');
    const agreed = dialog.getByLabel('I have read what it will do');
    await agreed.check();
    await tabTo(page, dialog.locator('[type="submit"]:enabled'));
    await overrideMeanwhile(world());
    await page.keyboard.press('Enter');
    await dialog.getByText('the effect is another one by now').waitFor();
    await dialog.getByText('bounds 2–12').waitFor();
    expect([await agreed.isChecked(), await dialog.locator('[type="submit"]:enabled').count()]).toEqual([
      false,
      0,
    ]);
    await dialog.locator(':focus').waitFor();
    await agreed.check();
    await dialog.locator('[type="submit"]:enabled').click();
    await dialog.waitFor({ state: 'detached' });
    const looked = asked.findLast(({ dryRun }) => dryRun);
    expect(asked.at(-1)).toEqual({ ...looked, dryRun: false });
    await endOverrides(world());
  });

  it('the end that is shown moves on while a dialog is open, and is the one that is sent', async () => {
    const page = await world().open('/policies/shop/gateway');
    await page.clock.install();
    // What passes for the browser passes for the controller: by its answers' dates the end would go back to what it was.
    let passed = 0;
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      const date = new Date(Date.now() + passed).toUTCString();
      await route.fulfill({ response, headers: { ...response.headers(), date } });
    });
    await page.goto(`${world().demo.url}/policies/shop/gateway`);
    await page.getByRole('main').getByRole('button', { name: 'Override replicas' }).click();
    const dialog = page.getByRole('dialog', { name: 'Override replicas' });
    const asked = notedOf(page);
    await dialog.getByLabel('Maximum').fill('9');
    await dialog.getByText('shop/gateway: at most 9 until').waitFor();
    const again = page.waitForRequest((request) => request.postData()?.includes('"dryRun":true') === true);
    passed = 6 * minuteMilliseconds;
    await page.clock.fastForward(passed);
    await again;
    const [first, second] = asked.map(({ expires = '' }) => Date.parse(expires));
    expect(second).toBeGreaterThan(first ?? Number.NaN);
  });

  it('one Escape takes nothing that was typed: it says so, and the next one closes the dialog', async () => {
    const { page, dialog } = await open('/policies/shop/gateway', 'Suspend scaling');
    const reason = dialog.getByLabel('Reason');
    const said = dialog.getByText('Escape once more closes this, and what was typed into it is gone.');
    await reason.fill('the deployment of');
    await page.keyboard.press('Escape');
    await said.waitFor();
    await world().show(page, 'dialog-kept');
    await page.keyboard.type(' today');
    await said.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await said.waitFor();
    expect(await reason.inputValue()).toBe('the deployment of today');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('a reason that is too long is not cut: it says by how much, and is not sent', async () => {
    const { page, dialog } = await open('/policies/shop/gateway', 'Suspend scaling');
    const reason = dialog.getByLabel('Reason');
    await dialog.getByText('no scaling of shop/gateway until').waitFor();
    await reason.focus();
    await page.keyboard.insertText('x'.repeat(1_500));
    await dialog.getByText('500 characters too many: 1,000 are the most.').waitFor();
    expect((await reason.inputValue()).length).toBe(1_500);
    expect(await dialog.locator('[type="submit"]:enabled').count()).toBe(0);
    await world().show(page, 'reason-too-long');
    await reason.fill('x'.repeat(1_000));
    await dialog.locator('[type="submit"]:enabled').waitFor();
  });

  it('an action that takes its time says that it goes on when its dialog is left', async () => {
    world().forgive(/Failed to load resource/);
    const { page, dialog } = await open('/policies/shop/gateway', 'Suspend scaling');
    await dialog.getByLabel('Reason').fill('never answered');
    const send = dialog.locator('[type="submit"]:enabled');
    await send.waitFor();
    const held: Route[] = [];
    await page.route('**/graphql', (route) => {
      if (route.request().postData()?.includes('"dryRun":false') !== true) return route.continue();
      held.push(route);
      return undefined;
    });
    await send.click();
    await dialog.getByText('It goes on when this is closed').waitFor();
    await world().show(page, 'action-under-way');
    await dialog.getByText('Close', { exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    // What is only held goes on when the page closes, and what it does is in the way of the tasks that follow.
    for (const route of held) await route.abort();
  });
}

/** What the page asks from now on of actions. */
function notedOf(page: Page): readonly Asked[] {
  const asked: Asked[] = [];
  page.on('request', (request) => {
    const { variables } = (request.postDataJSON() ?? {}) as { readonly variables?: Asked };
    if (variables?.dryRun === undefined) return;
    const { dryRun, expires } = variables;
    asked.push(expires === undefined ? { dryRun } : { dryRun, expires });
  });
  return asked;
}

/** Another person's override of the policy. */
async function overrideMeanwhile({ demo }: AConsole): Promise<void> {
  const expires = new Date(Date.now() + 10 * minuteMilliseconds).toISOString();
  await askDemo(
    demo,
    `mutation { overrideReplicas(namespace: "shop", name: "catalog-owner", minReplicas: 2, expires: "${expires}", reason: "meanwhile") { __typename } }`,
  );
}

async function endOverrides({ demo: { url, token } }: AConsole): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const listed = await fetch(`${url}/api/v1/interventions?namespace=shop&kind=Override`, { headers });
  const { items } = (await listed.json()) as { readonly items: readonly { readonly id: string }[] };
  for (const { id } of items)
    await fetch(`${url}/api/v1/interventions/${id}?reason=over`, { method: 'DELETE', headers });
}

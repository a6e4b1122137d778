import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { AConsole } from '../support/a-console.ts';
import { demoToken } from '../support/demo-requests.ts';
import { endSessionAtSending } from '../support/session-end.ts';

const hourMilliseconds = 3_600_000;

/** What the browser has against the controller: no answer, a session that ends, rights that are missing, another time. */
export function sessionTasks(world: () => AConsole): void {
  const open = async (): Promise<Page> => {
    const page = await world().open('/');
    await page.getByRole('row', { name: /transcoder/ }).waitFor();
    return page;
  };

  it('what is known stays, marked as stale, while the controller is gone, and is asked for again', async () => {
    world().forgive(/Failed to load resource/);
    const page = await open();
    await page.route('**/graphql', (route) => route.abort());
    await page.getByText('The controller does not answer.').waitFor();
    expect(await page.getByRole('row', { name: /transcoder/ }).count()).toBe(1);
    await world().show(page, 'fleet-stale');
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText('The controller does not answer.').waitFor({ state: 'hidden' });
  });

  it('an answer that is cut off changes nothing of what is shown', async () => {
    const page = await open();
    await page.route('**/graphql', (route) =>
      route.fulfill({ contentType: 'application/json', body: '{"data":{"policies":{"edges":[' }),
    );
    await page.getByText('stale', { exact: true }).waitFor();
    expect(await page.getByRole('row', { name: /transcoder/ }).count()).toBe(1);
  });

  it('a session that ends in the middle of a form loses nothing of it, and carries nothing out', async () => {
    world().forgive(/401|WebSocket/);
    const page = await open();
    for (const key of ['j', 'x']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Start a dry run' }).click();
    const form = page.getByRole('dialog', { name: 'Start a dry run' });
    await form.getByLabel('Reason').fill('a sentence that took a while');
    const ended = await endSessionAtSending(page, form);
    await world().show(page, 'session-ended');
    await ended.getByLabel('API token').fill(world().demo.token);
    await ended.getByRole('button', { name: 'Sign in' }).click();
    await ended.waitFor({ state: 'hidden' });
    expect(await form.getByLabel('Reason').inputValue()).toBe('a sentence that took a while');
    await form.getByText('It was not carried out: your session had ended.').waitFor();
    expect(await page.getByText('dry run', { exact: true }).count()).toBe(0);
  });

  it.each(['over a dialog', 'over a page'])(
    'a sign-in %s begins in its field, and gives the focus back to where it was',
    async (place) => {
      world().forgive(/401|WebSocket/);
      const page = await open();
      const search = page.getByLabel('Search by name or team');
      for (const key of ['j', 'x']) await page.keyboard.press(key);
      if (place === 'over a dialog') await page.getByRole('button', { name: 'Suspend scaling' }).click();
      const form = page.getByRole('dialog', { name: 'Suspend scaling' });
      const field = place === 'over a dialog' ? form.getByLabel('Reason') : search;
      await field.focus();
      await page.context().clearCookies();
      await page.locator('[name="token"]:focus').waitFor();
      await page.keyboard.insertText(world().demo.token);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
      await field.and(page.locator(':focus')).waitFor();
    },
  );

  it('a session that is renewed in another tab goes on with what was typed', async () => {
    world().forgive(/401|WebSocket/);
    const page = await open();
    const { cookies } = await page.context().storageState();
    for (const key of ['j', 'x']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Suspend scaling' }).click();
    const form = page.getByRole('dialog', { name: 'Suspend scaling' });
    await form.getByLabel('Reason').fill('half a sentence');
    const ended = await endSessionAtSending(page, form);
    await page.context().addCookies(cookies);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await ended.waitFor({ state: 'hidden' });
    expect(await form.getByLabel('Reason').inputValue()).toBe('half a sentence');
    await form.getByText('It was not carried out: your session had ended.').waitFor();
  });

  it('who may only look is told so, and who could', async () => {
    const token = await viewerToken(world());
    const page = await world().open('/', { isStranger: true });
    await page.getByLabel('API token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('row', { name: /transcoder/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('ControlOrMeta+a');
    const who = 'An operator, approver or admin of billing, media and shop could.';
    // Before anything is clicked, for every namespace that is concerned.
    await page.getByText(`Not with your role: Suspend, Override, Dry run. ${who}`).waitFor();
    const suspend = page.getByRole('button', { name: 'Suspend scaling' });
    expect(await suspend.getAttribute('title')).toBe(
      `It wants the role operator in billing, media and shop. ${who}`,
    );
    await world().show(page, 'forbidden-before');
    await suspend.click();
    const dialog = page.getByRole('dialog', { name: 'Suspend scaling' });
    await dialog.getByText('It wants the role operator in billing, media and shop.').waitFor();
    await dialog.getByText(who).waitFor();
    await world().show(page, 'forbidden');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'shop/gateway', exact: true }).click();
    await page.getByText('Nor Release. An approver or admin of shop could.').waitFor();
    await world().show(page, 'forbidden-policy');
    await page.goto(`${world().demo.url}/interventions?in=Namespace&name=shop`);
    await page.getByText('Not with your role: Suspend scaling, Start a dry run.').waitFor();
    await world().show(page, 'forbidden-interventions');
  });

  it.each([
    { name: 'an hour ahead', hours: 1, says: '1 h ahead of the controller’s' },
    { name: 'an hour behind', hours: -1, says: '1 h behind the controller’s' },
    { name: 'a day ahead', hours: 24, says: '1 d ahead of the controller’s' },
    { name: 'a day behind', hours: -24, says: '1 d behind the controller’s' },
    { name: 'a year ahead', hours: 8_760, says: '365 d ahead of the controller’s' },
    { name: 'a year behind', hours: -8_760, says: '365 d behind the controller’s' },
  ])(
    'a clock of the browser that is $name is told, and times are the controller’s',
    async ({ hours, says }) => {
      const page = await world().open('/audit');
      await page.getByRole('heading', { name: 'Audit' }).waitFor();
      // It goes on: of a clock that stands still, the hour is another one before a slow machine has shown it.
      await page.clock.install({ time: Date.now() + hours * hourMilliseconds });
      await page.goto(world().demo.url);
      await page.getByText(says).waitFor();
      const row = page.getByRole('row', { name: /transcoder/ });
      await row.waitFor();
      expect(await row.textContent()).not.toMatch(/\d+ (d|h|min) ago/);
      await page.goto(`${world().demo.url}/policies/media/transcoder`);
      await page.getByRole('region', { name: 'Over time' }).locator('canvas').waitFor();
      await page.getByRole('region', { name: 'Versions' }).getByRole('listitem').first().waitFor();
      // The year is left out where it is the controller's.
      const main = await page.getByRole('main').textContent();
      expect(main).toMatch(/\w{3} \d+ \w{3} \d\d:\d\d:\d\d UTC/);
      expect(main).not.toMatch(/\w{3} \d+ \w{3} \d{4} \d\d:/);
      await page.getByRole('button', { name: 'Override replicas' }).click();
      const asked = page.waitForRequest((request) => request.postData()?.includes('expires') === true);
      await page.getByRole('dialog', { name: 'Override replicas' }).getByLabel('Exactly').fill('4');
      const expires = /"expires":"([^"]+)"/.exec((await asked).postData() ?? '')?.[1] ?? '';
      const wanted = Date.now() + hourMilliseconds;
      expect(Math.abs(Date.parse(expires) - wanted)).toBeLessThan(hourMilliseconds / 4);
    },
  );
}

function viewerToken({ demo }: AConsole): Promise<string> {
  return demoToken(demo, { role: 'viewer', namespaces: ['*'] });
}

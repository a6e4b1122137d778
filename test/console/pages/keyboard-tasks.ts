import { expect, it } from '@jest/globals';
import type { AConsole } from '../support/a-console.ts';
import { pressTogether, tabTo } from '../support/keyboard.ts';

/** What leads from page to page without a mouse: keys, the palette and the help. */
export function keyboardTasks(world: () => AConsole): void {
  it('the keyboard alone leads to a policy, to the pages, and to the help', async () => {
    const page = await world().open('/');
    await page.getByRole('row', { name: /transcoder/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/policies/billing/reports');
    await pressTogether(page, 'g', 's');
    await page.waitForURL('**/sources');
    await pressTogether(page, 'g', 'f');
    await page.getByRole('grid').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await world().show(page, 'help');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    await page.getByLabel('A policy, a source, a page').waitFor();
    await page.keyboard.type('transc');
    await page.getByRole('option', { name: /media\/transcoder/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/policies/media/transcoder');
    await page.keyboard.press('Control+k');
    await page.getByLabel('A policy, a source, a page').fill('shop');
    await page.getByRole('option', { name: /shop\/gateway/ }).waitFor();
    await world().show(page, 'palette');
  });

  it('what is typed before the palette is loaded is in its field, presses nothing else, and the focus goes back to where it was', async () => {
    const page = await world().open('/reports');
    const field = page.getByLabel('A policy, a source, a page');
    const { promise: isWanted, resolve: load } = Promise.withResolvers<undefined>();
    await page.route('**/assets/palette-*.js', async (route) => {
      await isWanted;
      await route.continue();
    });
    // The files that were loaded with the page before are at hand, and would be those of the palette.
    await page.reload();
    const help = page.getByRole('button', { name: 'Keyboard shortcuts' });
    await help.focus();
    await page.keyboard.press('Control+k');
    await page.getByRole('heading', { name: 'Go to' }).waitFor();
    await page.keyboard.type('g sx');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await page.getByText('g s', { exact: true }).waitFor();
    expect([new URL(page.url()).pathname, await field.count()]).toEqual(['/reports', 0]);
    load(undefined);
    await field.waitFor();
    expect(await field.inputValue()).toBe('g s');
    await page.keyboard.type('hop');
    expect(await field.inputValue()).toBe('g shop');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await page.locator(':focus[aria-label="Keyboard shortcuts"]').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('an action that is done gives the focus back to its button, and what could not be looked up meanwhile is asked again by itself', async () => {
    world().forgive(/Failed to load resource/);
    const page = await world().open('/reports');
    let isAway = false;
    await page.route('**/graphql', (route) =>
      isAway ? route.fulfill({ status: 503, body: '' }) : route.continue(),
    );
    await page.goto(`${world().demo.url}/policies/shop/gateway`);
    await tabTo(page, page.getByRole('main').getByRole('button', { name: 'Suspend scaling' }));
    isAway = true;
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Suspend scaling' });
    await tabTo(page, dialog.getByLabel('Reason'));
    await page.keyboard.type('by keys');
    await dialog.getByText('The controller is not ready to answer.').waitFor();
    isAway = false;
    await dialog.getByText(/^no scaling of shop\/gateway until /).waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('by keys');
    await tabTo(page, dialog.locator('[type="submit"]:enabled'));
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.locator(':focus[aria-label="Suspend scaling"]').waitFor();
    await tabTo(page, page.getByRole('main').getByRole('button', { name: 'End it now' }));
    await page.keyboard.press('Enter');
    const ending = page.getByRole('dialog', { name: 'End it now' });
    await tabTo(page, ending.getByLabel('Reason'));
    await page.keyboard.type('seen');
    await tabTo(page, ending.locator('[type="submit"]:enabled'));
    await page.keyboard.press('Enter');
    await ending.waitFor({ state: 'detached' });
  });

  it('the palette stays that is opened before the next page has come, and what was open goes', async () => {
    const page = await world().open('/');
    await page.getByRole('row', { name: /transcoder/ }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    // In one turn of the event loop: however slow the machine is, the page comes after both.
    await page.evaluate(`
      document.querySelector('nav a[href$="/sources"]').click();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
    `);
    await page.getByRole('article', { name: 'policies' }).waitFor();
    await page.getByLabel('A policy, a source, a page').fill('shop');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'hidden' });
  });

  it('j, k and Enter lead through a list that is no table, too, and / to the palette where there is no search', async () => {
    const page = await world().open('/sources');
    await page.getByRole('article', { name: 'policies' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sources/policies');
    await page.goto(`${world().demo.url}/audit`);
    const rows = page.locator('.timeline-what a');
    await rows.nth(2).waitFor();
    const focused = (): Promise<string | null> => page.locator('a:focus').getAttribute('href');
    for (const [key, row] of [
      ['j', 0],
      ['j', 1],
      ['k', 0],
      ['k', 0],
    ] as const) {
      const before = await rows.nth(row).getAttribute('href');
      await page.keyboard.press(key);
      // What happens meanwhile comes above.
      expect([before, await rows.nth(row).getAttribute('href')]).toContain(await focused());
    }
    await page.goto(`${world().demo.url}/controller`);
    await page.getByRole('heading', { name: 'Controller', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.getByLabel('A policy, a source, a page').waitFor();
  });

  it('the page that a link leads to has the focus, so that the next Tab is not through the header again', async () => {
    const page = await world().open('/sources');
    const link = page.getByRole('main').getByRole('link', { name: 'policies', exact: true });
    await tabTo(page, link);
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();
    // `Sync now` stands on the page before as well, and while this one is loaded no Tab leads to anything of it.
    await page.getByRole('link', { name: 'Intervene', exact: true }).waitFor();
    await page.keyboard.press('Tab');
    await page.locator('main :focus').waitFor();
  });

  it('the palette begins what the page offers, and a telephone asks before it signs out', async () => {
    const page = await world().open('/policies/shop/gateway');
    await page.getByRole('button', { name: 'Override replicas' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByLabel('A policy, a source, a page').fill('override');
    await page.getByRole('option', { name: /Override replicas.*action of this page/ }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Override replicas' });
    await dialog.getByText('Give a minimum, a maximum or an exact count').waitFor();
    expect(await dialog.locator('.problem').count()).toBe(0);
    await dialog.getByLabel('Exactly').fill('4');
    await dialog.getByText('Give a minimum, a maximum or an exact count').waitFor({ state: 'hidden' });
    const phone = await world().open('/reports', { size: 'narrow', hasTouch: true });
    await phone.getByRole('button', { name: 'demo' }).tap();
    await phone.getByRole('dialog', { name: 'Signed in as demo' }).waitFor();
    await phone.getByRole('button', { name: 'Stay signed in' }).tap();
    await phone.getByRole('heading', { name: 'Make a report' }).waitFor();
  });
}

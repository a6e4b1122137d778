import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { policyText } from '../../e2e/support/shop-world.ts';
import type { AConsole } from '../support/a-console.ts';
import type { AnotherController } from '../support/another-controller.ts';
import { endSessionAtSending } from '../support/session-end.ts';

/** Signing in at a real OpenID provider. */
export function openidTasks(world: () => AConsole): void {
  const leave = async (
    path: string,
  ): Promise<{ readonly page: Page; readonly another: AnotherController }> => {
    const another = await world().another();
    const page = await world().open(path, { at: another });
    await page.getByRole('link', { name: 'Sign in with OpenID' }).click();
    return { page, another };
  };
  /** As a person does on the provider's own pages. */
  const enter = async (page: Page, login: string): Promise<void> => {
    await page.locator('[name="login"]').fill(login);
    await page.locator('[name="password"]').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  };
  const interventions = async ({ ask }: AnotherController): Promise<readonly unknown[]> =>
    (await ask<{ readonly interventions: readonly unknown[] }>('{ interventions { id } }')).interventions;

  it('leads back to the page that was asked for, signed in', async () => {
    const { page } = await leave('/sources');
    await enter(page, 'ann');
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.getByRole('article', { name: 'policies' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/sources');
    await page.getByTitle('Signed in as oidc:ann@example.com').waitFor();
    expect(await page.context().cookies(page.url())).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'plimsoll-session', httpOnly: true, sameSite: 'Strict' }),
      ]),
    );
  });

  it('says in the header that no WebSocket opens, and who is signed in stays in sight', async () => {
    world().forgive(/WebSocket/);
    const { page } = await leave('/');
    await page.routeWebSocket(/graphql/, (socket) => socket.close());
    await enter(page, 'ann');
    await page.getByText(/^not live/).waitFor();
    for (const width of [1280, 1181]) {
      await page.setViewportSize({ width, height: 800 });
      const { right, name } = await page.evaluate<{ readonly right: number; readonly name: number }>(
        `({ right: document.querySelector('.account').getBoundingClientRect().right,
            name: document.querySelector('.account-name').getBoundingClientRect().width })`,
      );
      expect(right).toBeLessThanOrEqual(width);
      expect(name).toBeGreaterThan(0);
    }
  });

  it('says to who is in no group why it is not let in', async () => {
    const { page } = await leave('/sources');
    await enter(page, 'bo');
    await page
      .getByRole('alert')
      .getByText('none of your groups has a role here', { exact: false })
      .waitFor();
    await page.getByLabel('API token').waitFor();
    await world().show(page, 'login-refused');
  });

  it('a session that ends in the middle of a form is begun anew beside it: nothing is lost, and nothing was done', async () => {
    world().forgive(/401|WebSocket/);
    const { bring } = await world().another();
    await bring('Have the checkout policy', { 'shop/checkout.yaml': policyText });
    const { page, another } = await leave('/policies/shop/checkout');
    await enter(page, 'ann');
    await page.getByRole('button', { name: 'Suspend scaling' }).click();
    const form = page.getByRole('dialog', { name: 'Suspend scaling' });
    await form.getByLabel('Reason').fill('half a sentence');
    const ended = await endSessionAtSending(page, form, { name: 'plimsoll-session' });
    const [beside] = await Promise.all([
      page.context().waitForEvent('page'),
      ended.getByRole('link', { name: 'Sign in with OpenID' }).click(),
    ]);
    // The provider knows who it is, and asks nothing.
    await beside.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(await interventions(another)).toEqual([]);
    await beside.close();
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await ended.waitFor({ state: 'hidden' });
    await form.getByText('It was not carried out: your session had ended.', { exact: false }).waitFor();
    expect(await form.getByLabel('Reason').inputValue()).toBe('half a sentence');
    await form.getByRole('button', { name: 'Suspend scaling' }).click();
    await page.getByText('by oidc:ann@example.com: half a sentence').waitFor();
    expect(await interventions(another)).toHaveLength(1);
  });
}

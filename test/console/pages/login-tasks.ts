import { expect, it } from '@jest/globals';
import type { AConsole } from '../support/a-console.ts';

/** Signing in and out. */
export function loginTasks(world: () => AConsole): void {
  it('a token that is pasted signs in, and the address that was asked for is shown', async () => {
    const page = await world().open('/sources', { isStranger: true });
    const field = page.getByLabel('API token');
    await page.getByText(/^The console of a Plimsoll controller: what scales each workload/).waitFor();
    await page
      .getByText('Where none is configured, the controller prints one at each start', { exact: false })
      .waitFor();
    await world().show(page, 'login');
    // Whoever comes may type at once, and is told what is missing, by whichever key it is sent.
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Paste a token first.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('API token').fill('plm_nobody');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('That token is not valid here').waitFor();
    expect(await page.evaluate<string>('document.activeElement?.getAttribute("name")')).toBe('token');
    await world().show(page, 'login-refused');
    await page.getByLabel('API token').fill(world().demo.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/sources');
  });

  it('an address that is no page is said to be none, to a stranger once it is known who that is', async () => {
    world().forgive(/status of 40[14]/);
    const page = await world().open('/polices/shop/checkout', { isStranger: true });
    await page.getByLabel('API token').fill(world().demo.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    expect(await page.title()).toBe('There is no such page · Plimsoll');
    await world().show(page, 'no-such-page');
    await page.getByRole('link', { name: 'Go to the fleet' }).click();
    await page.getByRole('grid').waitFor();
    const answer = await page.goto(`${world().demo.url}/api/v1/nothing`);
    expect([answer?.status(), answer?.headers()['content-type']]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ]);
  });

  it('is built for those who use it, whatever started the build', async () => {
    const page = await world().open('/');
    await page.getByRole('grid').waitFor();
    const scripts = await page.evaluate<readonly string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
    );
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.filter((name) => name.includes('dev-runtime'))).toEqual([]);
  });

  it('the session is in a cookie that scripts cannot read, and the token is nowhere', async () => {
    const page = await world().open('/');
    await page.getByRole('grid').waitFor();
    const kept = await page.evaluate<string>(
      'JSON.stringify([document.cookie, location.href, { ...localStorage }, { ...sessionStorage }])',
    );
    expect(kept).not.toContain('plm_');
    expect(await page.context().cookies()).toMatchObject([
      { name: 'plimsoll-session', httpOnly: true, sameSite: 'Strict' },
    ]);
  });
}

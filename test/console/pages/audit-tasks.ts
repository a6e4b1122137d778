import { expect, it } from '@jest/globals';
import { type AConsole, sizes } from '../support/a-console.ts';
import { serveSyntheticDecisions } from '../support/synthetic-fleet.ts';

/** The timeline of everything that is recorded. */
export function auditTasks(world: () => AConsole): void {
  it('shows what happened, newest first, and what proves it', async () => {
    const page = await world().open('/audit');
    await page.getByRole('listitem').locator('time').first().waitFor();
    const shown = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('.timeline time')].map(({ dateTime }) => dateTime)`,
    );
    expect(shown).toEqual(shown.toSorted().toReversed());
    await page.getByText('plimsoll audit verify').waitFor();
    await page.getByRole('button', { name: 'Verify it here' }).waitFor();
    await world().show(page, 'audit');
  });

  it('filters are in the address, and what matches nothing says so', async () => {
    const page = await world().open('/audit');
    await page.getByLabel('Kind').selectOption('ScalingEvent');
    await page.getByLabel('Namespace').fill('shop');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('listitem').filter({ hasText: 'ScalingEvent' }).first().waitFor();
    expect(new URL(page.url()).search).toBe('?kind=ScalingEvent&namespace=shop');
    await page.goto(`${world().demo.url}/audit?actor=nobody-of-that-name`);
    await page.getByText('No entry matches').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('listitem').first().waitFor();
  });

  it('times are in UTC, or of the browser, by one switch that is kept', async () => {
    const page = await world().open('/audit?kind=PolicyChange', { timeZone: 'Asia/Kolkata' });
    const time = page.locator('.timeline time').last();
    await time.filter({ hasText: /UTC$/ }).waitFor();
    const inUtc = await time.textContent();
    await page.getByRole('button', { name: 'Times in UTC' }).click();
    await time.filter({ hasText: /\+05:30$/ }).waitFor();
    const local = await time.textContent();
    expect(Date.parse(local ?? '')).toBe(Date.parse(inUtc ?? ''));
    expect(await time.getAttribute('title')).toBe(`${local} · ${inUtc}`);
    await page.reload();
    await time.filter({ hasText: /\+05:30$/ }).waitFor();
    await page.getByRole('button', { name: 'Times of this browser' }).waitFor();
  });

  it('a million decisions are read a page at a time', async () => {
    const page = await world().open('/sources');
    await page.getByRole('article', { name: 'policies' }).waitFor();
    await serveSyntheticDecisions(page, 1_000_000);
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    const rows = page.getByRole('listitem').filter({ hasText: 'Decision' });
    await page.getByText('stays at 4: decision 999999').waitFor();
    const first = await rows.count();
    await page.getByRole('button', { name: 'Show older' }).click();
    await page.getByText(`stays at 4: decision ${999_999 - first}`, { exact: true }).waitFor();
    expect(await rows.count()).toBe(2 * first);
    expect(first).toBeLessThanOrEqual(100);
  });

  it('a time that is none is refused with its reason', async () => {
    const page = await world().open('/audit?from=yesterday');
    await page.getByText('yesterday').first().waitFor();
    await page.getByRole('alert').first().waitFor();
  });

  it('verifies the whole ledger in the page, and says who signed it', async () => {
    const page = await world().open('/audit');
    const run = page.getByRole('button', { name: 'Verify it here' });
    await run.click();
    await page.getByText(/^Every entry follows from the one before it: [\d,]+ entries/).waitFor();
    await world().show(page, 'audit-verified');
    await page.getByLabel('Public key that you keep').fill('no key');
    await page.getByText('This is no public key').waitFor();
    expect(await run.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Show the request' }).click();
    await page.getByRole('dialog').getByText("curl -sS 'http", { exact: false }).waitFor();
  });

  it('names the first entry that was changed, and ends when it is cancelled', async () => {
    const page = await world().open('/audit');
    let isHeld = false;
    await page.route('**/api/v1/ledger/exports', async (route) => {
      if (isHeld) return;
      const answer = await route.fetch();
      const body = (await answer.text()).replace('"actor":"demo"', '"actor":"dome"');
      await route.fulfill({ response: answer, body });
    });
    await page.getByRole('button', { name: 'Verify it here' }).click();
    await page.getByRole('alert').filter({ hasText: 'The ledger does not verify' }).waitFor();
    await page.getByText(/^admin#\d+$/).waitFor();
    await world().show(page, 'audit-broken');
    await page.setViewportSize(sizes.narrow);
    // Two hashes, whole: on a telephone they go on in the next line.
    const right = await page.evaluate<number>(
      `document.querySelector('.ledger-run .problem').getBoundingClientRect().right`,
    );
    expect(right).toBeLessThan(sizes.narrow.width);
    isHeld = true;
    await page.getByRole('button', { name: 'Verify it here' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled: nothing is said').waitFor();
  });
}

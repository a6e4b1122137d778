import { expect, it } from '@jest/globals';
import type { AConsole } from '../support/a-console.ts';

/** The timeline of everything that is recorded. */
export function auditTasks(world: () => AConsole): void {
  it('shows what happened, newest first, and what proves it', async () => {
    const page = await world().open('/audit');
    await page.getByRole('listitem').filter({ hasText: 'SyncRun' }).first().waitFor();
    await page.getByText('plimsoll audit verify').waitFor();
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

  it('a time that is none is refused with its reason', async () => {
    const page = await world().open('/audit?from=yesterday');
    await page.getByText('yesterday').first().waitFor();
    await page.getByRole('alert').first().waitFor();
  });
}

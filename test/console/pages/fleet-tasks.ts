import { it } from '@jest/globals';
import type { AConsole } from '../support/a-console.ts';

/** The fleet's page. */
export function fleetTasks(world: () => AConsole): void {
  it('shows every policy', async () => {
    const page = await world().open('/');
    await page.getByRole('row', { name: /checkout/ }).waitFor();
    await world().show(page, 'fleet');
  });
}

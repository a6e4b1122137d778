import { it } from '@jest/globals';
import type { AConsole } from '../support/a-console.ts';
import { demoToken } from '../support/demo-requests.ts';

/** What somebody is told who has a role in some of a source's namespaces only. */
export function tenantTasks(world: () => AConsole): void {
  it('says what stands behind a decision that is not theirs to see, and which role would show it', async () => {
    const { demo } = world();
    const token = await demoToken(demo, { role: 'operator', namespaces: ['media'] });
    const page = await world().open('/policies/media/transcoder', { at: { url: demo.url, token } });
    const blame = page.getByRole('region', { name: 'Who allowed it' });
    const hidden = 'not visible to you: needs viewer of all namespaces of source policies';
    const fact = (title: string) => blame.locator('.facts-row').filter({ hasText: title });
    await fact('Let in').getByText(hidden).waitFor();
    await fact('Signature').getByText(hidden).waitFor();
    await world().show(page, 'policy-blame-of-tenant', blame);
  });
}

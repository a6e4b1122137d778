import { expect, it } from '@jest/globals';
import { policyText } from '../../e2e/support/shop-world.ts';
import type { AConsole } from '../support/a-console.ts';
import { bringToDemo, demoFile } from '../support/demo-requests.ts';

/** Who allowed what is in force. */
export function blameTasks(world: () => AConsole): void {
  it('names the pull request, who approved it as the forge says, and whose signature the commit has', async () => {
    const { url, tokens, bring } = await world().another();
    await bring(
      'Let checkout grow (#412)',
      { 'shop/checkout.yaml': policyText.replace('maxReplicas: 12', 'maxReplicas: 14') },
      { number: 412, author: 'mona', approvers: ['hubot', 'octavia'] },
    );
    const page = await world().open('/policies/shop/checkout', { at: { url, token: tokens.viewer } });
    const blame = page.getByRole('region', { name: 'Who allowed it' });
    await blame.getByText('Let checkout grow (#412)').waitFor();
    await blame.getByText('#412 by mona').waitFor();
    await blame.getByText('hubot, octavia').waitFor();
    await blame.getByText('Verified by alex@example.com').waitFor();
    expect(await blame.getByText('the forge has not confirmed it', { exact: false }).count()).toBe(0);
    await world().show(page, 'policy-blame', blame);
    await bring('Let checkout be as it was', { 'shop/checkout.yaml': policyText });
  });

  it('says of what only the commit message says that nobody has confirmed it', async () => {
    const { demo } = world();
    const file = 'media/transcoder.yaml';
    const text = demoFile(demo, file);
    await bringToDemo(demo, 'Let the transcoder grow (#7)\n\nReviewed-by: Ada Example <ada@example.com>', {
      [file]: text.replace(/maxReplicas: .*/, 'maxReplicas: 17'),
    });
    const page = await world().open('/audit');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    // As a source at a forge: the demo's is a folder.
    await page.route('**/graphql', async (route) => {
      const { operationName } = route.request().postDataJSON() as { readonly operationName?: string };
      if (operationName !== 'SourceAddresses') return route.continue();
      const sources = [{ name: 'policies', url: 'https://github.com/shop/policies.git' }];
      return route.fulfill({ json: { data: { sources } } });
    });
    await page.goto(`${demo.url}/policies/media/transcoder`);
    const blame = page.getByRole('region', { name: 'Who allowed it' });
    await blame.getByText(/^#7\s+\(as the commit message says; the forge has not confirmed it\)$/).waitFor();
    await blame.getByText('Ada Example <ada@example.com>').waitFor();
    expect(await blame.getByRole('link', { name: '#7' }).getAttribute('href')).toBe(
      'https://github.com/shop/policies/pull/7',
    );
    await blame.getByText('the source verifies none').waitFor();
    await bringToDemo(demo, 'Let the transcoder be as it was', { [file]: text });
  });
}

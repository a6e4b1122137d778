import { it } from '@jest/globals';
import type { AConsole } from '../support/a-console.ts';
import { askDemo, bringToDemo, commitInForce, demoFile, demoToken } from '../support/demo-requests.ts';

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

  it('says that a newer version of the policy waits with what is not theirs to see', async () => {
    const { demo } = world();
    const file = 'media/transcoder.yaml';
    const text = demoFile(demo, file);
    const before = await commitInForce(demo);
    await bringToDemo(demo, 'Let the transcoder shrink', {
      [file]: text.replace(/maxReplicas: .*/, 'maxReplicas: 19'),
    });
    await askDemo(
      demo,
      `mutation { rollBackSource(source: "policies", commit: "${before}", reason: "it is slow") { __typename } }`,
    );
    const token = await demoToken(demo, { role: 'operator', namespaces: ['media'] });
    const page = await world().open('/policies/media/transcoder', { at: { url: demo.url, token } });
    const standing = page.getByRole('region', { name: 'Interventions in force, and what waits' });
    await standing.getByText('A change waits for an approval').waitFor();
    await standing.getByText(/changed: maxReplicas \d+ → 19/).waitFor();
    await standing
      .getByText('not visible to you: needs viewer of all namespaces of source policies')
      .waitFor();
    await world().show(page, 'policy-waits-of-tenant', standing);
    await askDemo(
      demo,
      'mutation { resumeSource(source: "policies", reason: "it is mended") { __typename } }',
    );
    await bringToDemo(demo, 'Let the transcoder be as it was before', { [file]: text });
  });
}

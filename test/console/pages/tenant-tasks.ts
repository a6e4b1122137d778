import { expect, it } from '@jest/globals';
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

  it('has a lock on the end of an intervention on a whole source, and says who could end it', async () => {
    const { demo } = world();
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const { begun } = await askDemo<{ readonly begun: { readonly id: string } }>(
      demo,
      `mutation { begun: suspendScaling(scope: Source, source: "policies", direction: Down, expires: "${expires}", reason: "a freeze of all") { ... on Intervention { id } } }`,
    );
    const token = await demoToken(demo, { role: 'operator', namespaces: ['media'] });
    const page = await world().open('/interventions', { at: { url: demo.url, token } });
    const row = page.getByRole('row', { name: /a freeze of all/ });
    const why =
      'It wants the role operator in every namespace that it is for. An operator, approver or admin of every namespace that it is for could.';
    await row.getByRole('button', { name: 'End it now' }).waitFor();
    expect(await row.getByRole('button', { name: 'End it now' }).getAttribute('title')).toBe(why);
    // Who may intervene in some namespace has no lock before one is named, and one where it is another's.
    const intervene = page.getByRole('region', { name: 'Intervene' });
    const suspend = intervene.getByRole('button', { name: 'Suspend scaling' });
    expect(await suspend.getAttribute('title')).toBeNull();
    expect(await intervene.getByText('Not with your role').count()).toBe(0);
    await intervene.getByLabel('Namespace', { exact: true }).fill('shop');
    await intervene.getByText('An operator, approver or admin of shop could.', { exact: false }).waitFor();
    await intervene.getByLabel('Where').selectOption('Source');
    await intervene.getByLabel('Source', { exact: true }).fill('policies');
    await intervene.getByText('admin of every namespace that it is for could.', { exact: false }).waitFor();
    await world().show(page, 'interventions-of-tenant');
    await page.goto(`${demo.url}/policies/media/transcoder`);
    const standing = page.getByRole('region', { name: 'Interventions in force, and what waits' });
    await standing.getByText('a freeze of all').waitFor();
    const end = standing.getByRole('button', { name: 'End it now' });
    expect(await end.getAttribute('title')).toBe(why);
    await end.click();
    await page.getByRole('dialog').getByText('You may not do this').waitFor();
    await askDemo(demo, `mutation { endSuspension(id: "${begun.id}", reason: "it is over") { __typename } }`);
  });

  it('says on Intervene which role is missing to who has it nowhere, before a place is named', async () => {
    const { demo } = world();
    const token = await demoToken(demo, { role: 'viewer', namespaces: ['media'] });
    const page = await world().open('/interventions', { at: { url: demo.url, token } });
    const suspend = page.getByRole('button', { name: 'Suspend scaling' });
    await suspend.waitFor();
    expect(await suspend.getAttribute('title')).toBe(
      'It wants the role operator in the namespace that it is for. An operator, approver or admin of the namespace that it is for could.',
    );
  });
}

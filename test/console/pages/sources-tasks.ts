import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { AConsole } from '../support/a-console.ts';

/** More than a commit may change without an approval. */
const manyPolicies = 12;

/** The pages of sources and their revisions, on the demo's repository. */
export function sourcesTasks(world: () => AConsole): void {
  const commit = (message: string, files: Readonly<Record<string, string>>): void => {
    const { repository } = world().demo;
    for (const [path, text] of Object.entries(files)) writeFileSync(join(repository, path), text);
    const author = ['-c', 'user.name=Robin Example', '-c', 'user.email=robin@example.com'];
    execFileSync('git', ['-C', repository, 'add', '--all']);
    execFileSync('git', ['-C', repository, ...author, 'commit', '--quiet', '--message', message]);
  };
  const policyText = (): string =>
    readFileSync(join(world().demo.repository, 'shop/catalog-labels.yaml'), 'utf8');

  it('a source says what of it is in force, and looks again when it is asked to', async () => {
    const page = await world().open('/sources');
    await page.getByRole('article', { name: 'policies' }).waitFor();
    await world().show(page, 'sources');
    await page.getByRole('button', { name: 'Sync now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('to see it');
    await dialog.getByRole('button', { name: 'Sync now' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('a commit that is rejected names the file, the line and the value', async () => {
    const text = policyText();
    commit('Raise the bounds', {
      'shop/catalog-labels.yaml': text.replace(/maxReplicas: .*/, 'maxReplicas: many'),
    });
    const page = await world().open('/sources/policies');
    await page
      .getByRole('link', { name: /^[0-9a-f]{7}$/ })
      .first()
      .waitFor();
    await page.getByText(/^shop\/catalog-labels\.yaml:\d+ maxReplicas must be a whole number/).waitFor();
    await world().show(page, 'source');
    const row = page.getByRole('listitem').filter({ hasText: 'Raise the bounds' });
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'Raise the bounds' }).waitFor();
    await page.getByText(/^shop\/catalog-labels\.yaml:\d+:\d+$/).waitFor();
    await page.getByText(/^ *maxReplicas: many$/).waitFor();
    await world().show(page, 'revision-rejected');
    commit('Mend the bounds', { 'shop/catalog-labels.yaml': text });
  });

  it('a revision that is held says what it would change, and is approved', async () => {
    const text = policyText().replace(/^ {2}labels:.*\n/m, '');
    const names = Array.from({ length: manyPolicies }, (_, index) => `extra-${index + 1}`);
    commit(
      'Add a dozen policies',
      Object.fromEntries(names.map((name) => [`shop/${name}.yaml`, text.replaceAll('catalog-labels', name)])),
    );
    const page = await world().open('/sources/policies');
    await page.getByRole('heading', { name: 'Waits for an approval' }).waitFor();
    await world().show(page, 'source-held');
    await page.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('shop/extra-1', { exact: false }).first().waitFor();
    await world().show(page, 'source-approve');
    await dialog.getByLabel('Reason').fill('the team has asked for it');
    const confirmation = dialog.getByRole('checkbox');
    if (await confirmation.isVisible()) await confirmation.check();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Waits for an approval' }).waitFor({ state: 'detached' });
    expect(await page.getByText('Add a dozen policies').count()).toBeGreaterThan(0);
  });

  it('a source or a revision that is not there is said not to be', async () => {
    const page = await world().open('/sources/<b>none');
    await page.getByText('No source is named <b>none').waitFor();
    await page.goto(`${world().demo.url}/sources/policies/revisions/0000000`);
    await page.getByText('is not among the latest').waitFor();
  });
}

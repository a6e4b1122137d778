import { rename } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { AConsole } from '../support/a-console.ts';
import { askDemo, bringToDemo, commitInForce, commitToDemo, demoFile } from '../support/demo-requests.ts';
import { pressTogether, tabTo } from '../support/keyboard.ts';

/** More than a commit may change without an approval. */
const manyPolicies = 12;
const extraNames = Array.from({ length: manyPolicies }, (_, index) => `extra-${index + 1}`);
const extraFile = (name: string): string => `shop/${name}.yaml`;

/** It runs three replicas whatever happens: its metric cannot be read. */
const reportsFile = 'billing/reports.yaml';

/** The pages of sources and their revisions, on the demo's repository. */
export function sourcesTasks(world: () => AConsole): void {
  const commit = (message: string, files: Readonly<Record<string, string>>): void =>
    commitToDemo(world().demo, message, files);
  const policyText = (): string => demoFile(world().demo, 'shop/catalog-labels.yaml');

  let reportsText = '';

  it('a source says what of it is in force, and looks again when it is asked to', async () => {
    const page = await world().open('/sources');
    await page.getByRole('article', { name: 'policies' }).waitFor();
    await world().show(page, 'sources');
    await page.getByRole('button', { name: 'Sync now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('[type="submit"]:enabled').click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('a source that is not reached says since when and why, and follows its ref again', async () => {
    const { demo } = world();
    const away = `${demo.repository}-away`;
    const sync = 'mutation { syncNow(source: "policies") { __typename } }';
    const page = await world().open('/sources');
    const article = page.getByRole('article', { name: 'policies' });
    await article.getByText('follows its ref', { exact: true }).waitFor();
    await rename(demo.repository, away);
    try {
      await askDemo(demo, sync);
      await article.getByText('stale', { exact: true }).waitFor();
      await world().show(page, 'sources-stale');
      await page.goto(`${demo.url}/sources/policies`);
      const inForce = page.getByRole('region', { name: 'In force' });
      await inForce.getByText('Not reached since').waitFor();
      await inForce.getByText(/^\w{3} \d+ \w{3} (\d{4} )?\d\d:\d\d:\d\d UTC$/).waitFor();
      await inForce.getByText(/ago · failed: \S/).waitFor();
      await world().show(page, 'source-stale');
    } finally {
      await rename(away, demo.repository);
    }
    await askDemo(demo, sync);
    await page.getByText('Not reached since').waitFor({ state: 'detached' });
    await page.getByText('follows its ref', { exact: true }).waitFor();
  });

  it('a commit that is rejected names the file, the line and the value', async () => {
    const text = policyText();
    commit('Raise the bounds', {
      'shop/catalog-labels.yaml': text.replace(/maxReplicas: .*/, 'maxReplicas: many\n  minReplica: 3'),
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
    await page
      .getByText(/^shop\/catalog-labels\.yaml:\d+:\d+$/)
      .first()
      .waitFor();
    await page.getByText(/^ *maxReplicas: many$/).waitFor();
    await page.getByText(/did you mean minReplicas/).waitFor();
    await world().show(page, 'revision-rejected');
    commit('Mend the bounds', { 'shop/catalog-labels.yaml': text });
  });

  it('a revision that is held says what it would change, and is approved', async () => {
    const text = policyText().replace(/^ {2}labels:.*\n/m, '');
    reportsText = demoFile(world().demo, reportsFile);
    await bringToDemo(world().demo, 'Add a dozen policies, and save on reports', {
      ...Object.fromEntries(
        extraNames.map((name) => [extraFile(name), text.replaceAll('catalog-labels', name)]),
      ),
      [reportsFile]: reportsText
        .replace('minReplicas: 2', 'minReplicas: 1')
        .replace(/maxReplicas: .*/, 'maxReplicas: 1'),
    });
    const page = await world().open('/');
    await page.getByRole('link', { name: '1 change waits' }).click();
    await page.getByRole('link', { name: '1 change waits', exact: true }).click();
    const hold = page.getByRole('region', { name: 'Waits for an approval' });
    await hold.getByText('3 → 1 replicas at once, in 1 policy').waitFor();
    const rows = hold.locator('.policy-effects > li');
    const reports = rows.first();
    await reports.filter({ hasText: 'billing/reports' }).waitFor();
    await reports.getByText('3 → 1').waitFor();
    await reports.getByText('bounds 2–10 → 1–1').waitFor();
    await reports.getByText('Deployment reports').waitFor();
    await reports.getByText('maxReplicas 10 → 1 (3 present)').waitFor();
    // Once: beside it everything else only points there.
    expect(await page.getByText(/^13 targets change \(12 new and 1 changed\)/).count()).toBe(1);
    expect(await page.getByText('13 targets change').count()).toBe(1);
    await world().show(page, 'source-held');
    expect(await rows.count()).toBe(8);
    await hold.getByRole('button', { name: 'Show all 13 policies' }).click();
    expect(await rows.locator('strong bdi').allTextContents()).toEqual(['reports', ...extraNames]);
    // The same on the revision's own page, where it is decided as well.
    await hold.getByRole('link', { name: /^[0-9a-f]{7}$/ }).click();
    await page.getByRole('heading', { name: 'Add a dozen policies, and save on reports' }).waitFor();
    await reports.getByText('bounds 2–10 → 1–1').waitFor();
    await hold.getByRole('button', { name: 'Reject' }).waitFor();
    await world().show(page, 'revision-held');
    await page.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('bounds 2–10 → 1–1').waitFor();
    await dialog.getByText('shop/extra-1', { exact: false }).first().waitFor();
    await world().show(page, 'source-approve');
    await dialog.getByLabel('Reason').fill('the team has asked for it');
    const confirmation = dialog.getByRole('checkbox');
    if (await confirmation.isVisible()) await confirmation.check();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Waits for an approval' }).waitFor({ state: 'detached' });
    expect(await page.getByText('Add a dozen policies, and save on reports').count()).toBeGreaterThan(0);
  });

  it('a revision that is held is found and approved by keys alone', async () => {
    await bringToDemo(world().demo, 'Remove the dozen policies', {
      ...Object.fromEntries(extraNames.map((name) => [extraFile(name), null])),
      [reportsFile]: reportsText,
    });
    const page = await world().open('/');
    await page.getByRole('link', { name: '1 change waits' }).waitFor();
    await pressTogether(page, 'g', 's');
    await tabTo(page, page.getByRole('link', { name: '1 change waits', exact: true }));
    await page.keyboard.press('Enter');
    const hold = page.getByRole('region', { name: 'Waits for an approval' });
    await tabTo(page, hold.getByRole('button', { name: 'Approve' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Approve' });
    await tabTo(page, dialog.getByLabel('Reason'));
    await page.keyboard.type('they are not needed any more');
    const send = dialog.locator('[type="submit"]');
    await dialog.getByText('shop/extra-1', { exact: false }).first().waitFor();
    const confirmation = dialog.getByRole('checkbox');
    if (await confirmation.isVisible()) {
      await tabTo(page, confirmation);
      await page.keyboard.press('Space');
    }
    await tabTo(page, send);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await hold.waitFor({ state: 'detached' });
    await pressTogether(page, 'g', 'a');
    await page.getByText('they are not needed any more', { exact: false }).first().waitFor();
  });

  it('rolling back says what it would change, does it, and the ref is followed again', async () => {
    const { demo } = world();
    const file = 'shop/gateway.yaml';
    const text = demoFile(demo, file);
    const before = await commitInForce(demo);
    await bringToDemo(demo, 'Let the gateway <b>grow</b> \u202eright to left', {
      [file]: text.replace(/maxReplicas: .*/, 'maxReplicas: 14'),
    });
    const page = await world().open(`/sources/policies/revisions/${before}`);
    await page.getByRole('button', { name: 'Roll back to this' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll back to this' });
    await dialog.getByText(/^policies goes back to [0-9a-f]{7}/).waitFor();
    const gateway = dialog.getByRole('listitem').filter({ hasText: 'shop/gateway' });
    await gateway.getByText('bounds 2–14 → 2–10').waitFor();
    await world().show(page, 'revision-roll-back');
    await dialog.getByLabel('Reason').fill('it grew too far');
    await dialog.getByRole('button', { name: 'Roll back to this' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.goto(`${demo.url}/sources/policies`);
    await page.getByText('Rolled back by demo: it grew too far').waitFor();
    await page.getByText('Let the gateway <b>grow</b>').first().waitFor();
    const row = page.locator('.revision-row').filter({ hasText: 'it grew too far' }).first();
    const timeAt = async (place: number): Promise<number> =>
      Date.parse((await row.locator('time').nth(place).getAttribute('datetime')) ?? '');
    // When it was rolled back, and when it was committed.
    expect(await timeAt(0)).toBeGreaterThan(await timeAt(1));
    await world().show(page, 'source-rolled-back');
    const other = await world().open('/policies/shop/gateway');
    await other.getByText('between 2 and 10').waitFor();
    await other.getByText('A change waits until the source is resumed').waitFor();
    await page.getByRole('button', { name: 'Resume the source' }).first().click();
    const following = page.getByRole('dialog', { name: 'Resume the source' });
    await following.getByText(/^policies follows .+ again/).waitFor();
    await following.getByLabel('Reason').fill('it was meant so');
    await following.getByRole('button', { name: 'Resume the source' }).click();
    await following.waitFor({ state: 'detached' });
    await page.getByText('Rolled back by demo').waitFor({ state: 'detached' });
    await other.getByText('between 2 and 14').waitFor();
    await bringToDemo(demo, 'Let the gateway be as it was', { [file]: text });
  });

  it('a source or a revision that is not there is said not to be', async () => {
    const page = await world().open('/sources/<b>none');
    await page.getByText('No source is named <b>none').waitFor();
    await page.goto(`${world().demo.url}/sources/policies/revisions/0000000`);
    await page.getByText('0000000 begins none of the latest').waitFor();
    await page.goto(`${world().demo.url}/sources/policies/revisions/${'0'.repeat(40)}`);
    await page.getByText('was never judged for this source').waitFor();
    const newest = await commitInForce(world().demo);
    await page.goto(`${world().demo.url}/sources/policies/revisions/${newest.slice(0, 7)}`);
    await page.getByText(newest, { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/sources/policies/revisions/${newest}`);
  });
}

import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import type { AConsole } from '../support/a-console.ts';
import { askDemo, bringToDemo, commitInForce, demoFile } from '../support/demo-requests.ts';

interface Document {
  readonly spec: Readonly<Record<string, unknown>>;
}

/** What changes a policy: commits, and people. */
export function changeTasks(world: () => AConsole): void {
  it('a version says which values it changed, and not how they are written', async () => {
    const { demo } = world();
    const file = 'shop/gateway.yaml';
    const text = demoFile(demo, file);
    const { spec, ...rest } = parse(text) as Document;
    const turned = Object.fromEntries(Object.entries({ ...spec, maxReplicas: 12 }).toReversed());
    await bringToDemo(demo, 'Two more, in JSON', { [file]: JSON.stringify({ spec: turned, ...rest }) });
    const page = await world().open('/policies/shop/gateway');
    const versions = page.getByRole('region', { name: 'Versions' });
    const version = versions.getByRole('listitem').filter({ hasText: 'Two more, in JSON' });
    await version.first().waitFor();
    expect(await version.first().getByRole('listitem').allTextContents()).toEqual([
      'spec.maxReplicas 10 → 12',
    ]);
    await version.getByText('in force', { exact: true }).waitFor();
    await world().show(page, 'policy-versions', versions);
    await version.getByRole('link').click();
    await page.getByRole('heading', { name: 'Two more, in JSON' }).waitFor();
    await bringToDemo(demo, 'Two less, in YAML', { [file]: text });
  });

  it('a dry run says beforehand what it does, is shown while it lasts, and is ended', async () => {
    const page = await world().open('/policies/media/transcoder');
    await page.getByRole('button', { name: 'Start a dry run' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start a dry run' });
    await dialog.getByLabel('Until').selectOption('15 minutes');
    await dialog.getByText('media/transcoder').first().waitFor();
    await dialog.getByLabel('Reason').fill('a rehearsal');
    await dialog.getByRole('button', { name: 'Start a dry run' }).click();
    await page.getByText('by demo: a rehearsal').waitFor();
    await page
      .getByText('Its document or an operator says so: it is decided, and nothing is written.')
      .waitFor();
    await page.getByRole('button', { name: 'End it now' }).click();
    const ending = page.getByRole('dialog', { name: 'End it now' });
    await ending.getByLabel('Reason').fill('it was rehearsed');
    await ending.getByRole('button', { name: 'End it now' }).click();
    await page.getByText('by demo: a rehearsal').waitFor({ state: 'detached' });
    await page
      .getByText('Its document or an operator says so: it is decided, and nothing is written.')
      .waitFor({ state: 'detached' });
  });

  it('a policy is released, after the page has said what that means, and is brought back', async () => {
    const page = await world().open('/policies/billing/invoices');
    await page.getByRole('button', { name: 'Release the policy' }).click();
    const dialog = page.getByRole('dialog', { name: 'Release the policy' });
    await dialog.getByText(/^billing\/invoices leaves; its HPA and its count stay as they are/).waitFor();
    await dialog.getByLabel('Reason').fill('another scales it');
    await world().show(page, 'policy-release');
    await dialog.getByRole('button', { name: 'Release the policy' }).click();
    await page.getByRole('heading', { name: 'No such policy in force' }).waitFor();
    await page.goto(`${world().demo.url}/sources/policies`);
    const released = page.getByRole('region', { name: 'Released policies' });
    await released.getByText('by demo: another scales it').waitFor();
    await world().show(page, 'source-released');
    await released.getByRole('button', { name: 'Bring it back' }).click();
    const back = page.getByRole('dialog', { name: 'Bring it back' });
    await back.getByText('billing/invoices comes back with the next look at policies').waitFor();
    await back.getByLabel('Reason').fill('Plimsoll scales it again');
    await back.getByRole('button', { name: 'Bring it back' }).click();
    await released.waitFor({ state: 'detached' });
    await page.goto(`${world().demo.url}/policies/billing/invoices`);
    await page.getByRole('heading', { name: 'billing/invoices' }).waitFor();
    await page.getByRole('button', { name: 'Release the policy' }).waitFor();
  });

  it('a dialog about what another has done meanwhile stays with what was typed, and says what has become of it', async () => {
    const { demo, open } = world();
    const policyPage = await open('/policies/shop/gateway');
    await policyPage.getByRole('heading', { name: 'shop/gateway' }).waitFor();
    const sourcePage = await open('/sources/policies');
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const orRefusal = '__typename ... on ActionRefusal { code message }';
    const suspend = async (name: string, reason: string): Promise<string> => {
      const { begun } = await askDemo<{ readonly begun: { readonly id: string } }>(
        demo,
        `mutation { begun: suspendScaling(scope: Policy, namespace: "shop", name: "${name}", direction: Down, expires: "${expires}", reason: "${reason}") { ${orRefusal} ... on Intervention { id } } }`,
      );
      return begun.id;
    };
    const watch = await suspend('gateway', 'a night watch');
    const sale = await suspend('checkout', 'a sale');
    // Nothing is left of its table when the one that is found has ended.
    const interventionsPage = await open('/interventions?q=sale');
    const commit = await commitInForce(demo);
    await askDemo(
      demo,
      `mutation { rollBackSource(source: "policies", commit: "${commit}", reason: "it is slow") { ${orRefusal} } }`,
    );
    for (const { page, title, mutation } of [
      { page: policyPage, title: 'End it now', mutation: `endSuspension(id: "${watch}", ` },
      { page: interventionsPage, title: 'End it now', mutation: `endSuspension(id: "${sale}", ` },
      { page: sourcePage, title: 'Resume the source', mutation: 'resumeSource(source: "policies", ' },
    ]) {
      await page.getByRole('button', { name: title }).first().click();
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.getByLabel('Reason').fill('a sentence that took a while');
      // What it would do has been looked at, while it still did something.
      await dialog.locator('[type="submit"]:enabled').waitFor();
      await askDemo(demo, `mutation { ${mutation}reason: "I was first") { ${orRefusal} } }`);
      // Hidden by the dialog to those who ask for roles.
      await page.locator('main').getByText(title, { exact: true }).first().waitFor({ state: 'detached' });
      await dialog.locator('[type="submit"]').click();
      await dialog.getByRole('alert').waitFor();
      expect(await dialog.getByLabel('Reason').inputValue()).toBe('a sentence that took a while');
      await page.keyboard.press('Escape');
      await dialog.getByText('Escape once more closes this').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
  });
}

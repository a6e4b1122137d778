import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { AConsole } from '../support/a-console.ts';

const syncNow = `fetch('/graphql', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: 'mutation { syncNow(source: "policies") { __typename } }' }),
}).then((answer) => answer.text())`;

/** Queries that are written by hand, in GraphiQL. */
export function graphiqlTasks(world: () => AConsole): void {
  const answerOf = (page: Page) => page.getByRole('region', { name: 'Result Window' });
  const editorOf = (page: Page) => page.getByRole('textbox', { name: 'Query Editor' });
  /** The schema was read: what is written is checked by it, and a query can be run. */
  const read = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByText('Root Types').waitFor();
  };
  const write = async (page: Page, text: string): Promise<void> => {
    await editorOf(page).focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(text);
    await page.getByText(text).first().waitFor();
  };

  it('the schema says in GraphiQL what each field means', async () => {
    const page = await world().open('/graphiql');
    await read(page);
    await page.getByRole('link', { name: 'Query', exact: true }).click();
    await page.getByRole('link', { name: 'whatIf' }).click();
    await page.getByText('newest recorded observation').first().waitFor();
    // Over nothing that explains itself, whatever the size.
    await page.mouse.move(0, 0);
    await world().show(page, 'graphiql');
  });

  it('a query is written, run and left by keys alone', async () => {
    const page = await world().open('/graphiql');
    await read(page);
    await write(page, '{ fleet { policies } }');
    await page.keyboard.press('ControlOrMeta+Enter');
    await answerOf(page).getByText('"policies"').waitFor();
    await page.keyboard.press('Tab');
    await page.locator('.CodeMirror-focused').waitFor({ state: 'detached' });
    await page.getByText('{ fleet { policies } }').first().waitFor();
  });

  it('a subscription goes on until it is stopped', async () => {
    const page = await world().open('/graphiql');
    await read(page);
    await write(page, 'subscription { actions { action } }');
    await page.keyboard.press('ControlOrMeta+Enter');
    const told = answerOf(page).getByText('"SyncSource"').first();
    // What is done before the subscription has begun is not told.
    while (!(await told.isVisible())) await page.evaluate<unknown>(syncNow);
    await page.getByRole('button', { name: /^Stop query/ }).click();
    await page.getByRole('button', { name: /^Execute query/ }).waitFor();
  });

  it('the query behind a panel of the console is opened in it, and asks for a sign-in where there is none', async () => {
    const page = await world().open('/sources');
    await page.getByRole('button', { name: 'Show the query' }).first().click();
    const address = await page.getByRole('link', { name: 'Open it in GraphiQL' }).getAttribute('href');
    expect(address).toMatch(/^\/graphiql#query=/);
    const other = await world().open(address ?? '', { isStranger: true });
    await other.getByLabel('API token').fill(world().demo.token);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByText('sources').first().waitFor();
    expect(other.url()).toBe(`${world().demo.url}/graphiql`);
  });

  it('nothing of it comes from elsewhere', async () => {
    const { headers } = await fetch(`${world().demo.url}/graphiql`);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
  });
}

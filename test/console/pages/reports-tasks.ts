import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { AConsole } from '../support/a-console.ts';

/** Reports that are asked for, looked at and downloaded. */
export function reportsTasks(world: () => AConsole): void {
  /** Up to now: the demo has no earlier day. */
  const ask = async (page: Page, format: string, fill: (form: Form) => Promise<void>): Promise<void> => {
    const form = page.getByRole('form', { name: 'Make a report' });
    await form.getByLabel('Until').fill('');
    await form.getByLabel('Format').selectOption(format);
    await fill(form);
    await form.getByRole('button', { name: 'Make the report' }).click();
  };

  it('a report is asked for, looked at and downloaded', async () => {
    const page = await world().open('/reports');
    await page.getByText('You have asked for no report').waitFor();
    await ask(page, 'html', async (form) => form.getByLabel('Time zone').fill('Europe/Berlin'));
    const form = page.getByRole('form', { name: 'Make a report' });
    // Beside what asks for it: for how long it is being made, and then that it is ready.
    await form.getByText('It is ready, below.').waitFor();
    await form.getByText(/^made in \d+ (s|min)$/).waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'Europe/Berlin' });
    await row.getByRole('button', { name: 'Preview' }).click();
    await row.getByText('What this report was made from').waitFor();
    await world().show(page, 'reports');
    const downloaded = page.waitForEvent('download');
    await row.getByRole('link', { name: /^Download HTML/ }).click();
    const file = await downloaded;
    expect(file.suggestedFilename()).toMatch(/^plimsoll-report-.*\.html$/);
    const text = await readFile(await file.path(), 'utf8');
    expect(text).toContain('Europe/Berlin');
    await printsWhole(page, text);
  });

  it('while a report is made the page says for how long, and what failed says why', async () => {
    const page = await world().open('/audit');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    let reported = 'Making';
    await page.route('**/graphql', async (route) => {
      const { operationName } = route.request().postDataJSON() as { readonly operationName?: string };
      if (operationName !== 'ReportsPage') return route.continue();
      const answer = await route.fetch();
      const body = (await answer.text()).replaceAll(/"state":"\w+"/g, `"state":"${reported}"`);
      const failed =
        reported === 'Failed' ? body.replaceAll('"problem":null', '"problem":"the disk is full"') : body;
      return route.fulfill({ response: answer, body: failed });
    });
    await page.goto(`${world().demo.url}/reports`);
    await ask(page, 'json', async (form) => form.getByRole('button', { name: 'This month' }).click());
    const form = page.getByRole('form', { name: 'Make a report' });
    await form.getByText('It is being made.').waitFor();
    await form.getByRole('progressbar').waitFor();
    await form.getByText(/^for \d+ (?:s|min)$/).waitFor();
    await world().show(page, 'reports-making');
    reported = 'Failed';
    await form.getByText('It failed: the disk is full').waitFor();
    expect(await form.getByRole('progressbar').count()).toBe(0);
    await world().show(page, 'reports-failed');
  });

  it('days are written as everywhere, and those of the browser are asked for where times are its own', async () => {
    const page = await world().open('/reports', { timeZone: 'Pacific/Auckland' });
    const form = page.getByRole('form', { name: 'Make a report' });
    expect(await form.getByLabel('Time zone').inputValue()).toBe('UTC');
    expect(await form.getByLabel('From').inputValue()).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    await page.getByRole('button', { name: 'Times in UTC' }).click();
    await page.reload();
    expect(await form.getByLabel('Time zone').inputValue()).toBe('Pacific/Auckland');
    await form.getByRole('button', { name: 'Last month' }).click();
    expect(await form.getByLabel('Until').inputValue()).toMatch(/^\d{4}-\d{2}-01$/);
  });

  it('a report of some namespaces is shown as text', async () => {
    const page = await world().open('/reports');
    await ask(page, 'csv', async (form) => form.getByLabel('Namespaces').fill('shop, team-*'));
    const row = page.getByRole('listitem').filter({ hasText: 'shop, team-*' });
    await row.getByRole('button', { name: 'Preview' }).click();
    await row.getByText(/^.*kind,/).waitFor();
    // It is the beginning: of a demo that has run for an hour not all policies are in it.
    expect(await row.getByText(/shop,(?:catalog|checkout|gateway)/).count()).toBe(1);
  });

  it('the mutation behind the form is shown as it is filled in', async () => {
    const page = await world().open('/reports');
    const panel = page.getByRole('region', { name: 'Make a report' });
    await panel.getByLabel('Namespaces').fill('shop, team-*');
    await panel.getByRole('button', { name: 'Show the query' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('mutation RequestReport(').waitFor();
    await dialog.getByText('"team-*"').waitFor();
  });

  it('what the API refuses is said, and stays in the form', async () => {
    const page = await world().open('/reports');
    await ask(page, 'json', async (form) => form.getByLabel('Time zone').fill('Mars/Olympus'));
    await page.getByRole('alert').filter({ hasText: 'Mars/Olympus' }).waitFor();
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Mars/Olympus');
  });
}

/** As a browser prints the file: pages of PDF, on which nothing is cut off at the side, and no word is broken. */
async function printsWhole(page: Page, text: string): Promise<void> {
  await page.goto('about:blank');
  await page.setContent(text, { waitUntil: 'load' });
  await page.emulateMedia({ media: 'print' });
  const isWide = await page.evaluate<boolean>(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  );
  expect(await page.evaluate<readonly string[]>(brokenWords)).toEqual([]);
  const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
  expect({ isWide, begins: pdf.toString('latin1', 0, 5) }).toEqual({ isWide: false, begins: '%PDF-' });
  expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeGreaterThanOrEqual(1);
}

/** Words of the tables that begin on one line and end on another, but for hashes and the like, which are as long as a column. */
const brokenWords = `[...document.querySelectorAll('th, td')].flatMap((cell) => {
  const found = [];
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
    for (const { 0: word, index } of text.data.matchAll(/(?<![^\\s/:#@-])[^\\s/:#@-]{2,20}(?![^\\s/:#@-])/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.push(word);
    }
  return found;
})`;

type Form = ReturnType<Page['getByRole']>;

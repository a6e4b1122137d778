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
    await page.getByText('It is being made').waitFor();
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

  it('a report of some namespaces is shown as text', async () => {
    const page = await world().open('/reports');
    await ask(page, 'csv', async (form) => form.getByLabel('Namespaces').fill('shop, team-*'));
    const row = page.getByRole('listitem').filter({ hasText: 'shop, team-*' });
    await row.getByRole('button', { name: 'Preview' }).click();
    await row.getByText(/^.*kind,/).waitFor();
    expect(await row.getByText(/shop,checkout/).count()).toBe(1);
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

/** As a browser prints the file: pages of PDF, on which nothing is cut off at the side. */
async function printsWhole(page: Page, text: string): Promise<void> {
  await page.goto('about:blank');
  await page.setContent(text, { waitUntil: 'load' });
  await page.emulateMedia({ media: 'print' });
  const isWide = await page.evaluate<boolean>(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  );
  const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
  expect({ isWide, begins: pdf.toString('latin1', 0, 5) }).toEqual({ isWide: false, begins: '%PDF-' });
  expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeGreaterThanOrEqual(1);
}

type Form = ReturnType<Page['getByRole']>;

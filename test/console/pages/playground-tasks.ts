import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { AConsole } from '../support/a-console.ts';
import { pressTogether } from '../support/keyboard.ts';

/** A policy tried out before it is committed. */
export function playgroundTasks(world: () => AConsole): void {
  const openExample = async (): Promise<Page> => {
    const page = await world().open('/playground');
    await page.getByRole('textbox', { name: 'Policy, as YAML' }).waitFor();
    await page.getByText('AutoscalingPolicy shop/checkout can be decided.').waitFor();
    return page;
  };
  const editor = (page: Page): Locator => page.getByRole('textbox', { name: 'Policy, as YAML' });
  /** Over all that is there. */
  const paste = async (page: Page, text: string): Promise<void> => {
    await editor(page).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(text);
  };

  it('runs a policy under a spike for hours, and says why the count changes', async () => {
    const page = await openExample();
    const run = page.getByRole('region', { name: 'Over time' });
    await run.getByText(/^481 passes, \d+ changes of the count$/).waitFor();
    await run.locator('canvas').waitFor();
    await run.getByRole('button', { name: '3 → 6', exact: true }).click();
    await page.getByText('The decision after 0:15:00').waitFor();
    await page.getByText('rate-policies', { exact: true }).waitFor();
    await world().show(page, 'playground');
    await world().show(page, 'playground-run', run);
    await run.getByRole('combobox', { name: 'Load' }).selectOption('Daily wave');
    await run.getByLabel('Whole run, minutes').fill('1440');
    await run.getByText(/^5761 passes/).waitFor();
  });

  it('keeps everything in the address', async () => {
    const page = await openExample();
    await page.getByLabel('cpu, per pod').fill('480m');
    await page.waitForURL(/#s=/);
    const first = page.url();
    await page.getByLabel('During, %').fill('700');
    await page.waitForURL(({ href }) => href !== first);
    const { hash } = new URL(page.url());
    const other = await world().open(`/playground${hash}`);
    await other.getByLabel('cpu, per pod').waitFor();
    expect(await other.getByLabel('cpu, per pod').inputValue()).toBe('480m');
    expect(await other.getByLabel('During, %').inputValue()).toBe('700');
  });

  it('names line, field and hint of what is wrong, goes there, and goes on with what was right', async () => {
    const page = await openExample();
    await paste(
      page,
      'apiVersion: plimsoll.dev/v1alpha1\nkind: AutoscalingPolicy\nmetadata: { name: a, namespace: b }\nspec:\n  maxReplica: 3\n',
    );
    const problems = page.getByRole('list', { name: 'What is wrong with the policy' });
    await problems.getByText('spec.maxReplica', { exact: true }).waitFor();
    await problems.getByText(/Hint: did you mean maxReplicas/).waitFor();
    await world().show(page, 'playground-problems');
    await problems.getByRole('button', { name: '5:3' }).first().click();
    await page.keyboard.press('Control+Delete');
    await page.keyboard.type('maxReplicas');
    await page.getByText('AutoscalingPolicy b/a can be decided.').waitFor({ state: 'detached' });
    await problems.getByText('spec.scaleTargetRef', { exact: true }).waitFor();
    await problems.getByText('spec.maxReplica', { exact: true }).waitFor({ state: 'detached' });
  });

  it('names line, field and hint of an observation that is none', async () => {
    const page = await openExample();
    await page.getByLabel('As JSON').check();
    const observation = page.getByRole('textbox', { name: 'Observation, as JSON' });
    await observation.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{"time": "soon"}');
    await page.getByRole('alert').getByText('/time').waitFor();
  });

  it('completes what is typed by the schema of its kind, by the keyboard alone', async () => {
    const page = await openExample();
    await paste(page, 'apiVersion: plimsoll.dev/v1alpha1\nkind: AutoscalingPolicy\nspec:\n  select');
    await page.keyboard.press('Control+Space');
    const option = page.getByRole('option', { name: /^selectionStrategy/ });
    await option.waitFor();
    await page.getByText('Which pods count', { exact: false }).waitFor();
    await page.keyboard.press('Enter');
    await expectText(editor(page), /selectionStrategy:/);
  });

  it('takes what is offered though it is asked for again, and while a word is still typed', async () => {
    const page = await openExample();
    await paste(page, 'apiVersion: plimsoll.dev/v1alpha1\nkind: AutoscalingPolicy\nspec:\n  ');
    await page.keyboard.type('select');
    const option = page.getByRole('option', { name: /^selectionStrategy/ });
    await option.waitFor();
    await page.keyboard.press('Control+Space');
    await page.keyboard.press('Enter');
    await expectText(editor(page), /selectionStrategy:/);
    await page.keyboard.type('\nmin');
    await page.getByRole('option', { name: /^minReplicas/ }).waitFor();
    await pressTogether(page, 'R', 'Enter');
    await expectText(editor(page), /minReplicas:/);
  });

  it('refuses what is too much: passes, a CSV that is none, a link that is cut off', async () => {
    const page = await openExample();
    const run = page.getByRole('region', { name: 'Over time' });
    await run.getByRole('combobox', { name: 'Load' }).selectOption('CSV');
    await run.getByLabel(/^Lines of time and load/).fill('0,100\nsoon,200');
    await run.getByText('Line 2, time: "soon" is no time.').waitFor();
    await run.getByLabel(/^Lines of time and load/).fill('0,100\n600,300');
    await run.getByText('Line 2, time').waitFor({ state: 'detached' });
    await paste(page, policyOfEverySecond);
    await run.getByLabel('Whole run, minutes').fill('10080');
    await run.getByText(/^That is 604801 passes, and at most 50000 are run/).waitFor();
    const cut = await world().open('/playground#s=AAAA');
    await cut.getByText('The link is cut off').waitFor();
  });

  it('takes policy and observation from a decision, and is gone to by keys', async () => {
    const page = await world().open('/policies/shop/checkout');
    const grown = page.getByRole('row').filter({ hasText: 'above target' }).last();
    await grown.getByRole('link').first().click();
    await page.getByRole('link', { name: /^Open it in the playground/ }).click();
    await page.getByText('Policy, observation, settings and memory are those of').waitFor();
    await page.getByText('AutoscalingPolicy shop/checkout can be decided.').waitFor();
    await page.getByText(/^83 % of 2 cores requested over 4 ready pods/).waitFor();
    await page.getByRole('textbox', { name: 'Observation, as JSON' }).waitFor();
    await page
      .getByRole('region', { name: 'Over time' })
      .getByText(/^1441 passes/)
      .waitFor();
    await page.getByRole('link', { name: 'this decision' }).click();
    await page.getByRole('heading', { name: 'shop/checkout scales up' }).waitFor();
    await pressTogether(page, 'g', 'p');
    await page.getByRole('heading', { name: 'Playground' }).waitFor();
    // Typed into the editor, they are text.
    await editor(page).click();
    await page.keyboard.type('g f');
    await expectText(editor(page), /g f/);
  });
}

async function expectText(locator: Locator, text: RegExp): Promise<void> {
  await locator.filter({ hasText: text }).waitFor();
}

const policyOfEverySecond = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: checkout, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: checkout }
  interval: 1s
  maxReplicas: 10
`;

import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { AConsole } from '../support/a-console.ts';

/** What the browser computes of a decision: it again, and as it would have been. */
export function evaluationTasks(world: () => AConsole): void {
  /** The decision by which checkout grew from 4 to 6. */
  const openGrowth = async (): Promise<Page> => {
    const page = await world().open('/policies/shop/checkout');
    const grown = page.getByRole('row').filter({ hasText: 'above target' }).last();
    await grown.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'shop/checkout scales up' }).waitFor();
    return page;
  };

  it('replays a decision in the browser and comes to the same, and shows what was observed', async () => {
    const page = await openGrowth();
    await page.getByRole('region', { name: 'Replay' }).getByText('Equal', { exact: true }).waitFor();
    const observation = page.getByRole('region', { name: 'Observation' });
    await observation.getByText(/^4 asked for, \d there$/).waitFor();
    await observation.getByText('The complete input, as JSON').click();
    await observation.getByText(/"specReplicas": 4/).waitFor();
  });

  it('says what would have been under another bound, target, load and readiness, in a link that holds it', async () => {
    const page = await openGrowth();
    const whatIf = page.getByRole('region', { name: 'What if', exact: true });
    const summary = whatIf.getByRole('status');
    await summary.getByText('Nothing is changed').waitFor();
    await whatIf.getByLabel('maxReplicas', { exact: true }).fill('5');
    await summary.getByText('5 instead of 6').waitFor();
    // What grows and what shrinks differ also where colours do not, in both themes.
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await looksOf(whatIf, 'up')).toEqual({ arrow: '▲', dashes: 'none' });
      expect(await looksOf(whatIf, 'down')).toEqual({ arrow: '▼', dashes: '4px, 2px' });
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await whatIf.getByLabel('cpu averageUtilization').fill('90');
    await summary.getByText('4 instead of 6').waitFor();
    await whatIf.getByRole('spinbutton', { name: 'Load, in percent' }).fill('250');
    await summary.getByText('5 instead of 6').waitFor();
    await whatIf.getByText(/^Pods \(/).click();
    await whatIf.getByRole('checkbox').first().uncheck();
    await page.waitForURL(/load=250.*maxReplicas.*ready/);
    await world().show(page, 'decision-what-if', whatIf);
    await page.reload();
    await summary.getByText('5 instead of 6').waitFor();
    expect(await whatIf.getByLabel('maxReplicas', { exact: true }).inputValue()).toBe('5');
    await whatIf.getByRole('button', { name: 'Back to what was recorded' }).click();
    await summary.getByText('Nothing is changed').waitFor();
    await page.waitForURL((url) => url.search === '');
  });

  it('names what is no input in a changed value', async () => {
    const page = await openGrowth();
    const whatIf = page.getByRole('region', { name: 'What if', exact: true });
    await whatIf.getByLabel('maxReplicas', { exact: true }).fill('a dozen');
    await whatIf.getByRole('alert').getByText('/policy/spec/maxReplicas', { exact: false }).waitFor();
  });
}

/** How a waterfall shows its first step of a way. */
async function looksOf(part: Locator, way: 'up' | 'down'): Promise<object> {
  const step = part.locator(`.waterfall-step[data-way="${way}"]`).first();
  const arrow = await step.locator('.waterfall-arrow').textContent();
  const dashes = await step
    .locator('.waterfall-bar')
    .evaluate((element: Drawn) => element.computedStyleMap().get('stroke-dasharray')?.toString());
  return { arrow, dashes };
}

/** An element, as far as its looks are asked for. */
interface Drawn {
  computedStyleMap(): { get(property: string): { toString(): string } | undefined };
}

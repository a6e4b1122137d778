import { expect, it } from '@jest/globals';
import type { AConsole } from '../support/a-console.ts';

/** Each page, and what of it is there last. */
const pages = [
  ['/', 'a[href="/policies/shop/gateway"]'],
  ['/policies/shop/checkout', '.time-plot canvas'],
  ['/audit', '.timeline-row'],
] as const;

/**
 * The shares of the window that moved, each by the share of its height that it moved by (web.dev/articles/cls). Up to 0.1
 * is called good; a plot or a list that pushes down what stands below it makes 0.07 to 0.2 of these pages.
 */
const maximumShift = 0.05;

const noteShifts = `
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) globalThis.shifts += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** Also of what is drawn as it is asked for. */
const readShifts = 'new Promise((read) => requestAnimationFrame(() => setTimeout(() => read(shifts))))';

/** How a page comes to be. */
export function loadingTasks(world: () => AConsole): void {
  it.each(pages)('what stands on %s stays where it is as the rest comes', async (path, last) => {
    const page = await world().open('/sources');
    await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor();
    await page.addInitScript(noteShifts);
    await page.goto(new URL(path, page.url()).href);
    await page.locator(last).first().waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    expect(await page.evaluate(readShifts)).toBeLessThan(maximumShift);
  });
}

import { expect, it } from '@jest/globals';
import type { AConsole } from '../support/a-console.ts';
import { openSyntheticFleet } from '../support/synthetic-fleet.ts';

/** The screen that nobody stands before. */
export function wallTasks(world: () => AConsole): void {
  it('a screen on a wall shows what wants attention', async () => {
    const page = await world().open('/?tv', { size: 'wide' });
    await page.getByText('reports', { exact: true }).waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
    // Which of scalings, syncs and actions are the latest is up to the demo and the tasks before.
    await page.getByRole('region', { name: 'Lately' }).getByRole('listitem').first().waitFor();
    const waiting = page.getByRole('region', { name: 'Waiting and interventions' });
    await waiting.getByText('Nothing waits for an approval, and no intervention is in force.').waitFor();
    await page.getByRole('region', { name: 'Sources' }).getByText('follows its ref').waitFor();
    await world().show(page, 'tv');
  });

  it('a wall of many troubles shows the most pressing ones, whole, and says how many there are', async () => {
    const page = await openSyntheticFleet(world(), '/', { size: 'wide' });
    await page.goto(`${world().demo.url}/?tv`);
    await page.getByRole('heading', { name: '180 need attention, the most pressing first' }).waitFor();
    await page.getByRole('region', { name: 'Sources' }).getByText('follows its ref').waitFor();
    for (const viewport of [
      { width: 2560, height: 1440 },
      { width: 1400, height: 1000 },
      { width: 1280, height: 800 },
    ]) {
      await page.setViewportSize(viewport);
      // Whatever is seen of a list is seen whole, and the screen does not scroll.
      const cut = await page.evaluate<readonly string[]>(
        `[...document.querySelectorAll('.wall-rows, .wall-part ul')].flatMap((list) => {
          const box = list.getBoundingClientRect();
          // A list that has no room of its own is cut by what is around it.
          const end = Math.min(box.bottom, list.closest('.wall').getBoundingClientRect().bottom);
          return [...list.children].filter((item) => {
            const { left, bottom } = item.getBoundingClientRect();
            return left < box.right - 1 && bottom > end + 1;
          }).map((item) => item.textContent);
        }).concat(document.documentElement.scrollHeight > innerHeight ? ['the page scrolls'] : [])`,
      );
      expect([viewport.width, cut]).toEqual([viewport.width, []]);
      const seen = await page.evaluate<number>(
        `(() => {
          const list = document.querySelector('.wall-rows');
          const { right } = list.getBoundingClientRect();
          return [...list.children].filter((item) => item.getBoundingClientRect().left < right - 1).length;
        })()`,
      );
      // Of the first five, below two lines of counts.
      expect([viewport.width, seen >= 4]).toEqual([viewport.width, true]);
    }
    await world().show(page, 'tv-troubled');
  });
}

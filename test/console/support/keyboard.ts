import type { Locator, Page } from 'playwright-core';

/** More than any page of the demo has places to stop at. */
const maximumStops = 200;

/** Presses Tab until the element has the focus. @throws Error where Tab does not lead to it */
export async function tabTo(page: Page, element: Locator): Promise<void> {
  await element.waitFor();
  for (let stop = 0; stop < maximumStops; stop += 1) {
    if (await element.evaluate(hasFocus)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${String(element)}`);
}

/**
 * Presses keys that belong together, such as `g f`. None waits until the page has taken in the one before: it tells a pair
 * by when its keys were pressed, and may be busy with the first for longer than that.
 */
export async function pressTogether(page: Page, ...keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

/** Runs in the page. */
function hasFocus(element: unknown): boolean {
  const { document } = globalThis as unknown as { readonly document: { readonly activeElement: unknown } };
  return element === document.activeElement;
}

import type { Locator, Page } from 'playwright-core';

/** What a page asks, as far as it tells what a form sends from everything else. */
interface Asked {
  readonly variables?: { readonly dryRun?: boolean };
}

/**
 * Ends the session of a page in whose form an action stands ready, and sends the form. Whatever else the page asks meanwhile
 * waits: it would be told of the end before the form is, which then cannot be sent. Gives the dialog that says so.
 */
export async function endSessionAtSending(
  page: Page,
  form: Locator,
  cookies: { readonly name?: string } = {},
): Promise<Locator> {
  const send = form.locator('[type="submit"]');
  await form.locator('[type="submit"]:enabled').waitFor();
  const gate = Promise.withResolvers<undefined>();
  const held: Promise<void>[] = [];
  await page.route('**/graphql', (route) => {
    const { variables } = route.request().postDataJSON() as Asked;
    if (variables?.dryRun === false) return route.continue();
    const sent = gate.promise.then(() => route.continue());
    held.push(sent);
    return sent;
  });
  await page.context().clearCookies(cookies);
  await send.click();
  const ended = page.getByRole('dialog', { name: 'Your session has ended' });
  await ended.waitFor();
  gate.resolve(undefined);
  // What is no longer routed goes on by itself, and cannot be continued.
  await Promise.all(held);
  await page.unroute('**/graphql');
  return ended;
}

import type { Page } from 'playwright-core';

type Answered = Readonly<Record<string, unknown>>;

/** What the API answers to one operation, changed: for what a running controller is not brought to in a test. */
export async function answerChanged(
  page: Page,
  operation: string,
  change: (data: Answered) => unknown,
): Promise<void> {
  await page.route('**/graphql', async (route) => {
    const { operationName } = route.request().postDataJSON() as { readonly operationName?: string };
    if (operationName !== operation) return route.fallback();
    const response = await route.fetch();
    const { data } = (await response.json()) as { readonly data: Answered };
    return route.fulfill({ json: { data: change(data) } });
  });
}

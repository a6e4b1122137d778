import { expect, it } from '@jest/globals';
import type { Locator, Page, Route } from 'playwright-core';
import type { AConsole } from '../support/a-console.ts';
import { askDemo } from '../support/demo-requests.ts';
import { followQuestions } from '../support/questions.ts';
import { endSessionAtSending } from '../support/session-end.ts';

/** Beyond what may be shown without being called old. */
const longMilliseconds = 70_000;

/** That go on asking while they are shown, and by what one knows them. */
const livePages = [
  { path: '/', shows: 'media/transcoder' },
  { path: '/?tv', shows: 'shop/checkout' },
  { path: '/policies/shop/gateway', shows: 'shop/gateway' },
  { path: '/interventions', shows: 'No intervention in force' },
  { path: '/sources', shows: 'follows its ref' },
  { path: '/sources/policies', shows: 'In force' },
  { path: '/audit', shows: 'Verify' },
  { path: '/reports', shows: 'Reports' },
  { path: '/controller', shows: 'Controller' },
];

interface Outage {
  readonly name: string;
  readonly says: string;
  readonly answer: (route: Route) => Promise<void>;
}

/** What comes in the place of an answer, each after the one before. */
const outages: readonly Outage[] = [
  {
    name: 'an error of the server',
    says: 'The controller answered 500.',
    answer: (route) => route.fulfill({ status: 500, body: 'Internal Server Error' }),
  },
  {
    name: 'a server that is not ready',
    says: 'The controller is not ready to answer.',
    answer: (route) => route.fulfill({ status: 503, body: '' }),
  },
  {
    name: 'too many requests',
    says: 'The controller has had too many requests of yours.',
    answer: (route) => route.fulfill({ status: 429, json: {} }),
  },
  {
    name: 'data that is not whole, with why',
    says: 'the ledger cannot be read',
    answer: (route) =>
      route.fulfill({
        json: {
          data: { node: null },
          errors: [{ message: 'the ledger cannot be read', extensions: { code: 'Unavailable' } }],
        },
      }),
  },
  {
    name: 'an answer that is cut off',
    says: 'The answer could not be read to its end.',
    answer: (route) => route.fulfill({ contentType: 'application/json', body: '{"data":{"node":{"id":' }),
  },
];

/** Where an action is, and what it wants to be filled in. */
interface FormRow {
  readonly path: string;
  readonly title: string;
  readonly fields: Readonly<Record<string, string>>;
}

const reason = { Reason: 'a sentence that took a while' };

const forms: readonly FormRow[] = [
  { path: '/policies/shop/gateway', title: 'Suspend scaling', fields: reason },
  { path: '/policies/shop/gateway', title: 'Override replicas', fields: { Exactly: '4', ...reason } },
  { path: '/policies/shop/gateway', title: 'Start a dry run', fields: reason },
  { path: '/policies/shop/gateway', title: 'Release the policy', fields: reason },
  { path: '/interventions?in=Namespace&name=shop', title: 'Suspend scaling', fields: reason },
  { path: '/sources', title: 'Sync now', fields: {} },
];

/** What is shown, page by page, while answers do not come as they should; and in forms when the session ends. */
export function outageTasks(world: () => AConsole): void {
  const stale = (page: Page): Locator => page.getByText('stale', { exact: true });

  it.each(livePages)(
    'what is known on $path stays, marked with its age, whatever is answered',
    async ({ path, shows }) => {
      world().forgive(/Failed to load resource/);
      const page = await world().open('/reports');
      await page.getByRole('heading', { name: 'Reports', exact: true }).first().waitFor();
      await page.clock.install();
      const questions = followQuestions(page);
      await page.goto(`${world().demo.url}${path}`);
      const main = page.getByRole('main');
      await main.getByText(shows).first().waitFor();
      await page.waitForLoadState('networkidle');
      let current = outages[0];
      await page.route('**/graphql', (route) => current?.answer(route));
      // From now on nothing that is known changes: the demo goes on, and some headings count what it does.
      await questions.end();
      const headings = await main.getByRole('heading').allTextContents();
      await page.clock.fastForward(longMilliseconds);
      for (const outage of outages) {
        current = outage;
        await page.getByRole('button', { name: 'Ask again' }).first().click();
        await main.getByText(outage.says, { exact: false }).first().waitFor();
        await stale(page).first().waitFor();
        expect([outage.name, await main.getByRole('heading').allTextContents()]).toEqual([
          outage.name,
          headings,
        ]);
        expect(await main.getByText(shows).count()).toBeGreaterThan(0);
      }
      await page.unroute('**/graphql');
      await page.clock.fastForward(longMilliseconds);
      await stale(page).first().waitFor({ state: 'hidden' });
    },
  );

  it('a database that is away is told of on every page, a policy is shown with what its latest pass decided, a source without its revisions, and all of it ends by itself', async () => {
    world().forgive(/Failed to load resource/);
    const page = await world().open('/reports');
    await page.getByRole('heading', { name: 'Reports', exact: true }).first().waitFor();
    const away = page.getByText('The controller’s database does not answer, or takes nothing');
    let isAway = true;
    await page.route('**/graphql', async (route) => {
      if (!isAway) return route.continue();
      return route.fulfill({ json: withoutDatabase((await (await route.fetch()).json()) as AnswerBody) });
    });
    await page.goto(`${world().demo.url}/policies/shop/gateway`);
    await away.waitFor();
    const main = page.getByRole('main');
    await main.getByRole('heading', { name: 'shop/gateway' }).first().waitFor();
    const passed = main.getByText('this is what the latest pass decided');
    await passed.waitFor();
    await main.getByRole('listitem').filter({ hasText: 'Present count' }).waitFor();
    await main.getByText('Who allowed it is recorded in the database, which does not answer.').waitFor();
    expect(await stale(page).count()).toBe(0);
    await page.goto(`${world().demo.url}/sources`);
    await main.getByRole('article', { name: 'policies' }).waitFor();
    await page.goto(`${world().demo.url}/sources/policies`);
    await main.getByText('Its revisions are recorded in the database, which does not answer.').waitFor();
    expect(await main.getByRole('heading', { name: 'In force' }).count()).toBe(1);
    await away.waitFor();
    await page.goto(`${world().demo.url}/controller`);
    expect(await away.count()).toBe(0);
    await page.goto(`${world().demo.url}/policies/shop/gateway`);
    await away.waitFor();
    isAway = false;
    await away.waitFor({ state: 'hidden' });
    await passed.waitFor({ state: 'hidden' });
  });

  it('a wall that is begun while the database is away shows what the controller knows, and one that was begun before keeps the rest, marked as stale', async () => {
    world().forgive(/Failed to load resource/);
    const page = await world().open('/reports');
    const [lately, people, sources] = ['Lately', 'Waiting and interventions', 'Sources'].map((name) =>
      page.getByRole('region', { name, exact: true }),
    ) as [Locator, Locator, Locator];
    let isAway = true;
    await page.route('**/graphql', async (route) => {
      if (!isAway) return route.continue();
      return route.fulfill({ json: withoutDatabase((await (await route.fetch()).json()) as AnswerBody) });
    });
    await page.goto(`${world().demo.url}/?tv`);
    await lately.getByText('This is recorded in the database, which does not answer.').waitFor();
    await people.getByText('Nothing waits for an approval, and no intervention is in force.').waitFor();
    await sources.getByText('follows its ref').waitFor();
    isAway = false;
    await lately.getByRole('button', { name: 'Ask again' }).click();
    await lately.getByRole('listitem').first().waitFor();
    expect(await stale(page).count()).toBe(0);
    isAway = true;
    await lately.getByText('the database does not answer').waitFor();
    await lately.getByText('stale', { exact: true }).waitFor();
    expect(await lately.getByRole('listitem').count()).toBeGreaterThan(0);
    await sources.getByText('follows its ref').waitFor();
  });

  it.each(forms)(
    '$title on $path keeps what was typed when the session ends, and is not carried out',
    async ({ path, title, fields }) => {
      world().forgive(/401|WebSocket/);
      const before = await recorded(world());
      const page = await world().open(path);
      const { cookies } = await page.context().storageState();
      await page.getByRole('button', { name: title }).first().click();
      const form = page.getByRole('dialog', { name: title });
      for (const [label, text] of Object.entries(fields)) await form.getByLabel(label).fill(text);
      const ended = await endSessionAtSending(page, form);
      await page.context().addCookies(cookies);
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
      await ended.waitFor({ state: 'hidden' });
      await form.getByText('It was not carried out: your session had ended.').waitFor();
      for (const [label, text] of Object.entries(fields))
        expect(await form.getByLabel(label).inputValue()).toBe(text);
      expect(await recorded(world())).toEqual(before);
    },
  );
}

interface AnswerBody {
  readonly data: Readonly<Record<string, unknown>> | null;
}

/** Fields of what is in memory that the database would have to answer, each null itself. */
const recordedFields: ReadonlySet<string> = new Set(['latestDecision', 'recentRevisions']);

/** What a controller whose database is away answers in the place of an answer. */
function withoutDatabase({ data }: AnswerBody): object {
  const since = new Date(Date.now() - 60_000).toISOString();
  // It may not be null, and takes the whole answer with it.
  if (data?.['auditEntries'] !== undefined) {
    const error = { message: 'away', path: ['auditEntries'], extensions: { code: 'DatabaseUnavailable' } };
    return { data: null, errors: [error] };
  }
  if (data?.['degraded'] !== undefined) return { data: { ...data, degraded: [{ what: 'ledger', since }] } };
  const errors: object[] = [];
  const cut = (value: unknown, path: readonly (string | number)[]): unknown => {
    if (Array.isArray(value)) return value.map((each, index) => cut(each, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([key, field]) => {
      if (!recordedFields.has(key)) return [key, cut(field, [...path, key])] as const;
      const place = { path: [...path, key], extensions: { code: 'DatabaseUnavailable' } };
      errors.push({ message: 'away', ...place });
      return [key, null] as const;
    });
    return Object.fromEntries(fields);
  };
  const part = cut(data, []);
  return errors.length === 0 ? { data: part } : { data: part, errors };
}

/** The latest that anybody has asked for, whatever came of it. */
async function recorded({ demo }: AConsole): Promise<unknown> {
  return askDemo(
    demo,
    '{ auditEntries(first: 1, where: { kinds: [OperatorAction] }) { edges { node { id } } } }',
  );
}

import { expect, it } from '@jest/globals';
import { auditEntryKinds } from '#contracts';
import { type AConsole, sizes } from '../support/a-console.ts';
import { answerChanged } from '../support/answer-changed.ts';
import { askDemo } from '../support/demo-requests.ts';
import { pressTogether, tabTo } from '../support/keyboard.ts';
import { serveSyntheticDecisions } from '../support/synthetic-fleet.ts';

interface Entries {
  readonly edges: readonly {
    readonly node: {
      readonly id: string;
      readonly kind: string;
      readonly hash: string;
      readonly action?: string;
      readonly effect?: unknown;
    };
  }[];
}

/** The timeline of everything that is recorded. */
export function auditTasks(world: () => AConsole): void {
  /** One entry of each kind that there is, and what operators did that has an effect. */
  const someEntries = async () => {
    const { demo } = world();
    const { suspendScaling } = await askDemo<{ readonly suspendScaling: { readonly id: string } }>(
      demo,
      'mutation { suspendScaling(scope: Namespace, namespace: "shop", direction: Down, expires: "' +
        `${new Date(Date.now() + 600_000).toISOString()}", reason: "a sale") { __typename ... on Intervention { id } } }`,
    );
    // Nothing of it is left for the tests after this one.
    await askDemo(
      demo,
      `mutation { endSuspension(id: "${suspendScaling.id}", reason: "it is over") { __typename } }`,
    );
    const found: Entries['edges'][number]['node'][][] = [];
    // One after the other: a caller has at most 16 requests under way.
    for (const kind of auditEntryKinds) {
      const query = `{ auditEntries(first: 20, where: { kinds: [${kind}] }) {
        edges { node { id kind hash ... on OperatorAction { action effect } } } } }`;
      const { auditEntries } = await askDemo<{ readonly auditEntries: Entries }>(demo, query);
      found.push(auditEntries.edges.map(({ node }) => node));
    }
    return {
      entries: found.flatMap((each) => each.slice(0, 1)),
      operators: found.flat().filter(({ action, effect }) => action === 'SuspendScaling' && effect !== null),
    };
  };

  it('says once what is wrong with a time of the address', async () => {
    const page = await world().open('/audit?from=nonsense');
    const wrong = page.getByText(/^from is "nonsense"/);
    await wrong.first().waitFor();
    expect(await wrong.count()).toBe(1);
  });

  it('shows what happened, newest first, and what proves it', async () => {
    const page = await world().open('/audit');
    await page.getByRole('listitem').locator('time').first().waitFor();
    const shown = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('.timeline time')].map(({ dateTime }) => dateTime)`,
    );
    expect(shown).toEqual(shown.toSorted().toReversed());
    await page.getByRole('link', { name: 'Seal and verification' }).click();
    await page.getByRole('button', { name: 'Verify it here' }).waitFor();
    await page.getByText('Whose key, and how much of it').click();
    await page.getByText('plimsoll audit verify').waitFor();
    await world().show(page, 'audit');
    await world().show(page, 'audit-seal', page.locator('#seal'));
  });

  it('says of each sink of the checkpoints whether it takes them, and since when not', async () => {
    const [failingSince, deliveredAt] = ['2026-11-23T03:12:07.000Z', '2026-11-23T03:11:00.000Z'];
    const page = await world().open('/reports');
    await page.getByRole('heading', { name: 'Reports', exact: true }).first().waitFor();
    await answerChanged(page, 'AuditSeal', ({ ledgerSeal }) => ({
      ledgerSeal: {
        ...(ledgerSeal as object),
        last: { number: '12', time: deliveredAt, entries: '4810', streams: '3' },
        sinks: [
          { sink: 'git', failingSince: null, deliveredAt, waiting: 0, dropped: 7 },
          { sink: 'webhook', failingSince, deliveredAt, waiting: 3, dropped: 0 },
        ],
      },
    }));
    await page.goto(`${world().demo.url}/audit`);
    const seal = page.locator('#seal');
    const failing = seal.getByRole('listitem').filter({ hasText: 'webhook' });
    await failing.getByText(/failing since Mon 23 Nov (2026 )?03:12:07 UTC/).waitFor();
    await failing.getByText('3 waiting').waitFor();
    const taking = seal.getByRole('listitem').filter({ hasText: 'git' });
    expect(await taking.getByText('failing since').count()).toBe(0);
    await taking.getByRole('alert').getByText('7 checkpoints never reached it.').waitFor();
    expect(await failing.getByRole('alert').count()).toBe(0);
    await world().show(page, 'audit-sinks', seal);
  });

  it('filters are in the address, and what matches nothing says so', async () => {
    const page = await world().open('/audit');
    await page.getByLabel('Kind').selectOption('ScalingEvent');
    await page.getByLabel('Namespace').fill('shop');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    // It is among what is shown without filters, too.
    await page.waitForURL((url) => url.search === '?kind=ScalingEvent&namespace=shop');
    await page.getByRole('listitem').filter({ hasText: 'count changed' }).first().waitFor();
    await page.goto(`${world().demo.url}/audit?actor=nobody-of-that-name`);
    await page.getByText('No entry matches').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('listitem').first().waitFor();
  });

  it('filters are behind a button on a telephone, which counts them and is worked by keys', async () => {
    const page = await world().open('/audit?kind=ScalingEvent&namespace=shop', { size: 'narrow' });
    await page.getByRole('listitem').first().waitFor();
    const button = page.getByRole('button', { name: 'Filters (2)' });
    expect(await page.getByLabel('Actor').isVisible()).toBe(false);
    await tabTo(page, button);
    await page.keyboard.press('Enter');
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    await tabTo(page, page.getByLabel('Actor'));
    await page.keyboard.type('nobody-of-that-name');
    // Turned on its side, it has what was typed.
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await page.getByLabel('Actor').inputValue()).toBe('nobody-of-that-name');
    await page.setViewportSize(sizes.narrow);
    await page.keyboard.press('Enter');
    await page.getByText('No entry matches').waitFor();
    await page.getByRole('button', { name: 'Filters (3)' }).waitFor();
  });

  it('a link to a policy, a commit and a time fills the filters, in the zone that is chosen', async () => {
    const { policy } = await askDemo<{
      readonly policy: { readonly origin: { readonly commit: { hash: string } } };
    }>(world().demo, '{ policy(namespace: "shop", name: "gateway") { origin { commit { hash } } } }');
    const { hash } = policy.origin.commit;
    const search = new URLSearchParams({
      policy: 'shop/gateway',
      commit: hash,
      from: '2020-01-01T00:00:00.250Z',
    }).toString();
    const page = await world().open(`/audit?${search}`, { timeZone: 'Asia/Kolkata' });
    const rows = page.locator('.timeline-row');
    await rows.first().waitFor();
    const policies = await page.locator('.timeline-policy').allTextContents();
    expect(new Set(policies)).toEqual(new Set(['shop/gateway']));
    expect(await page.getByRole('textbox', { name: 'Policy' }).inputValue()).toBe('shop/gateway');
    expect(await page.getByRole('textbox', { name: 'Commit' }).inputValue()).toBe(hash);
    expect(await page.getByLabel('From (UTC)').inputValue()).toBe('2020-01-01 00:00');
    await page.getByRole('button', { name: 'Times in UTC' }).click();
    expect(await page.getByLabel('From (local)').inputValue()).toBe('2020-01-01 05:30');
    const kept = page.waitForURL((url) => url.searchParams.get('from') === '2020-01-01T00:00:00.250Z');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await kept;
    await page.getByLabel('From (local)').fill('2. 1. 2020');
    await page.getByText('A time is written like 2026-11-23 14:02.').waitFor();
    await page.getByLabel('From (local)').fill('2020-01-02 05:30');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('from') === '2020-01-02T00:00:00Z');
    await rows.first().waitFor();
  });

  it('each entry has a page with its figures, whatever its kind', async () => {
    const { entries, operators } = await someEntries();
    const page = await world().open('/audit');
    const kinds = new Map(entries.map((entry) => [entry.kind, entry]));
    expect([...kinds.keys()]).toEqual(expect.arrayContaining(['ScalingEvent', 'PolicyChange', 'SyncRun']));
    for (const { id, kind, hash } of kinds.values()) {
      await page.goto(`${world().demo.url}/audit/${encodeURIComponent(id)}`);
      if (kind === 'Decision') {
        await page.waitForURL((url) => url.pathname.startsWith('/decisions/'));
      } else {
        await page.getByText(hash, { exact: true }).waitFor();
        await page.locator('code').getByText(kind, { exact: true }).waitFor();
        await world().show(page, `entry-${kind}`);
      }
    }
    const [action] = operators;
    await page.goto(`${world().demo.url}/audit/${encodeURIComponent(action?.id ?? '')}`);
    const effect = page.getByRole('region', { name: 'What it does' });
    await effect
      .locator('p')
      .first()
      .filter({ hasText: /until \w{3} \d+ \w{3} (\d{4} )?\d\d:\d\d:\d\d UTC/ })
      .waitFor();
    await world().show(page, 'entry-action-effect');
  });

  it('a row leads to its entry, and the entry to what happened around it', async () => {
    const page = await world().open('/audit?kind=ScalingEvent');
    await page.locator('.timeline-what a').first().click();
    await page.getByRole('heading', { name: 'A count changed' }).waitFor();
    await page.getByRole('link', { name: 'What happened around it' }).click();
    await page.waitForURL((url) => url.searchParams.has('policy') && url.searchParams.has('until'));
    await page.locator('.timeline-row').first().waitFor();
    await page.goto(`${world().demo.url}/audit/${encodeURIComponent('admin#999999999')}`);
    await page.getByText('No such entry').waitFor();
  });

  it('times are in UTC, or of the browser, by one switch that is kept', async () => {
    const page = await world().open('/audit?kind=PolicyChange', { timeZone: 'Asia/Kolkata' });
    const time = page.locator('.timeline time').last();
    await time.filter({ hasText: /UTC$/ }).waitFor();
    const inUtc = await time.textContent();
    await page.getByRole('button', { name: 'Times in UTC' }).click();
    await time.filter({ hasText: /\+05:30$/ }).waitFor();
    const local = await time.textContent();
    expect(local).not.toBe(inUtc);
    const [first = '', second = ''] = (await time.getAttribute('title'))?.split(' · ') ?? [];
    expect([first.slice(-6), second.slice(-3)]).toEqual(['+05:30', 'UTC']);
    expect(Date.parse(first)).toBe(Date.parse(second));
    await page.reload();
    await time.filter({ hasText: /\+05:30$/ }).waitFor();
    await page.getByRole('button', { name: 'Times of this browser' }).waitFor();
  });

  it('a million decisions are read a page at a time', async () => {
    const page = await world().open('/sources');
    await page.getByRole('article', { name: 'policies' }).waitFor();
    await serveSyntheticDecisions(page, 1_000_000);
    await pressTogether(page, 'g', 'a');
    const rows = page.getByRole('listitem').filter({ hasText: 'Decision' });
    await page.getByText('stays at 4: decision 999999').waitFor();
    const first = await rows.count();
    await page.getByRole('button', { name: 'Show older' }).click();
    await page.getByText(`stays at 4: decision ${999_999 - first}`, { exact: true }).waitFor();
    expect(await rows.count()).toBe(2 * first);
    expect(first).toBeLessThanOrEqual(100);
  });

  it('a time that is none is refused with its reason', async () => {
    const page = await world().open('/audit?from=yesterday');
    await page.getByText('yesterday').first().waitFor();
    await page.getByRole('alert').first().waitFor();
  });

  it('verifies the whole ledger in the page, and says who signed it', async () => {
    const page = await world().open('/audit');
    const run = page.getByRole('button', { name: 'Verify it here' });
    await run.click();
    await page.getByText('✓ Verified').waitFor();
    await page.getByText(/^Every entry follows from the one before it: [\d,]+ entries/).waitFor();
    await page.getByText('Whose key, and how much of it').click();
    await world().show(page, 'audit-verified', page.locator('#seal'));
    await page.getByLabel('Public key that you keep').fill('no key');
    await page.getByText('This is no public key').waitFor();
    expect(await run.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Show the request' }).click();
    await page.getByRole('dialog').getByText("curl -sS 'http", { exact: false }).waitFor();
  });

  it('names the first entry that was changed, and ends when it is cancelled', async () => {
    const page = await world().open('/audit');
    let isHeld = false;
    await page.route('**/api/v1/ledger/exports', async (route) => {
      if (isHeld) return;
      const answer = await route.fetch();
      const body = (await answer.text()).replace('"actor":"demo"', '"actor":"dome"');
      await route.fulfill({ response: answer, body });
    });
    await page.getByRole('button', { name: 'Verify it here' }).click();
    await page.getByRole('alert').filter({ hasText: 'The ledger does not verify' }).waitFor();
    await page.getByText(/^admin#\d+$/).waitFor();
    await world().show(page, 'audit-broken', page.locator('#seal'));
    await page.setViewportSize(sizes.narrow);
    // Two hashes, whole: on a telephone they go on in the next line.
    const right = await page.evaluate<number>(
      `document.querySelector('.ledger-run .problem').getBoundingClientRect().right`,
    );
    expect(right).toBeLessThan(sizes.narrow.width);
    isHeld = true;
    await page.getByRole('button', { name: 'Verify it here' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled: nothing is said').waitFor();
  });
}

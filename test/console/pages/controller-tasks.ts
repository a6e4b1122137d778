import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { AConsole } from '../support/a-console.ts';
import { pressTogether } from '../support/keyboard.ts';

const ids = ['plimsoll-6f9c7d-4x2lq', 'plimsoll-6f9c7d-9k8sw', 'plimsoll-6f9c7d-zz7pp'] as const;

const [atStart, later] = ['2026-11-23T03:12:07.000Z', '2026-11-23T04:40:00.000Z'];

/** Who holds a shard: the third has just come, and one shard is between two. */
function shardOf(shard: number): object {
  if (shard === 11) return { shard, holder: null, since: null, epoch: '1' };
  const isThirds = shard >= 12;
  return {
    shard,
    holder: isThirds ? ids[2] : ids[shard % 2],
    since: isThirds ? later : atStart,
    epoch: isThirds ? '2' : '1',
  };
}

function replicaOf(id: string, index: number): object {
  const held = Array.from({ length: 16 }, (_, shard) => shard).filter(
    (shard) => shard !== 11 && (index === 2 ? shard >= 12 : shard < 12 && shard % 2 === index),
  );
  const url = index === 2 ? null : `https://10.0.0.${index + 4}:8443`;
  const now = new Date().toISOString();
  const seen = { version: '0.1.0', since: atStart, seenAt: now, knownFrom: 'Database', asOf: now };
  return { id, url, isLeader: index === 0, isThis: index === 1, aloneBecause: null, shards: held, ...seen };
}

const fleet = { mode: 'Act' } as const;

const sharing = {
  fleet,
  replicas: ids.map(replicaOf),
  shards: Array.from({ length: 16 }, (_, shard) => shardOf(shard)),
  degraded: [
    { what: 'cluster', since: later, message: 'connect ECONNREFUSED 10.0.0.1:6443' },
    { what: 'checkpointSinks', since: atStart, message: null },
  ],
};

const standby = {
  fleet,
  replicas: [],
  shards: [],
  degraded: [{ what: 'something-new', since: atStart, message: null }],
};

/** What of the controller itself works, and which process does what. */
export function controllerTasks(world: () => AConsole): void {
  /** The page as another controller than the demo would have it. */
  const openWith = async (data: object): Promise<Page> => {
    const page = await world().open('/reports');
    await page.getByRole('heading', { name: 'Reports', exact: true }).first().waitFor();
    await page.route('**/graphql', async (route) => {
      const { operationName } = route.request().postDataJSON() as { readonly operationName?: string };
      return operationName === 'ControllerPage' ? route.fulfill({ json: { data } }) : route.continue();
    });
    await pressTogether(page, 'g', 'c');
    await page.waitForURL('**/controller');
    return page;
  };

  it('says what works, that one process does everything and why, and what it holds since when', async () => {
    const page = await world().open('/controller');
    await page.getByText('Everything works, as far as the process that answers knows.').waitFor();
    await page.getByText(/^One process carries everything out: the database is SQLite\./).waitFor();
    const [replica] = await page.locator('.controller-replica').all();
    await replica?.getByText('leader', { exact: true }).waitFor();
    await replica?.getByText('answers this page').waitFor();
    await replica?.getByText(/^shards 0–15$/).waitFor();
    expect(await replica?.locator('time').first().textContent()).toMatch(/^\w{3} \d+ \w{3} .* UTC$/);
    await world().show(page, 'controller');
    await page.getByRole('button', { name: 'Show the query' }).last().click();
    await page.getByRole('dialog').getByText('shards {').waitFor();
  });

  it('says which replica holds what, what none holds, and what to do about what does not work', async () => {
    const page = await openWith(sharing);
    await page.getByText('No replica holds shard 11', { exact: false }).waitFor();
    expect(await page.getByText('NaN').count()).toBe(0);
    await page.getByText('of 16', { exact: true }).waitFor();
    const third = page.locator('.controller-replica').filter({ hasText: ids[2] });
    await third.getByText('shards 12–15').waitFor();
    await third.getByText(/since Mon 23 Nov (2026 )?04:40:00 UTC/).waitFor();
    await page.getByText(/^Look at the API server/).waitFor();
    await page.getByText('connect ECONNREFUSED 10.0.0.1:6443').waitFor();
    await world().show(page, 'controller-replicas');
  });

  it('says on every page that it writes nothing, where it does not', async () => {
    const page = await world().open('/reports');
    await page.getByRole('heading', { name: 'Reports', exact: true }).first().waitFor();
    const note = page
      .getByRole('status')
      .filter({ hasText: 'The controller that answers runs with mode Observe' });
    expect(await note.count()).toBe(0);
    await page.route('**/readyz', async (route) => {
      const report = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...report, controllerMode: 'Observe' } });
    });
    for (const path of ['/', '/policies/shop/gateway', '/sources', '/audit', '/controller']) {
      await page.goto(`${world().demo.url}${path}`);
      await note.waitFor();
    }
    await page.goto(world().demo.url);
    await page.getByRole('heading', { name: 'Fleet', exact: true }).waitFor();
    await note.waitFor();
    await world().show(page, 'fleet-observing');
  });

  it('says so where no process carries policies out', async () => {
    const page = await openWith(standby);
    await page.getByRole('heading', { name: 'No process carries policies out' }).waitFor();
    // Of a server that is newer than the page.
    await page.getByText('something-new').waitFor();
    await world().show(page, 'controller-standby');
  });
}

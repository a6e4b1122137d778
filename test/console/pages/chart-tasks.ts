import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../control-plane/poll.ts';
import type { AConsole } from '../support/a-console.ts';
import { scaleByHand } from '../support/demo-cluster.ts';
import type { DemoProcess } from '../support/demo-process.ts';
import { askDemo, bringToDemo, demoFile } from '../support/demo-requests.ts';

/** Long enough to be seen, on a slow machine too. */
const suspendedMilliseconds = 15_000;

interface AChart {
  readonly page: Page;
  readonly chart: Locator;
  readonly reload: () => Promise<void>;
  /** The span that was shown first, in milliseconds since 1970. */
  readonly shown: () => { readonly from: number; readonly until: number };
}

interface ChartAnswer {
  readonly data?: {
    readonly policy?: { readonly chart?: { readonly times: readonly string[]; readonly until: string } };
  };
}

/** The chart of a policy: what is dragged over it, and what it reads out. */
export function chartTasks(world: () => AConsole): void {
  /** A chart that stays as it was first answered: nothing moves under the pointer. */
  const open = async (): Promise<AChart> => {
    await eventually({
      description: 'a pass is in the series',
      probe: async () => (await hasPasses(world().demo)) || undefined,
      timeoutMilliseconds: 60_000,
    });
    const page = await world().open('/reports');
    await page.getByRole('heading', { name: 'Reports', exact: true }).first().waitFor();
    // What is asked again waits for as long as the test, however long that takes.
    await page.addInitScript('AbortSignal.timeout = () => new AbortController().signal');
    const answered = new Set<string>();
    let [from, until] = [NaN, NaN];
    await page.route('**/graphql', async (route) => {
      const { operationName, variables } = route.request().postDataJSON() as {
        readonly operationName?: string;
        readonly variables?: object;
      };
      if (operationName !== 'PolicyChartOverTime') return route.continue();
      const key = JSON.stringify(variables);
      if (answered.has(key)) return undefined;
      const answer = await route.fetch();
      const chart = ((await answer.json()) as ChartAnswer).data?.policy?.chart;
      if (chart !== undefined) {
        answered.add(key);
        if (Number.isNaN(from))
          [from, until] = [Date.parse(chart.times[0] ?? chart.until), Date.parse(chart.until)];
      }
      return route.fulfill({ response: answer });
    });
    await page.goto(`${world().demo.url}/policies/shop/gateway?hours=1`);
    const chart = page.getByRole('region', { name: 'Over time' });
    await chart
      .getByRole('link', { name: /^policy changed: / })
      .first()
      .waitFor();
    const reload = async (): Promise<void> => {
      // From then on it is the new page that asks.
      await page.reload({ waitUntil: 'commit' });
      answered.clear();
    };
    return { page, chart, reload, shown: () => ({ from, until }) };
  };
  /** Places of the plot by their part of its width. */
  const placesOf = async (chart: Locator): Promise<(part: number) => readonly [x: number, y: number]> => {
    const over = chart.locator('.u-over');
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    if (box === null) throw new Error('the chart is not shown');
    return (part) => [box.x + part * box.width, box.y + 0.8 * box.height];
  };

  it('zooms to what is dragged over, which the address keeps, and comes back', async () => {
    const { page, chart, reload } = await open();
    const at = await placesOf(chart);
    await page.mouse.move(...at(0.5));
    await page.mouse.down();
    await page.mouse.move(...at(0.999), { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/[?]from=[^&]+&until=[^&]+$/);
    const { search } = new URL(page.url());
    const [from = 0, until = 0] = [...new URLSearchParams(search).values()].map((time) => Date.parse(time));
    // Half of an hour, as far as pixels tell.
    expect(Math.abs((until - from) / 60_000 - 30)).toBeLessThan(1);
    await chart.getByRole('button', { name: '1 h', pressed: false }).waitFor();
    // What is there now was asked for by the new span.
    await eventually({
      description: 'the passes of the new span, and no others',
      probe: async () => (await timesOf(page)).every((time) => time >= from) || undefined,
      timeoutMilliseconds: 60_000,
    });
    await reload();
    await chart.locator('canvas').waitFor();
    expect(new URL(page.url()).search).toBe(search);
    await chart.getByRole('button', { name: 'Closer' }).click();
    await page.waitForURL((url) => url.search !== search && url.searchParams.has('from'));
    await page.goBack();
    await page.waitForURL((url) => url.search === search);
    await page.goBack();
    await page.waitForURL((url) => url.search === '?hours=1');
    await chart.getByRole('button', { name: '1 h', pressed: true }).waitFor();
    await chart.getByRole('button', { name: 'Earlier' }).click();
    await page.waitForURL(/[?]from=/);
    await chart.getByRole('button', { name: '6 h' }).click();
    await page.waitForURL((url) => url.search === '?hours=6');
  });

  it('tells what somebody else did to the count from what Plimsoll did, in shape and word', async () => {
    const page = await world().open('/policies/shop/gateway');
    const chart = page.getByRole('region', { name: 'Over time' });
    await chart.locator('canvas').waitFor();
    await scaleByHand(world().demo, 'shop/gateway', 7);
    const mark = chart.getByRole('link', { name: /→ 7 by .?kubectl-edit/ });
    await mark.first().waitFor();
    await chart.getByRole('list', { name: 'Marks' }).getByText('grown by others').waitFor();
    expect(await mark.first().textContent()).toBe('△');
    await page.getByRole('row').filter({ hasText: 'by kubectl-edit' }).first().waitFor();
  });

  it('opens a change of the count by its mark at the very side of the chart, too', async () => {
    const { demo } = world();
    const lastScaling = async (): Promise<string | undefined> =>
      (await askDemo<CheckoutScalings>(demo, checkoutScalings)).policy.scalingEvents.edges[0]?.node.time;
    const time = await eventually({
      description: 'checkout has been scaled',
      probe: lastScaling,
      timeoutMilliseconds: 60_000,
    });
    const [from, until] = [-3_600_000, 50].map((beside) => new Date(Date.parse(time) + beside).toISOString());
    const page = await world().open(`/policies/shop/checkout?from=${from}&until=${until}`);
    const mark = page
      .getByRole('region', { name: 'Over time' })
      .getByRole('link', { name: /^(?:4 → 6|6 → 4): / });
    // The newest is the first of them.
    await mark.first().click();
    await page.getByRole('heading', { name: /^shop\/checkout scales (?:up|down)$/ }).waitFor();
  });

  it('marks an intervention for every policy where it begins, and where it expires', async () => {
    const { demo } = world();
    const page = await world().open('/policies/shop/gateway');
    const chart = page.getByRole('region', { name: 'Over time' });
    await chart.locator('canvas').waitFor();
    const expires = new Date(Date.now() + suspendedMilliseconds).toISOString();
    await askDemo(
      demo,
      `mutation { suspendScaling(scope: Cluster, direction: Down, expires: "${expires}", reason: "a storm comes") { __typename } }`,
    );
    const begun = /Scaling is suspended \(down: nothing shrinks\), .?every policy.*by .?demo.*a storm comes/;
    await chart.getByRole('link', { name: begun }).waitFor();
    await chart.getByRole('link', { name: /Ended: Scaling is suspended .*since it has expired/ }).waitFor();
    await chart.getByRole('list', { name: 'Marks' }).getByText('intervention ends').waitFor();
    await world().show(page, 'policy-chart-interventions');
  });

  it('draws the metric that decided, and the one that is asked for, which the address keeps', async () => {
    const { demo } = world();
    const file = 'media/transcoder.yaml';
    const text = demoFile(demo, file);
    await bringToDemo(demo, 'Look at the memory of the transcoder', {
      [file]: text.replace('  metrics:\n', `  metrics:\n${memory}`),
    });
    const page = await world().open('/policies/media/transcoder');
    const chart = page.getByRole('region', { name: 'Over time' });
    const lines = chart.getByRole('list', { name: 'Lines' });
    const choice = chart.getByRole('combobox', { name: 'Metric' });
    await choice.waitFor();
    // It comes second, and proposes more.
    expect(await choice.inputValue()).toBe('cpu');
    await lines.getByText('cpu', { exact: true }).waitFor();
    await choice.selectOption('memory');
    await lines.getByText('memory', { exact: true }).waitFor();
    await chart.getByText(/per pod, target 1,073,741,824/).waitFor();
    expect(new URL(page.url()).searchParams.get('metric')).toBe('memory');
    await page.reload();
    await lines.getByText('memory', { exact: true }).waitFor();
    await world().show(page, 'policy-chart-metric');
    await bringToDemo(demo, 'Leave the memory of the transcoder', { [file]: text });
  });

  it('shows the queries of its lines and of its marks', async () => {
    const { page, chart } = await open();
    await chart.getByRole('button', { name: 'Show the query' }).click();
    const dialog = page.getByRole('dialog', { name: 'The 2 queries behind this panel' });
    await dialog.getByText(/^query PolicyChartOverTime\(/).waitFor();
    await dialog.getByText(/^query PolicyChartMarks\(/).waitFor();
  });

  it('reads out exactly what the passes saw at the moment that is pointed at', async () => {
    const { page, chart, shown } = await open();
    const { from, until } = shown();
    const placeOf = (time: number): number => (time - from) / (until - from);
    await chart.getByText('As a table').click();
    const rows = chart.getByRole('row').filter({ has: page.locator('time') });
    const at = await placesOf(chart);
    const readout = chart.locator('.chart-readout');
    for (const row of [rows.first(), rows.last()]) {
      const time = (await row.locator('time').getAttribute('datetime')) ?? '';
      await page.mouse.move(...at(placeOf(Date.parse(time))));
      await readout.locator(`time[datetime="${time}"]`).waitFor();
      const count = await row.getByRole('cell').nth(1).textContent();
      expect(await readout.locator('[data-line="replicas"] strong').textContent()).toBe(count);
    }
    // The demo did not run yet: nothing was seen, and nothing is read out.
    const first = (await rows.first().locator('time').getAttribute('datetime')) ?? '';
    await page.mouse.move(...at(placeOf(Date.parse(first)) / 2));
    await readout.locator('[data-line="replicas"] strong').filter({ hasText: '–' }).waitFor();
  });
}

const checkoutScalings =
  '{ policy(namespace: "shop", name: "checkout") { scalingEvents(first: 1) { edges { node { time } } } } }';

interface CheckoutScalings {
  readonly policy: {
    readonly scalingEvents: { readonly edges: readonly { readonly node: { readonly time: string } }[] };
  };
}

/** A second metric, before the one that decides. */
const memory = `    - type: Resource
      resource: { name: memory, target: { type: AverageValue, averageValue: 1Gi } }
`;

/** Of the passes in the table beside the chart, in milliseconds since 1970; NaN where there is none. */
async function timesOf(page: Page): Promise<readonly number[]> {
  const times = await page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('.chart-table time')].map(({ dateTime }) => dateTime)`,
  );
  return times.length === 0 ? [NaN] : times.map((time) => Date.parse(time));
}

async function hasPasses(demo: DemoProcess): Promise<boolean> {
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const { policy } = await askDemo<{
    readonly policy: {
      readonly chart: { readonly specReplicas: { readonly mean: readonly (number | null)[] } };
    };
  }>(
    demo,
    `{ policy(namespace: "shop", name: "gateway") { chart(from: "${from}") { specReplicas { mean } } } }`,
  );
  return policy.chart.specReplicas.mean.some((value) => value !== null);
}

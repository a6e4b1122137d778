import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { browserPath } from '../console/support/browser-path.ts';
import { type DemoProcess, startDemoProcess } from '../console/support/demo-process.ts';
import {
  type BrowserUse,
  goWithin,
  playSeconds,
  recordSession,
  restingUse,
  startEvents,
  toldEvents,
} from '../console/support/recorded-session.ts';
import type { Bench, BenchResult } from './bench.ts';

const built = join(import.meta.dirname, '../../dist/console');
const viewport = { width: 1280, height: 800 };
const defaultPolicies = 10_000;

/** Of five minutes each, after one that fills what is bounded. */
const partsOfHour = 12;

const visits = [
  { path: '/policies/shop/checkout', seconds: 30 },
  { path: '/audit', seconds: 30 },
  { path: '/', seconds: 240 },
] as const;

/** Frames are counted over this long. */
const scrollMilliseconds = 3_000;

/** What a person waits for, and what a browser does: the demo's first view, and a table of 10,000 rows. */
export const consoleBench: Bench = {
  description:
    'the console in Chromium: first view, frames and long tasks while rows scroll and 200 events a second are told, and an hour of that compressed (--policies 10000 --cases hour)',
  async *run({ policies = String(defaultPolicies), cases = '' }) {
    const executablePath = browserPath;
    if (executablePath === undefined) throw new Error('no chromium is installed: apt-get install chromium');
    const demo = await startDemoProcess();
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const page = await signIn(browser, demo);
      const isWanted = (name: string): boolean => cases === '' || cases.split(',').includes(name);
      if (isWanted('view')) {
        yield await firstView(page, demo);
        yield { case: 'script', builtBytes: await scriptBytes() };
      }
      if (isWanted('scroll')) yield await scrolling(page, demo, Number(policies));
      if (isWanted('hour')) yield await anHour(page, demo, Number(policies));
    } finally {
      await browser.close();
      await demo.stop();
    }
  },
};

async function signIn(browser: Browser, { signInUrl }: DemoProcess): Promise<Page> {
  const context = await browser.newContext({ viewport });
  const first = await context.newPage();
  await first.goto(signInUrl);
  await first.getByRole('grid').waitFor();
  await first.close();
  return context.newPage();
}

/** Resolves when the first row has been painted, with the time of the page's own clock. */
const rowsShown = `globalThis.rowsShown = new Promise((resolve) => {
  new MutationObserver((_, observer) => {
    if (document.querySelector('.table-row') === null) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  }).observe(document, { childList: true, subtree: true });
})`;

/** From the address to the rows, with nothing in the browser's cache. */
async function firstView(page: Page, { url }: DemoProcess): Promise<BenchResult> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await page.addInitScript(rowsShown);
  await page.goto(url, { waitUntil: 'commit' });
  const rows = await page.evaluate<number>('globalThis.rowsShown');
  const measured = await page.evaluate<{
    readonly paint: number;
    readonly bytes: number;
  }>(
    `({
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      bytes: performance.getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    })`,
  );
  return {
    case: 'first view',
    rowsNanoseconds: rows * 1e6,
    paintNanoseconds: measured.paint * 1e6,
    scriptBytes: measured.bytes,
  };
}

/** While events are told. */
async function scrolling(from: Page, { url }: DemoProcess, policies: number): Promise<BenchResult> {
  const page = await from.context().newPage();
  await recordSession(page, policies);
  await page.goto(url);
  await page.getByText(`${policies.toLocaleString('en')} policies`, { exact: true }).waitFor();
  await startEvents(page);
  const measured = await page.evaluate<{
    readonly frames: number;
    readonly longTasks: number;
    readonly longest: number;
  }>(
    `new Promise((resolve) => {
      const tasks = [];
      const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
      observer.observe({ entryTypes: ['longtask'] });
      const table = document.querySelector('.table');
      const started = performance.now();
      let frames = 0;
      const onFrame = () => {
        frames += 1;
        table.scrollTop += 60;
        if (performance.now() - started < ${scrollMilliseconds}) requestAnimationFrame(onFrame);
        else resolve({ frames, longTasks: tasks.length, longest: Math.max(0, ...tasks) });
      };
      requestAnimationFrame(onFrame);
    })`,
  );
  const events = await toldEvents(page);
  await page.close();
  return {
    case: 'scroll',
    policies,
    events,
    framesPerSecond: (measured.frames * 1_000) / scrollMilliseconds,
    longTasks: measured.longTasks,
    longestNanoseconds: measured.longest * 1e6,
  };
}

/** An hour before the fleet, with a look at a policy and at the timeline now and then. */
async function anHour(from: Page, { url }: DemoProcess, policies: number): Promise<BenchResult> {
  const page = await from.context().newPage();
  await recordSession(page, policies);
  await page.clock.install();
  await page.goto(url);
  await page.getByText(`${policies.toLocaleString('en')} policies`, { exact: true }).waitFor();
  await startEvents(page);
  const session = await page.context().newCDPSession(page);
  const uses: BrowserUse[] = [];
  for (let part = 0; part <= partsOfHour; part += 1) {
    for (const { path, seconds } of visits) {
      await goWithin(page, path);
      await playSeconds(page, seconds);
    }
    uses.push(await restingUse(page, session));
  }
  const [first, last] = [uses[0], uses.at(-1)];
  if (first === undefined || last === undefined) throw new Error('nothing was measured');
  const events = await toldEvents(page);
  await page.close();
  return {
    case: 'hour',
    policies,
    events,
    firstHeapBytes: first.heapBytes,
    lastHeapBytes: last.heapBytes,
    firstNodes: first.nodes,
    lastNodes: last.nodes,
    cpuNanoseconds: (last.cpuSeconds - first.cpuSeconds) * 1e9,
  };
}

/** All of it, also what is loaded when it is needed, as browsers are sent it. */
async function scriptBytes(): Promise<number> {
  const names = (await readdir(join(built, 'assets'))).filter((name) => name.endsWith('.js.br'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(built, 'assets', name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

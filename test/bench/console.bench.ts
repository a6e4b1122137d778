import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { browserPath } from '../console/support/browser-path.ts';
import { type DemoProcess, startDemoProcess } from '../console/support/demo-process.ts';
import { serveSyntheticFleet } from '../console/support/synthetic-fleet.ts';
import type { Bench, BenchResult } from './bench.ts';

const built = join(import.meta.dirname, '../../dist/console');
const viewport = { width: 1280, height: 800 };
const defaultPolicies = 10_000;

/** Frames are counted over this long. */
const scrollMilliseconds = 3_000;

/** What a person waits for, and what a browser does: the demo's first view, and a table of 10,000 rows. */
export const consoleBench: Bench = {
  description:
    'the console in Chromium: first view of the demo, frames and long tasks while rows scroll (--policies 10000)',
  async *run({ policies = String(defaultPolicies) }) {
    const executablePath = browserPath;
    if (executablePath === undefined) throw new Error('no chromium is installed: apt-get install chromium');
    const demo = await startDemoProcess();
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const page = await signIn(browser, demo);
      yield await firstView(page, demo);
      yield await scrolling(page, Number(policies));
      yield { case: 'script', builtBytes: await scriptBytes() };
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

/** From the address to the rows, with nothing in the browser's cache. */
async function firstView(page: Page, { url }: DemoProcess): Promise<BenchResult> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await page.goto(url, { waitUntil: 'commit' });
  await page.getByRole('row').nth(1).waitFor();
  const measured = await page.evaluate<{
    readonly rows: number;
    readonly paint: number;
    readonly bytes: number;
  }>(
    `({
      rows: performance.now(),
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      bytes: performance.getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    })`,
  );
  return {
    case: 'first view',
    rowsNanoseconds: measured.rows * 1e6,
    paintNanoseconds: measured.paint * 1e6,
    scriptBytes: measured.bytes,
  };
}

async function scrolling(page: Page, policies: number): Promise<BenchResult> {
  await serveSyntheticFleet(page, policies);
  await page.reload();
  await page.getByText(`${policies} policies`, { exact: true }).waitFor();
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
  return {
    case: 'scroll',
    policies,
    framesPerSecond: (measured.frames * 1_000) / scrollMilliseconds,
    longTasks: measured.longTasks,
    longestNanoseconds: measured.longest * 1e6,
  };
}

/** All of it, also what is loaded when it is needed, as browsers are sent it. */
async function scriptBytes(): Promise<number> {
  const names = (await readdir(join(built, 'assets'))).filter((name) => name.endsWith('.js.br'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(built, 'assets', name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

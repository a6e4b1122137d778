import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { type AnotherController, startAnotherController } from './another-controller.ts';
import { browserPath } from './browser-path.ts';
import { type DemoProcess, startDemoProcess } from './demo-process.ts';

const root = join(import.meta.dirname, '../../..');

/** Build output; `docs/console/` has those that the documentation shows. */
const screenshotFolder = join(root, 'dist/console-screenshots');

/** The three that are designed for: a telephone, a laptop, a wall screen. */
export const sizes = {
  narrow: { width: 360, height: 740 },
  usual: { width: 1280, height: 800 },
  wide: { width: 2560, height: 1440 },
} as const;

/** Far above what a slow machine needs for any one state: what does not come by then does not come. */
const stateMilliseconds = 60_000;

/** The console of a running demo, and a browser to look at it with. */
export interface AConsole {
  readonly demo: DemoProcess;
  /** A controller beside it, started when it is first asked for. */
  readonly another: () => Promise<AnotherController>;
  /** A page that is signed in, at a path of the console; whatever the browser complains of fails the test. */
  readonly open: (path: string, options?: OpenOptions) => Promise<Page>;
  /**
   * Looks at the page for accessibility, at every size in light, and at the two smaller ones in dark, and for what makes it
   * scroll sideways; and keeps pictures of it, or of a part, under the name.
   */
  readonly show: (page: Page, name: string, part?: Locator) => Promise<void>;
  /** What the test itself brings about, and the browser complains of, is no failure of this test. */
  readonly forgive: (complaint: RegExp) => void;
  /** Throws what browsers have complained of since it was last called. */
  readonly assertNoComplaints: () => void;
  readonly closePages: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface OpenOptions {
  readonly size?: keyof typeof sizes;
  readonly colorScheme?: 'light' | 'dark';
  /** Not signed in. */
  readonly isStranger?: boolean;
  /** Motion is left out, as the system asks for, unless this is true. */
  readonly hasMotion?: boolean;
  /** A finger in the place of a mouse. */
  readonly hasTouch?: boolean;
  /** Of the browser; UTC unless it is given. */
  readonly timeZone?: string;
  /** Another controller than the demo, where one is signed in with the token; without one, a stranger. */
  readonly at?: { readonly url: string; readonly token?: string };
}

/** Starts the demo and the browser: once for all specs of a file. */
export async function aConsole(): Promise<AConsole> {
  if (browserPath === undefined) throw new Error('no chromium is installed: apt-get install chromium');
  const [demo, browser] = await Promise.all([startDemoProcess(), launch(browserPath)]);
  const complaints: string[] = [];
  const forgiven: RegExp[] = [];
  const contexts: BrowserContext[] = [];
  const sessionState = await signedInState(browser, demo);
  const open = async (path: string, options: OpenOptions = {}): Promise<Page> => {
    const { at, isStranger = at !== undefined && at.token === undefined } = options;
    const context = await browser.newContext({
      ...looksOf(options),
      ...(isStranger || at !== undefined ? {} : { storageState: sessionState }),
    });
    contexts.push(context);
    context.setDefaultTimeout(stateMilliseconds);
    const page = await context.newPage();
    noteComplaints(page, complaints, isStranger);
    await slowDown(page);
    if (at?.token !== undefined) await beginSession(context, at.url, at.token);
    await page.goto(`${at?.url ?? demo.url}${path}`);
    return page;
  };
  Object.assign(globalThis, { shownByPages: () => shownBy(contexts) });
  let another: Promise<AnotherController> | undefined;
  const closePages = async (): Promise<void> => {
    await Promise.all(contexts.splice(0).map(closeContext));
  };
  return {
    demo,
    another: () => (another ??= startAnotherController()),
    open,
    show: showIn,
    forgive: (complaint) => void forgiven.push(complaint),
    assertNoComplaints: () => {
      const pardons = forgiven.splice(0);
      const found = complaints.splice(0).filter((text) => !pardons.some((pardon) => pardon.test(text)));
      if (found.length > 0) throw new Error(`the browser complains:\n${found.join('\n')}`);
    },
    closePages,
    close: async () => {
      await closePages();
      await browser.close();
      await (await another?.catch(() => undefined))?.stop();
      await demo.stop();
    },
  };
}

/** The address and the accessibility tree of every page, for `TellingEnvironment`. */
async function shownBy(contexts: readonly BrowserContext[]): Promise<string> {
  const pages = contexts.flatMap((context) => context.pages());
  const texts = pages.map(
    async (page) => `${page.url()}\n${await page.locator('body').ariaSnapshot({ timeout: 5_000 })}`,
  );
  return (await Promise.all(texts)).join('\n\n');
}

/** An answer that is being changed for a page as it is closed is nobody's failure. */
async function closeContext(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
  await context.close();
}

function looksOf({
  size = 'usual',
  colorScheme = 'light',
  timeZone = 'UTC',
  hasMotion = false,
  hasTouch = false,
}: OpenOptions): BrowserContextOptions {
  const reducedMotion = hasMotion ? 'no-preference' : 'reduce';
  return { viewport: sizes[size], colorScheme, timezoneId: timeZone, reducedMotion, hasTouch };
}

/** As the sign-in page does it. */
async function beginSession(context: BrowserContext, url: string, token: string): Promise<void> {
  const answer = await context.request.post(`${url}/auth/session`, {
    data: { token },
    headers: { origin: url },
  });
  if (!answer.ok()) throw new Error(`the session was refused: ${answer.status()}`);
}

/** `TEST_SLOWDOWN=6` runs the page's scripts at a sixth of the speed: races show themselves then. */
async function slowDown(page: Page): Promise<void> {
  const rate = Number(process.env['TEST_SLOWDOWN'] ?? 1);
  if (rate === 1) return;
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}

/** Chromium's own sandbox wants rights that a container has not. */
function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

/** Signs in as a person does: by the link that the demo prints. */
async function signedInState(
  browser: Browser,
  { signInUrl }: DemoProcess,
): Promise<Awaited<ReturnType<BrowserContext['storageState']>>> {
  const context = await browser.newContext();
  context.setDefaultTimeout(stateMilliseconds);
  const page = await context.newPage();
  await page.goto(signInUrl);
  await page.getByRole('navigation').waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Errors of the console, among them violations of the Content-Security-Policy, and errors that nothing caught. */
function noteComplaints(page: Page, complaints: string[], isStranger: boolean): void {
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    // Being asked who one is, and not being anyone, is no complaint of the page's.
    if (isStranger && message.text().includes('401')) return;
    complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`));
}

/** An element, as far as a picture needs it. */
interface Scrollable {
  scrollIntoView(): void;
}

/** A page is looked at from its top, a part of it from its own. */
async function scrollTo(page: Page, part: Locator | undefined): Promise<void> {
  if (part === undefined) await page.evaluate(`document.querySelector('main')?.scrollTo(0, 0)`);
  else await part.evaluate((element: Scrollable) => element.scrollIntoView());
}

async function showIn(page: Page, name: string, part?: Locator): Promise<void> {
  await mkdir(screenshotFolder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport);
      await scrollTo(page, part);
      await page.screenshot({ path: join(screenshotFolder, `${name}.${size}.${colorScheme}.png`) });
      const what = `${name}, ${size}, ${colorScheme}`;
      await assertNotWide(page, what);
      await assertFiguresWhole(page, what);
      // A wall screen has the colours that a laptop has.
      if (colorScheme === 'light' || size !== 'wide') await assertAccessible(page, what);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(sizes.usual);
}

/** The parts of the page that scroll sideways, and may not. */
export function wideParts(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(
    `['html', 'main'].filter((name) => {
      const element = document.querySelector(name);
      return element !== null && element.scrollWidth > element.clientWidth;
    })`,
  );
}

/** What is wider than the page is cut, or scrolls sideways; what scrolls by itself, such as a table, may be. */
async function assertNotWide(page: Page, what: string): Promise<void> {
  const wide = await wideParts(page);
  if (wide.length > 0) throw new Error(`${what} scrolls sideways: ${wide.join(', ')}`);
}

/** Long words may break wherever a line ends, and a count never: "10" in two lines is read as two counts. */
async function assertFiguresWhole(page: Page, what: string): Promise<void> {
  const broken = await page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('main *')].flatMap((element) =>
      [...element.childNodes].flatMap((node) => {
        if (node.nodeType !== 3 || !/^[\\d.,]{2,9}$/.test(node.data)) return [];
        const range = document.createRange();
        range.selectNodeContents(node);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        return lines.size > 1 ? [node.data + ' in ' + element.parentElement.outerHTML.slice(0, 200)] : [];
      }))`,
  );
  if (broken.length > 0) throw new Error(`${what} breaks figures: ${broken.join(', ')}`);
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** The tabs of GraphiQL have a button in each, which is its own markup. */
function isForeign(rule: string, html: string): boolean {
  return rule === 'nested-interactive' && html.includes('class="graphiql-tab ');
}

/** WCAG 2.2 AA, as far as a program can see it. */
async function assertAccessible(page: Page, what: string): Promise<void> {
  // By the debugger: a script element of the page's own is what its Content-Security-Policy refuses.
  const source = join(root, 'node_modules/axe-core/axe.min.js');
  if (!(await page.evaluate<boolean>("'axe' in globalThis")))
    await page.evaluate(await readFile(source, 'utf8'));
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'] })`,
  );
  const ours = violations.filter(({ id, nodes }) => !nodes.every(({ html }) => isForeign(id, html)));
  if (ours.length === 0) return;
  const lines = ours.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ html }) => `    ${html.slice(0, 200)}`).join('\n')}`,
  );
  throw new Error(`${what} is not accessible:\n${lines.join('\n')}`);
}

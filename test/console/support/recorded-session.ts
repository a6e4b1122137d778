// A session at a large fleet, played to the console in the page itself: its socket and its fleet are stand-ins, so that an
// hour of events takes a minute or two, and all that is measured is the console's.
import type { CDPSession, Page } from 'playwright-core';
import { syntheticFleetPage, syntheticPageSize } from './synthetic-fleet.ts';

/** Of the whole fleet, told over the subscriptions that a page has. */
export const eventsPerSecond = 200;

const eventsAtOnce = 20;

/** What a browser has used, with its garbage collected. */
export interface BrowserUse {
  readonly heapBytes: number;
  readonly nodes: number;
  /** Of its main thread, since the page was opened. */
  readonly cpuSeconds: number;
}

/** Installs the stand-ins, before the page is opened. */
export async function recordSession(page: Page, policies: number): Promise<void> {
  const fleet = [true, false].map((withHistory) =>
    Array.from({ length: Math.ceil(policies / syntheticPageSize) }, (_, index) =>
      JSON.stringify({ data: syntheticFleetPage(policies, index * syntheticPageSize, withHistory) }),
    ),
  );
  await page.addInitScript(
    `(${standIns.toString()})(${JSON.stringify({ fleet, policies, syntheticPageSize })})`,
  );
}

/** Events come from now on, by the timers of the page. */
export async function startEvents(page: Page): Promise<void> {
  const interval = (1_000 * eventsAtOnce) / eventsPerSecond;
  await page.evaluate(`void setInterval(() => globalThis.tellEvents(${eventsAtOnce}), ${interval})`);
}

/** How many events were told to a subscription of the page. */
export async function toldEvents(page: Page): Promise<number> {
  return page.evaluate<number>('globalThis.toldEvents');
}

/** Lets the clock of the page, which the caller has installed, go on second by second, with all that is due meanwhile. */
export async function playSeconds(page: Page, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await page.clock.runFor(1_000);
    if (second % 10 === 9) await page.evaluate(scrollOn);
  }
}

const scrollOn = `{
  const table = document.querySelector('.table');
  if (table !== null) table.scrollTop = (table.scrollTop + 7_777) % Math.max(1, table.scrollHeight);
}`;

/** Goes to a page of the console, as a link in it does. */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}

/** What the page uses now. */
async function useOf(session: CDPSession): Promise<BrowserUse> {
  await session.send('Performance.enable');
  // Weak references and finalizers give up more each time.
  for (let time = 0; time < 3; time += 1) await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const metric = (name: string): number => metrics.find((each) => each.name === name)?.value ?? 0;
  return {
    heapBytes: metric('JSHeapUsedSize'),
    nodes: metric('Nodes'),
    cpuSeconds: metric('TaskDuration'),
  };
}

/** Moments of {@link restingUse}, and how far apart: together more than from one reading of the fleet to the next. */
const restingMoments = 6;
const secondsBetween = 2;

/** The least of several moments: while the fleet is read anew, the rows that were read and those shown are there at once. */
export async function restingUse(page: Page, session: CDPSession): Promise<BrowserUse> {
  const uses: BrowserUse[] = [];
  for (let moment = 0; moment < restingMoments; moment += 1) {
    await playSeconds(page, secondsBetween);
    uses.push(await useOf(session));
  }
  return uses.reduce((least, use) => (use.heapBytes < least.heapBytes ? use : least));
}

interface Recorded {
  /** With histories, and without: the text of each page of the fleet. */
  readonly fleet: readonly (readonly string[])[];
  readonly policies: number;
  readonly syntheticPageSize: number;
}

/** Runs in the page: answers its questions for the fleet, and is its socket. */
function standIns({ fleet, policies, syntheticPageSize: pageSize }: Recorded): void {
  const [whole = [], short = []] = fleet;
  const names = short.flatMap((text) =>
    (JSON.parse(text) as FleetText).data.policies.edges.map(({ node }) => node),
  );
  const scope = globalThis as unknown as Scope;
  const fetchReally = scope.fetch;
  scope.toldEvents = 0;
  scope.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as Asked) : undefined;
    const headers = { 'content-type': 'application/json', date: new Date().toUTCString() };
    if (body?.operationName === 'FleetPage') {
      const texts = body.variables.withHistory === true ? whole : short;
      return new Response(texts[Number(body.variables.after ?? 0) / pageSize], { headers });
    }
    // The page's clock is ahead of the server's, whose time would be told to be wrong.
    const answer = await fetchReally(input, init);
    const [type, status] = [answer.headers.get('content-type') ?? '', answer.status];
    return new Response(status === 204 ? null : answer.body, {
      status,
      headers: { ...headers, 'content-type': type },
    });
  };
  const sockets = new Set<StandInSocket>();
  class StandInSocket {
    static readonly OPEN = 1;
    readonly protocol = 'graphql-transport-ws';
    readonly queries = new Map<string, string>();
    readyState = 0;
    onopen?: () => void;
    onmessage?: (event: { readonly data: string }) => void;
    onclose?: (event: object) => void;

    constructor() {
      sockets.add(this);
      queueMicrotask(() => {
        this.readyState = StandInSocket.OPEN;
        this.onopen?.();
      });
    }

    send(text: string): void {
      const { type, id = '', payload } = JSON.parse(text) as Sent;
      if (type === 'connection_init') queueMicrotask(() => this.tell({ type: 'connection_ack' }));
      if (type === 'ping') queueMicrotask(() => this.tell({ type: 'pong' }));
      if (type === 'subscribe') this.queries.set(id, payload?.query ?? '');
      if (type === 'complete') this.queries.delete(id);
    }

    close(code: number, reason: string): void {
      this.readyState = 3;
      sockets.delete(this);
      this.onclose?.({ code, reason, wasClean: true });
    }

    tell(message: object): void {
      this.onmessage?.({ data: JSON.stringify(message) });
    }
  }
  scope.WebSocket = StandInSocket;
  let sequence = 0;
  scope.tellEvents = (count) => {
    const subscriptions = [...sockets].flatMap((socket) =>
      [...socket.queries].map(([id, query]) => ({ socket, id, query })),
    );
    for (let told = 0; told < count; told += 1) {
      sequence += 1;
      const subscription = subscriptions[sequence % subscriptions.length];
      const policy = names[(sequence * 7_919) % policies];
      if (subscription === undefined || policy === undefined) return;
      const { socket, id, query } = subscription;
      const event = {
        id: `event-${sequence}`,
        time: new Date().toISOString(),
        to: 2 + (sequence % 18),
        policy: { namespace: policy.namespace, name: policy.name },
      };
      const [, field = ''] = /\{\s*(\w+)/.exec(query) ?? [];
      socket.tell({ id, type: 'next', payload: { data: { [field]: event } } });
      scope.toldEvents += 1;
    }
  };
}

interface Scope {
  fetch: (input: string, init?: { readonly body?: unknown }) => Promise<Response>;
  WebSocket: unknown;
  toldEvents: number;
  tellEvents: (count: number) => void;
}

interface FleetText {
  readonly data: {
    readonly policies: {
      readonly edges: readonly { readonly node: { readonly namespace: string; readonly name: string } }[];
    };
  };
}

interface Asked {
  readonly operationName?: string;
  readonly variables: { readonly after?: string | null; readonly withHistory?: boolean };
}

interface Sent {
  readonly type: string;
  readonly id?: string;
  readonly payload?: { readonly query?: string };
}

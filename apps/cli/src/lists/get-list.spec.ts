import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parse as parseYaml } from 'yaml';
import type { ListOptions } from '../asking/list-options.ts';
import type { Terminal } from '../run-command.ts';
import type { ApiRequest } from '../server/api-client.ts';
import { loadAll } from '../server/load-items.ts';
import { aTerminal } from '../testing/run-cli.fixture.ts';
import { getList } from './get-list.ts';

const policies = [
  { namespace: 'shop', name: 'cart', replicas: 4 },
  { namespace: 'shop', name: 'search', replicas: null },
  { namespace: 'shop', name: 'checkout', replicas: 12 },
].map(({ replicas, ...names }) => ({
  ...names,
  inForce: { minReplicas: 1, maxReplicas: 20, pin: replicas === 12 ? 12 : null },
  actuation: 'Scale',
  states: replicas === 12 ? ['Short'] : [],
  status: { replicas, reason: 'Ok' },
  origin: { commit: { hash: '0123456789abcdef' } },
}));

it('reads a list to its end where all of it is needed, however long it is', async () => {
  const count = 10_050;
  const ask = <A>({ query = {} }: ApiRequest): Promise<A> => {
    const start = Number(query['after'] ?? 0);
    const end = Math.min(start + Number(query['first']), count);
    const items = Array.from({ length: end - start }, (_, at) => start + at);
    return Promise.resolve({ items, next: end < count ? String(end) : null } as A);
  };
  expect(await loadAll(ask, '/leaving-policies')).toHaveLength(count);
});

describe('a list', () => {
  let server: Server;
  let items: readonly object[];
  let degraded: readonly object[];
  /** What holds are of; null: the items. */
  let sources: readonly object[] | null;
  let asked: string[];
  let written: { output: string; messages: string };

  beforeEach(async () => {
    [items, degraded, sources] = [policies, [], null];
    [asked, written] = [[], { output: '', messages: '' }];
    server = createServer(({ url = '' }, response) => {
      response.setHeader('content-type', 'application/json');
      if (url.endsWith('/degraded')) {
        response.end(JSON.stringify({ items: degraded, next: null }));
        return;
      }
      if (sources !== null && url.includes('/sources?')) {
        response.end(JSON.stringify({ items: sources, next: null }));
        return;
      }
      asked.push(url);
      const query = new URL(url, 'http://localhost').searchParams;
      const [start, first] = [Number(query.get('after') ?? 0), Number(query.get('first'))];
      // Two at most, so that a list has more than one page.
      const end = start + Math.min(first, 2);
      const next = end < items.length ? String(end) : null;
      response.end(JSON.stringify({ items: items.slice(start, end), next }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  const get = async (name: string, options: ListOptions = {}, screen: Partial<Terminal> = {}) => {
    const [output, messages] = [new PassThrough(), new PassThrough()];
    output.on('data', (chunk: Buffer) => (written.output += chunk.toString()));
    messages.on('data', (chunk: Buffer) => (written.messages += chunk.toString()));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/behind/a/proxy/`;
    const environment = { PLIMSOLL_SERVER: url, PLIMSOLL_TOKEN: 'x' };
    return getList(name, options, { ...aTerminal(), output, messages, environment, ...screen });
  };
  const listed = () => [...written.output.matchAll(/^shop\/(\w+)/gm)].map(([, name]) => name);

  it('is asked for with what narrows it, page by page', async () => {
    expect(await get('policies', { namespace: ['shop', 'books'], state: ['Short'] })).toBe(0);
    const path = '/behind/a/proxy/api/v1/policies?namespace=shop&namespace=books&state=Short';
    expect(asked).toEqual([`${path}&first=100`, `${path}&first=100&after=2`]);
    expect(listed()).toEqual(['cart', 'search', 'checkout']);
    expect(written.output).toMatch(/^POLICY +REPLICAS +BOUNDS +ACTUATION +STATUS +STATES +COMMIT\n/);
  });

  it.each<{ readonly list: string; readonly options: ListOptions; readonly path: string }>([
    {
      list: 'decisions',
      options: { policy: 'shop/cart', action: 'Hold' },
      path: 'policies/shop/cart/decisions?action=Hold&first=50',
    },
    {
      list: 'audit-entries',
      options: { policy: 'shop/cart' },
      path: 'audit-entries?policy=shop%2Fcart&first=50',
    },
  ])('of $list is asked for once with what its path says: $path', async ({ list, options, path }) => {
    items = [];
    await get(list, options);
    expect(asked[0]).toBe(`/behind/a/proxy/api/v1/${path}`);
  });

  it('of policies says in one line that the cluster is not reached, since when and why', async () => {
    const since = '2026-11-27T03:00:00.000Z';
    degraded = [
      { what: 'cluster', since, message: 'connect ECONNREFUSED 10.0.0.1:443' },
      { what: 'reports', since, message: null },
    ];
    items = [];
    expect(await get('policies')).toBe(0);
    expect(written).toEqual({
      output: 'no policies\n',
      messages: `plimsoll: the controller has not reached its cluster since ${since}: connect ECONNREFUSED 10.0.0.1:443\n`,
    });
  });

  it.each<{ name: string; options: ListOptions; want: readonly string[]; pages: number }>([
    { name: 'a limit', options: { limit: '1' }, want: ['cart'], pages: 1 },
    { name: 'an order', options: { sort: 'policy' }, want: ['cart', 'checkout', 'search'], pages: 2 },
    { name: 'numbers', options: { sort: 'replicas' }, want: ['cart', 'checkout', 'search'], pages: 2 },
    {
      name: 'the highest first, and what has no value last',
      options: { sort: 'Replicas', reverse: true },
      want: ['checkout', 'cart', 'search'],
      pages: 2,
    },
    {
      name: 'a limit of what is ordered',
      options: { sort: 'replicas', reverse: true, limit: '1' },
      want: ['checkout'],
      pages: 2,
    },
  ])('is printed with $name', async ({ options, want, pages }) => {
    await get('policies', options);
    expect(listed()).toEqual(want);
    expect(asked).toHaveLength(pages);
  });

  it('says where it ends before all is listed, but to who asked for so many', async () => {
    const event = { policy: { namespace: 'shop', name: 'cart' }, from: 1, to: 2, origin: 'Plimsoll' };
    items = Array.from({ length: 51 }, () => ({ ...event, manager: null, commit: null, reason: 'x' }));
    await get('scaling-events', { limit: '50' });
    expect(written.messages).toBe('');
    await get('scaling-events');
    expect(written.messages).toBe(
      'plimsoll: there are more than these 50 scaling-events; --limit shows more\n',
    );
  });

  it.each([
    { name: 'a pipe', isScreen: false, options: {}, want: ['2', '1'] },
    { name: 'a screen', isScreen: true, options: {}, want: ['1', '2'] },
    { name: 'a pipe, in an order of one’s own', isScreen: false, options: { sort: 'to' }, want: ['1', '2'] },
  ])('is watched on $name in one order', async ({ isScreen, options, want }) => {
    const event = { policy: { namespace: 'shop', name: 'cart' }, from: 9, origin: 'Plimsoll', manager: null };
    items = [1, 2].map((to) => ({
      ...event,
      time: `2027-03-0${3 - to}T00:00:00Z`,
      to,
      commit: null,
      reason: 'x',
    }));
    const ending = new AbortController();
    const ended = get(
      'scaling-events',
      { ...options, watch: true },
      { isScreen, whenInterrupted: () => ending.signal },
    );
    while (written.output.split('\n').length < 4) await new Promise((resolve) => setImmediate(resolve));
    ending.abort();
    expect(await ended).toBe(0);
    expect([...written.output.matchAll(/shop\/cart +9 +(\d)/g)].map(([, to]) => to)).toEqual(want);
  });

  it('shows by its code what would steer a terminal, or reorder what stands beside it', async () => {
    const reason = 'for \u202ereve\u001b[2J\u009b';
    const standing = {
      id: 'one',
      kind: 'Suspend',
      direction: 'Up',
      expires: 'tonight',
      scope: { kind: 'Cluster' },
      against: [],
    };
    items = [
      { ...standing, actor: 'olga \u200f', reason },
      { ...standing, actor: 'ben', reason: 'a\n\nrelease\u001b[8m' },
    ];
    await get('interventions');
    expect(written.output.split('\n').slice(1)).toEqual([
      String.raw`one  Suspend  up    cluster  olga \u200f  tonight  for \u202ereve\u001b[2J\u009b  -`,
      String.raw`one  Suspend  up    cluster  ben          tonight  a release\u001b[8m             -`,
      '',
    ]);
    written.output = '';
    await get('interventions', { output: 'json' });
    expect(written.output).toContain(String.raw`"for \u202ereve\u001b[2J\u009b"`);
    expect(JSON.parse(written.output)).toEqual(items);
    written.output = '';
    await get('interventions', { output: 'yaml' });
    expect(written.output).toContain(String.raw`reason: "for \u202ereve\e[2J\u009b"`);
    expect(parseYaml(written.output)).toEqual(items);
  });

  it('names the origin of a change once, and beside another one its manager', async () => {
    const event = { time: 'now', policy: { namespace: 'shop', name: 'cart' }, from: 1, to: 2, reason: 'x' };
    items = [
      { ...event, origin: 'Plimsoll', manager: 'plimsoll', commit: null },
      { ...event, origin: 'External', manager: 'kubectl', commit: null },
    ];
    await get('scaling-events');
    expect(written.output).toMatch(/ Plimsoll +- +x\n/);
    expect(written.output).toMatch(/ External \(kubectl\) +- +x\n/);
  });

  it('says of an empty list which of the namespaces has no policies', async () => {
    await get('policies', { namespace: ['shop'] });
    expect(written.messages).toBe('');
    items = [];
    await get('decisions', { namespace: ['shpo', 'shpo'] });
    expect(written).toMatchObject({
      output: expect.stringMatching(/no decisions\n$/),
      messages: 'plimsoll: no policy in force that you may see is in namespace shpo\n',
    });
    expect(asked.at(-1)).toMatch(/policies\?namespace=shpo&first=1$/);
  });

  it('tells a hold that was rejected from one that awaits approval', async () => {
    const hold = { source: 'policies', tenant: null, commit: '0123456789abcdef', since: 'now', causes: [] };
    items = [
      {
        ...hold,
        digest: 'a',
        isRejected: true,
        rejection: { by: 'ann', reason: 'make it a new commit' },
        effect: null,
      },
      { ...hold, digest: 'b', isRejected: false, effect: null },
      {
        ...hold,
        digest: 'c',
        isRejected: false,
        effect: null,
        causes: [{ code: 'RolledBack', message: 'x', items: [] }],
      },
    ];
    await get('holds');
    expect(written.output).toMatch(/^policies +- +c +0123456789ab +now +until resumed/m);
    expect(written.output).toMatch(
      /^policies +- +a +0123456789ab +now +rejected by ann: make it a new commit  /m,
    );
    expect(written.output).toMatch(/^policies +- +b +0123456789ab +now +awaiting approval/m);
  });

  it('of holds does not say that nothing is held where the caller may not see something whole', async () => {
    sources = [
      { name: 'policies', notVisibleHoldCount: 1 },
      { name: 'books', notVisibleHoldCount: 0 },
    ];
    const told =
      'plimsoll: 1 hold that you may not see whole is not listed, of source policies; plimsoll why NAMESPACE/NAME says what it does to a policy\n';
    items = [];
    expect(await get('holds')).toBe(0);
    expect(written).toEqual({ output: 'nothing is held that you may see whole\n', messages: told });

    written = { output: '', messages: '' };
    items = [{ source: 'books', digest: 'a', commit: 'b', since: 'now', causes: [], effect: null }];
    await get('holds', { output: 'json' });
    expect(JSON.parse(written.output)).toMatchObject([{ source: 'books' }]);
    expect(written.messages).toBe(told);
  });

  it.each([
    { name: 'nothing is known of it', effect: null, want: '-' },
    {
      name: 'one policy changes',
      effect: { added: 0, changed: 1, removed: 0, policies: ['shop/cart changed: maxReplicas 20 → 22'] },
      want: 'shop/cart changed: maxReplicas 20 → 22',
    },
    {
      name: 'several policies do',
      effect: { added: 1, changed: 400, removed: 2, policies: ['shop/a added', 'shop/b gone'] },
      want: '1 new, 400 changed, 2 removed: shop/a added; shop/b gone; and 401 more',
    },
    {
      name: 'none does',
      effect: { added: 0, changed: 0, removed: 0, policies: [] },
      want: 'no policy changes',
    },
  ])('says what the approval of a hold would change, where $name', async ({ effect, want }) => {
    const hold = {
      source: 'policies',
      tenant: 'shop',
      digest: 'a',
      commit: '0123456789abcdef',
      since: 'now',
    };
    items = [
      {
        ...hold,
        causes: [{ code: 'BlastRadius', message: 'because', items: [] }],
        isRejected: false,
        effect,
      },
    ];
    await get('holds');
    expect(written.output.split('\n')[1]).toMatch(
      new RegExp(`^policies +shop .*  BlastRadius: because  ${want} +-$`),
    );
  });

  it('says of a hold which counts follow its approval later', async () => {
    const later = ['shop/a: 40 → 10 when the suspension by ann ends, noon', 'shop/b: 9 → 3 when it ends'];
    const hold = { source: 'policies', tenant: null, digest: 'a', commit: '0123456789abcdef', since: 'now' };
    items = [{ ...hold, causes: [], isRejected: false, effect: null, later }];
    await get('holds');
    expect(written.output).toMatch(
      / LATER\n.*  shop\/a: 40 → 10 when the suspension by ann ends, noon; shop\/b: 9/,
    );
  });

  it('names what is released of a source, which resume takes, and counts what of it waits', async () => {
    const source = { ref: 'refs/heads/main', commit: null, pin: null, holds: [], staleSince: null };
    const holds = [{ isRejected: true }, { isRejected: false }];
    const released = [{ policy: 'shop/cart' }, { policy: 'shop/search' }, { policy: 'shop/checkout' }];
    items = [
      { ...source, name: 'one', released: released.slice(0, 1), holds },
      { ...source, name: 'three', released },
      { ...source, name: 'none', released: [], notVisibleHoldCount: 1 },
    ];
    await get('sources');
    expect(written.output.replaceAll(/ +/g, ' ')).toBe(
      'SOURCE REF COMMIT PINNED HOLDS RELEASED STALE SINCE LATEST LATEST COMMIT MESSAGE\n' +
        'one refs/heads/main - - 1 shop/cart - - - -\n' +
        'three refs/heads/main - - 0 shop/cart and 2 more - - - -\n' +
        'none refs/heads/main - - 0, and 1 not visible - - - - -\n',
    );
  });

  it('says why the latest commit of a source is not in force, and nothing to who may not see its looks', async () => {
    const source = { ref: 'main', commit: null, pin: null, holds: [], released: [], staleSince: null };
    const message = '1 error: shop/checkout.yaml:12:3: maxReplicas must be at least minReplicas (12), is 5';
    items = [
      {
        ...source,
        name: 'seen',
        lastSync: { result: 'rejected', message, commit: { hash: 'b'.repeat(40) } },
      },
      { ...source, name: 'unseen', lastSync: null },
    ];
    await get('sources');
    const lines = written.output.replaceAll(/ +/g, ' ');
    expect(lines).toContain(`seen main - - 0 - - rejected ${'b'.repeat(12)} ${message}\n`);
    expect(lines).toContain('unseen main - - 0 - - - - -\n');
  });

  it('asks for times as they are, and for those that are so long ago', async () => {
    const before = Date.now();
    await get('decisions', { from: '90m', until: '2027-01-01T00:00:00+01:00', limit: '1', output: 'json' });
    const query = new URL(asked[0] ?? '', 'http://localhost').searchParams;
    expect(query.get('until')).toBe('2027-01-01T00:00:00+01:00');
    const from = Date.parse(query.get('from') ?? '');
    expect(from).toBeGreaterThanOrEqual(before - 90 * 60_000);
    expect(from).toBeLessThanOrEqual(Date.now() - 90 * 60_000);
    expect(query.get('first')).toBe('1');
    expect(JSON.parse(written.output)).toHaveLength(1);
  });

  it.each<{ list: string; options: ListOptions; want: string }>([
    { list: 'pods', options: {}, want: '"pods" is none of policies, sources' },
    { list: 'constructor', options: {}, want: '"constructor" is none of' },
    {
      list: 'policies',
      options: { actor: 'ann' },
      want: 'policies are not narrowed by --actor; they take --namespace, --state',
    },
    {
      list: 'sources',
      options: { from: '1h' },
      want: 'sources are not narrowed by --from; they take no filter',
    },
    { list: 'audit-entries', options: { policy: 'cart' }, want: '"cart" is no policy: NAMESPACE/NAME' },
    {
      list: 'audit-entries',
      options: { policy: 'Shop/checkout' },
      want: '"Shop/checkout" is no policy: NAMESPACE/NAME in lower case',
    },
    { list: 'policies', options: { limit: '0' }, want: '--limit is "0"; it wants a count, 1 to 10000' },
    { list: 'policies', options: { limit: '99999999999999999999' }, want: 'it wants a count, 1 to 10000' },
    { list: 'policies', options: { limit: '-1' }, want: '--limit is "-1"; it wants a count, 1 to 10000' },
    {
      list: 'policies',
      options: { sort: 'color' },
      want: '--sort is "color"; the columns are policy, replicas',
    },
    { list: 'policies', options: { reverse: true }, want: '--reverse wants --sort beside it' },
    { list: 'decisions', options: { from: 'yesterday' }, want: '--from is "yesterday"; it wants RFC 3339' },
    {
      list: 'decisions',
      options: { until: '2027-01-01' },
      want: '--until is "2027-01-01"; it wants RFC 3339',
    },
    { list: 'decisions', options: { from: '2027-13-01T00:00:00Z' }, want: 'it wants RFC 3339' },
    {
      list: 'scaling-events',
      options: { from: '1m', until: '1h' },
      want: '--from 1m is not before --until 1h: the period is empty',
    },
    {
      list: 'audit-entries',
      options: { from: '1h', until: '1h' },
      want: '--from 1h is not before --until 1h: the period is empty',
    },
    {
      list: 'flapping',
      options: { until: '1d' },
      want: '--from 12h is not before --until 1d: the period is empty',
    },
  ])('$list is asked for with nothing wrong: $want', async ({ list, options, want }) => {
    await expect(async () => get(list, options)).rejects.toThrow(want);
    expect(asked).toEqual([]);
  });
});

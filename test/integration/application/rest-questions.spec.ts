import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { LedgerWriter } from '#ledger';
import { FakeMetrics, FakeNativeAutoscalers, FakeScales } from '#reconciliation/testing';
import type { Principal } from '../../../apps/controller/src/auth/callers/principal.ts';
import { clusterToken } from '../../../apps/controller/src/cluster/cluster.module.ts';
import { administrationWriterToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aDecisionDraft, anEventDraft, appended, timeAfter } from '../../support/ledger-builders.ts';
import { aCluster, type AnApplication, anApplication } from './an-application.ts';
import { askRest, type RestAnswer } from './described-rest.ts';

jest.setTimeout(60_000);

const policyText = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: web, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  interval: 5m
  minReplicas: 2
  maxReplicas: 9
  metrics:
    - type: External
      external: { metric: { name: queue }, target: { type: AverageValue, averageValue: "1" } }
`;

const cart = { namespace: 'shop', name: 'cart' };
const novel = { namespace: 'books', name: 'novel' };
/** Sees nothing of the shop. */
const reader: Principal = { name: 'reader', grants: [{ role: 'viewer', namespaces: ['books'] }] };

/** What answers do not describe in `openapi.json` is an error of `askRest`. */
describe('the questions over REST', () => {
  let application: AnApplication;
  beforeAll(async () => {
    const cluster = aCluster();
    const [metrics, scales, autoscalers] = [new FakeMetrics(), new FakeScales(), new FakeNativeAutoscalers()];
    scales.set({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' }, 8);
    metrics.set(
      { namespace: 'shop', selector: 'app=web' },
      { kind: 'Answers', metrics: [{ values: ['20'] }] },
    );
    for (const [namespace, name] of [
      ['shop', 'old'],
      ['shop', 'older'],
      ['books', 'lost'],
    ] as const) {
      autoscalers.putAs('plimsoll', {
        metadata: { namespace, name, annotations: { 'plimsoll.dev/policy': `${namespace}/${name}` } },
        spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name }, maxReplicas: 3 },
      });
    }
    const health = cluster.kubernetes.health();
    const kubernetes = {
      ...cluster.kubernetes,
      scales,
      autoscalers,
      health: () => ({ ...health, events: { ...health.events, refusedSince: 1 } }),
    };
    application = await anApplication({
      configuration: { namespaces: ['shop', 'books'] },
      callers: [reader],
      override: (testing) =>
        testing.overrideProvider(clusterToken).useValue({
          ...cluster,
          kubernetes,
          metrics: Object.assign(metrics, { ...cluster.metrics, openTick: metrics.openTick.bind(metrics) }),
        }),
    });
    application.repository.commit('Scale the shop', {
      'web.yaml': policyText,
      'zoo.yaml': policyText.replaceAll('web', 'zoo'),
    });
    await application.nest.init();
    const writer = application.nest.get<LedgerWriter>(administrationWriterToken);
    const changes = [cart, novel].flatMap((policy) =>
      [9, 4, 9, 4].map((to, index) =>
        anEventDraft({ policy, from: 13 - to, to, intent: null }, timeAfter(index)),
      ),
    );
    const decisions = [1, 2, 3, 4, 5].map((second) =>
      aDecisionDraft({ policy: cart, time: timeAfter(second) }),
    );
    appended(await writer.append({ drafts: [...changes, ...decisions] }));
    await soon(
      'the decision',
      async () => (await ask('/policies/shop/web/what-if')).status === 200 || undefined,
    );
  });
  afterAll(() => application.close());

  const ask = (path: string): Promise<RestAnswer> => askRest(application, { path, role: 'viewer' });
  const askAsReader = (path: string): Promise<RestAnswer> => {
    const tokens = { ...application.tokens, viewer: application.callerTokens['reader']! };
    return askRest({ url: application.url, tokens }, { path, role: 'viewer' });
  };
  const at = (second: number): string => encodeURIComponent(timeAfter(second));
  const around = `/policies/shop/cart/decisions-around?time=${at(3)}`;

  it.each(['', undefined])(
    'takes an empty body for none, whatever its type is said to be: %p',
    async (body) => {
      const answer = await fetch(`${application.url()}/api/v1/sources/none/sync`, {
        method: 'POST',
        headers: { authorization: `Bearer ${application.tokens.admin}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      });
      expect(await answer.json()).toMatchObject({ code: 'UnknownSource' });
    },
  );

  it('answers what would be decided with other bounds', async () => {
    const { status, body } = await ask('/policies/shop/web/what-if?maxReplicas=12');
    expect([status, body]).toMatchObject([200, { desiredReplicas: 12, recorded: { desiredReplicas: 9 } }]);
  });

  it('answers what was decided around a moment, so many on each side', async () => {
    const times = ({ body }: RestAnswer): unknown =>
      ['before', 'after'].map((side) =>
        (body[side] as readonly { readonly time: string }[]).map(({ time }) => time),
      );
    expect(times(await ask(around))).toEqual([[3, 2, 1].map(timeAfter), [4, 5].map(timeAfter)]);
    expect(times(await ask(`${around}&first=1`))).toEqual([[timeAfter(3)], [timeAfter(4)]]);
  });

  it('lists what was decided without how it came about', async () => {
    const listed = ({ body }: RestAnswer) => body['items'] as readonly Record<string, unknown>[];
    const [decision] = listed(await ask('/policies/shop/cart/decisions?first=1'));
    const { id, time, policy, currentReplicas, desiredReplicas, action, reason } = decision ?? {};
    const [summary] = listed(await ask('/decision-summaries?policy=shop/cart&first=1'));
    expect(summary).toEqual({ id, time, policy, currentReplicas, desiredReplicas, action, reason });
    const timesOf = async (query: string) =>
      listed(await ask(`/decision-summaries?${query}`)).map((item) => item['time']);
    const narrowed = `policy=shop/cart&from=${at(2)}&until=${at(4)}`;
    expect(await timesOf(narrowed)).toEqual([3, 2].map(timeAfter));
    expect(await timesOf(`${narrowed}&namespace=shop&first=1`)).toEqual([timeAfter(3)]);
    for (const without of ['namespace=books', 'action=Hold'])
      expect(await timesOf(`${narrowed}&${without}`)).toEqual([]);
    expect(listed(await askAsReader('/decision-summaries?policy=shop/cart'))).toEqual([]);
  });

  it.each([
    { list: '/policies', filters: ['', 'namespace=shop', 'state=Suspended'] },
    { list: '/decisions', filters: ['', 'namespace=shop', `from=${at(2)}`] },
    { list: '/decision-summaries', filters: ['', 'policy=shop/cart', 'namespace=books'] },
    { list: '/scaling-events', filters: ['', 'namespace=books', 'namespace=shop'] },
    { list: '/audit-entries', filters: ['', 'policy=shop/cart', 'kind=ScalingEvent', 'actor=nobody'] },
    { list: '/orphaned-hpas', filters: [''] },
  ])('goes on behind the same place of $list, whatever the filters are then', async ({ list, filters }) => {
    // Up to a moment, because policies are decided on meanwhile.
    const bound = /decision|event|entries/.test(list) ? `until=${at(60)}&` : '';
    const page = async (query: string) => {
      const { body } = await ask(`${list}?${bound}${query}`);
      const items = body['items'] as readonly Record<string, unknown>[];
      return { ids: items.map(({ id, name }) => id ?? name), next: body['next'] };
    };
    const all = (await page('first=100')).ids;
    for (const filter of filters) {
      const { ids, next } = await page(`first=1&${filter}`);
      if (typeof next !== 'string') continue;
      const behind = new Set(all.slice(all.indexOf(ids[0]) + 1));
      for (const other of filters) {
        const wanted = (await page(`first=100&${other}`)).ids.filter((id) => behind.has(id));
        const found = (await page(`first=100&after=${next}&${other}`)).ids;
        expect({ filter, other, found }).toEqual({ filter, other, found: wanted });
      }
    }
  });

  it.each([
    '/decisions',
    '/decision-summaries',
    '/scaling-events',
    '/audit-entries',
    '/policies/shop/cart/decisions',
    '/policies/shop/cart/scaling-events',
    '/flapping-policies',
  ])('refuses a span that ends before it begins, which an empty answer would pass for: %s', async (path) => {
    for (const until of [at(2), at(4)]) {
      const { status, body } = await ask(`${path}?from=${at(4)}&until=${until}`);
      expect([status, body['code']]).toEqual([400, 'BadTime']);
      const said = `until is "${until}", which is not after from, "${at(4)}"`;
      expect(body['detail']).toBe(decodeURIComponent(said));
    }
  });

  it('says of a time whose + is not encoded how it is', async () => {
    const { status, body } = await ask('/decisions?from=2026-11-22T05:00:00+02:00');
    expect([status, body['detail']]).toEqual([400, expect.stringContaining('+ is written %2B')]);
    expect((await ask('/decisions?from=2026-11-22T05:00:00%2B02:00')).status).toBe(200);
  });

  it('answers which policies flap, with at least so many reversals', async () => {
    const since = `/flapping-policies?from=${at(0)}&until=${at(60)}`;
    const flaps = (policy: object) =>
      expect.objectContaining({ policy, reversals: 3, lowest: 4, highest: 9 });
    const { body } = await ask(since);
    expect(body).toEqual({ isComplete: true, policies: expect.arrayContaining([flaps(cart), flaps(novel)]) });
    expect((await ask(`${since}&reversals=4`)).body).toEqual({ isComplete: true, policies: [] });
  });

  it('answers which HPAs no policy explains, a page at a time', async () => {
    const first = await ask('/orphaned-hpas?first=2');
    expect(first.body['items']).toMatchObject([{ namespace: 'books', name: 'lost' }, { name: 'old' }]);
    const second = await ask(
      `/orphaned-hpas?first=2&after=${encodeURIComponent(String(first.body['next']))}`,
    );
    expect(second.body).toMatchObject({ items: [{ name: 'older', policy: 'shop/older' }], next: null });
  });

  it('names a bound that cannot be by its field', async () => {
    const { body } = await ask('/policies/shop/web/what-if?minReplicas=12');
    expect(body['detail']).toMatch(/^(?:min|max)Replicas /);
  });

  it('answers what does not work', async () => {
    const { body } = await ask('/degraded?first=1');
    expect(body['items']).toEqual([{ what: 'access', since: expect.any(String), message: null }]);
  });

  it.each([
    { path: '/policies/shop/web/what-if?minReplicas=12', status: 422, code: 'BadBounds' },
    { path: '/policies/shop/web/what-if?maxReplicas=-1', status: 400, code: 'BadArgument' },
    { path: '/policies/shop/none/what-if', status: 404, code: 'UnknownPolicy' },
    { path: '/policies/shop/cart/decisions-around', status: 400, code: 'BadArgument' },
    {
      path: '/policies/shop/cart/decisions-around?time=2999-01-01T00%3A00%3A00Z',
      status: 400,
      code: 'BadTime',
    },
    { path: `${around}&first=101`, status: 400, code: 'BadArgument' },
    { path: '/flapping-policies', status: 400, code: 'BadArgument' },
    { path: '/flapping-policies?from=yesterday', status: 400, code: 'BadTime' },
    {
      path: '/flapping-policies?from=2026-01-01T00%3A00%3A00Z&reversals=0',
      status: 400,
      code: 'BadArgument',
    },
    { path: '/orphaned-hpas?after=forged', status: 400, code: 'BadCursor' },
    { path: '/degraded?first=0', status: 400, code: 'BadArgument' },
  ])('refuses $path with $code', async ({ path, status, code }) => {
    const answer = await ask(path);
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.body).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) });
  });

  it('wants a token for each', async () => {
    for (const path of [
      '/policies/shop/web/what-if',
      around,
      '/flapping-policies',
      '/orphaned-hpas',
      '/degraded',
    ])
      expect(await askRest(application, { path, role: null })).toMatchObject({ status: 401 });
  });

  it('hides what is in other namespaces as if it were not there', async () => {
    const hidden = await askAsReader('/policies/shop/web/what-if');
    const absent = await askAsReader('/policies/books/none/what-if');
    expect([hidden.status, hidden.text]).toEqual([404, absent.text.replace('books/none', 'shop/web')]);
    expect((await askAsReader(around)).body).toEqual({ before: [], after: [], run: null });
    const flapping = await askAsReader(`/flapping-policies?from=${at(0)}&until=${at(60)}`);
    expect(flapping.body).toMatchObject({ policies: [{ policy: novel }] });
    expect(flapping.text).not.toContain('shop');
    const orphans = await askAsReader('/orphaned-hpas');
    expect([orphans.body['items'], orphans.body['next']]).toEqual([
      [expect.objectContaining({ name: 'lost' })],
      null,
    ]);
  });
});

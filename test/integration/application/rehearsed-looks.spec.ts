import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type AnApplication, anApplication } from './an-application.ts';
import { askRest, type RestAnswer } from './described-rest.ts';

jest.setTimeout(60_000);

const policyText = (name: string, interval = '15s'): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  maxReplicas: 9
  interval: ${interval}
`;

interface Effect {
  readonly summary: string;
  readonly changes: readonly string[];
  readonly digest: string;
}

describe('a dry run of what a look at a source follows', () => {
  let application: AnApplication;
  beforeAll(async () => {
    application = await anApplication();
    application.repository.commit('Begin', {
      'web.yaml': policyText('web'),
      'cart.yaml': policyText('cart'),
    });
    await application.nest.init();
    await post('/sources/policies/sync');
  });
  afterAll(() => application.close());

  const post = (path: string, body?: object): Promise<RestAnswer> =>
    askRest(application, { method: 'POST', path, ...(body === undefined ? {} : { body }) });
  const rehearsed = async (path: string, body?: object): Promise<Effect> =>
    ((await post(path, body)).body as { readonly effect: Effect }).effect;
  const isInForce = async (name: string): Promise<boolean> =>
    (await askRest(application, { path: `/policies/shop/${name}` })).status === 200;

  it('names of a sync the commit, what it would come to, and what changes', async () => {
    const second = application.repository.commit('Look less often', { 'web.yaml': policyText('web', '30s') });
    const { summary, changes, digest } = await rehearsed('/sources/policies/sync?dryRun=true');
    expect(summary).toContain(`: ${second.slice(0, 12)} Look less often would come to be active: 1 document`);
    expect(changes).toEqual(['shop/web changed: interval 15s → 30s']);
    const stale = await post(`/sources/policies/sync?confirm=${'0'.repeat(64)}`);
    expect(stale.body).toMatchObject({ code: 'StaleConfirmation' });
    const done = await post(`/sources/policies/sync?confirm=${digest}`);
    expect(done.body).toMatchObject({ result: 'active', commit: { hash: second } });
    expect((await rehearsed('/sources/policies/sync?dryRun=true')).summary).toMatch(
      / Look less often changes no policy$/,
    );
  });

  it('says why nothing would come in force', async () => {
    application.repository.commit('Break it', { 'bad.yaml': policyText('bad').replace('9', '0') });
    const { summary, changes } = await rehearsed('/sources/policies/sync?dryRun=true');
    expect(summary).toMatch(/ Break it would come to be rejected: \d errors?: bad\.yaml:\d+:\d+: /);
    expect(changes).toEqual([]);
    application.repository.commit('Mend it', { 'bad.yaml': null });
  });

  it('says of a policy that comes back with which commit it does', async () => {
    const released = { source: 'policies', reason: 'a test' };
    expect((await post('/policies/shop/cart/release', released)).status).toBe(200);
    const { summary, changes } = await rehearsed('/policies/shop/cart/resume?dryRun=true', {
      source: 'policies',
    });
    expect(summary).toMatch(/^shop\/cart comes back .*: \w{12} Mend it would come to be active: /);
    expect(changes).toEqual(['shop/cart new']);
    expect(await isInForce('cart')).toBe(false);
    await post('/policies/shop/cart/resume', released);
    expect(await isInForce('cart')).toBe(true);
  });
});

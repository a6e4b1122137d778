import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type AnApplication, anApplication, codesOf, orRefusal } from './an-application.ts';
import { askRest } from './described-rest.ts';

jest.setTimeout(60_000);

const policyText = (name: string, max = 9): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name} }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  minReplicas: 2
  maxReplicas: ${max}
`;

const tenants = ['shop', 'pay'].map((name) => ({ name, path: name, namespace: name, namespaces: [name] }));

describe('a change that was rejected', () => {
  let application: AnApplication;
  let first: string;

  beforeAll(async () => {
    application = await anApplication({
      callers: [{ name: 'payer', grants: [{ role: 'viewer', namespaces: ['pay'] }] }],
      configuration: (folder: string) => ({
        namespaces: ['shop', 'pay'],
        sources: [
          {
            ...{ name: 'policies', url: `file://${folder}/policies`, interval: '1h' },
            ...{ unknownApprovers: 'Allowed', tenants },
          },
        ],
      }),
    });
    first = application.repository.commit('Scale the shop', {
      'shop/web.yaml': policyText('web'),
      'shop/cart.yaml': policyText('cart'),
      'pay/ledger.yaml': policyText('ledger'),
    });
    await application.nest.init();
    await sync();
  });
  afterAll(() => application.close());

  const ask = async (query: string): Promise<unknown> => {
    const answer = await application.ask(query);
    expect(codesOf(answer)).toEqual([]);
    return answer.body.data;
  };
  const sync = (): Promise<unknown> =>
    ask(`mutation { action: syncNow(source: "policies") { __typename ${orRefusal} } }`);
  const namesIn = async (state: string): Promise<readonly string[]> => {
    const { policies } = (await ask(
      `{ policies(first: 9, states: [${state}]) { edges { node { name } } } }`,
    )) as { readonly policies: { readonly edges: readonly { readonly node: { readonly name: string } }[] } };
    return policies.edges.map(({ node }) => node.name);
  };

  it('by a person waits for nobody: it says who, when and why, in the place of its hold', async () => {
    const emptied = application.repository.commit('Empty the shop', {
      'shop/web.yaml': null,
      'shop/cart.yaml': null,
    });
    await sync();
    expect([await namesIn('Held'), await namesIn('Rejected')]).toEqual([['cart', 'web'], []]);
    const { sources } = (await ask('{ sources { holds { digest } } }')) as {
      readonly sources: readonly { readonly holds: readonly { readonly digest: string }[] }[];
    };
    const digest = sources[0]?.holds[0]?.digest ?? '';
    const reason = 'we still sell';
    await ask(
      `mutation { action: rejectHold(source: "policies", digest: "${digest}", reason: "${reason}") { __typename ${orRefusal} } }`,
    );

    expect([await namesIn('Held'), await namesIn('Rejected')]).toEqual([[], ['cart', 'web']]);
    const rejection = { by: 'the-admin', reason, time: expect.any(String) };
    expect(
      await ask(`{
        fleet { holds }
        policy(namespace: "shop", name: "web") { holds { commit isRejected rejection { by reason time } } }
        sources { lastSync { message } }
      }`),
    ).toEqual({
      fleet: { holds: 0 },
      policy: { holds: [{ commit: emptied, isRejected: true, rejection }] },
      sources: [
        { lastSync: { message: expect.stringMatching(`; rejected by the-admin \\(${reason}\\): 2 gone$`) } },
      ],
    });
    const { body } = await askRest(application, { path: '/policies/shop/web' });
    expect(body).toMatchObject({
      states: expect.arrayContaining(['Rejected']),
      holds: [{ commit: emptied, rejection }],
    });
  });

  it('by errors of its tenant says which commit is not in force, and why, to those who may view the source', async () => {
    const broken = application.repository.commit('Break the books', {
      'shop/web.yaml': policyText('web'),
      'shop/cart.yaml': policyText('cart'),
      'pay/ledger.yaml': policyText('ledger', 0),
    });
    await sync();
    expect(await namesIn('Rejected')).toEqual(['ledger']);
    const asked =
      '{ policy(namespace: "pay", name: "ledger") { states rejectedCommit { commit tenant message notVisible } } }';
    const message = expect.stringMatching(/^\d errors?: pay\/ledger\.yaml:\d+:\d+: /);
    expect(await ask(asked)).toEqual({
      policy: {
        states: expect.arrayContaining(['Rejected']),
        rejectedCommit: { commit: broken, tenant: 'pay', message, notVisible: null },
      },
    });
    const notVisible = 'needs viewer of all namespaces of source policies';
    const narrow = await application.askAs('payer', asked);
    expect(narrow.body.data).toMatchObject({
      policy: { rejectedCommit: { commit: broken, tenant: 'pay', message: null, notVisible } },
    });
    const { body } = await askRest(application, { path: '/policies/pay/ledger' });
    expect(body).toMatchObject({ rejectedCommit: { commit: broken, tenant: 'pay', message } });

    application.repository.commit('Mend the books', { 'pay/ledger.yaml': policyText('ledger', 8) });
    await sync();
    expect(await namesIn('Rejected')).toEqual([]);
  });

  it('with all of its source is told of a policy to who may not view all of that, and nothing of the others', async () => {
    const newer = application.repository.commit('Shrink the shop and the books', {
      'shop/web.yaml': policyText('web', 7),
      'pay/ledger.yaml': policyText('ledger', 7),
    });
    await sync();
    await ask(
      `mutation { action: rollBackSource(source: "policies", commit: "${first}", reason: "it is slow") { __typename ${orRefusal} } }`,
    );
    await sync();
    const asked =
      '{ policy(namespace: "pay", name: "ledger") { states holds { commit } notVisibleHolds { source commit since isRejected change message } } }';
    expect(await ask(asked)).toEqual({
      policy: { states: expect.arrayContaining(['Held']), holds: [{ commit: newer }], notVisibleHolds: [] },
    });
    const notVisibleHolds = [
      {
        ...{ source: 'policies', commit: newer, since: expect.any(String), isRejected: false },
        change: 'changed: maxReplicas 9 → 7',
        message: 'needs viewer of all namespaces of source policies',
      },
    ];
    const narrow = await application.askAs('payer', asked);
    expect(narrow.body.data).toEqual({
      policy: { states: expect.arrayContaining(['Held']), holds: [], notVisibleHolds },
    });
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const made = await application.askAs(
      'payer',
      `mutation { createToken(name: "rest", grants: [{role: viewer, namespaces: ["pay"]}], expires: "${expires}", reason: "a test") { ... on CreatedToken { secret } } }`,
    );
    const { secret } = (made.body.data as { readonly createToken: { readonly secret: string } }).createToken;
    const headers = { authorization: `Bearer ${secret}` };
    const { body } = await askRest(application, { path: '/policies/pay/ledger', role: null, headers });
    expect(body).toMatchObject({ states: expect.arrayContaining(['Held']), holds: [], notVisibleHolds });
    const { body: sources } = await askRest(application, { path: '/sources', role: null, headers });
    expect(sources).toMatchObject({ items: [{ name: 'policies', holds: [], notVisibleHoldCount: 1 }] });
    const counted = await application.askAs(
      'payer',
      '{ sources { name holds { digest } notVisibleHoldCount } }',
    );
    expect(counted.body.data).toEqual({
      sources: [{ name: 'policies', holds: [], notVisibleHoldCount: 1 }],
    });
    expect(JSON.stringify([narrow.body, body, sources, counted.body])).not.toContain('shop/');
  });
});

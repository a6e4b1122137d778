import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LedgerPort } from '#ledger';
import { FakeMetrics, FakeScales } from '#reconciliation/testing';
import type { Role } from '../../../apps/controller/src/auth/principal.ts';
import { clusterToken } from '../../../apps/controller/src/cluster/cluster.module.ts';
import { ledgerToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aCluster, type AnApplication, anApplication, codesOf, orRefusal } from './an-application.ts';

jest.setTimeout(60_000);

const documents = {
  'web.yaml': `apiVersion: plimsoll.dev/v1alpha1
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
`,
  'guardrail.yaml': `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyGuardrail
metadata: { name: bounds }
spec:
  rules:
    - { name: at-most-twenty, expression: object.spec.maxReplicas <= 20, message: more than 20 is too much }
`,
};

const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe('interventions', () => {
  const scales = new FakeScales();
  let application: AnApplication;
  let earlier = 0;
  beforeAll(async () => {
    const cluster = aCluster();
    const metrics = new FakeMetrics();
    scales.set(target, 8);
    metrics.set(
      { namespace: 'shop', selector: 'app=web' },
      { kind: 'Answers', metrics: [{ values: ['8'] }] },
    );
    application = await anApplication({
      override: (testing) =>
        testing.overrideProvider(clusterToken).useValue({
          ...cluster,
          metrics: Object.assign(metrics, { ...cluster.metrics, openTick: metrics.openTick.bind(metrics) }),
          kubernetes: { ...cluster.kubernetes, scales },
        }),
    });
    application.repository.commit('Scale the shop', documents);
    await application.nest.init();
    await soon('the first pass', async () => {
      const { body } = await application.ask('{ policies { edges { node { status { reason } } } } }');
      return JSON.stringify(body).includes('"reason":"Unchanged"') || undefined;
    });
  });
  afterAll(() => application.close());
  beforeEach(async () => {
    earlier = 0;
    earlier = (await actions()).length;
  });

  /** Those of the test. */
  const actions = async (): Promise<readonly object[]> => {
    const ledger = application.nest.get<LedgerPort>(ledgerToken);
    const { items } = await ledger.entries({ kinds: ['OperatorAction'], order: 'OldestFirst', limit: 100 });
    return items.slice(earlier).map(({ entry }) => entry.payload);
  };
  const ask = async (query: string, role: Role = 'operator') => {
    const answer = await application.ask(query, role);
    return codesOf(answer)[0] ?? (answer.body.data as Record<string, unknown>);
  };
  const override = (counts: string, expires = inAnHour()): string =>
    `mutation { overrideReplicas(namespace: "shop", name: "web", ${counts}, expires: "${expires}", reason: "a test") { ... on Intervention { id } ${orRefusal} } }`;
  const suspend = (scope: string, expires = inAnHour()): string =>
    `mutation { suspendScaling(${scope}, direction: Down, expires: "${expires}", reason: "a test") { ... on Intervention { id } ${orRefusal} } }`;

  it('pins the count at once, and lists and ends what stands, with an entry of each', async () => {
    const expires = inAnHour();
    const begun = (await ask(override('replicas: 6', expires))) as {
      readonly overrideReplicas: { readonly id: string };
    };
    const { id } = begun.overrideReplicas;
    await soon('the pin', () => Promise.resolve(scales.replicasOf(target) === 6 || undefined));
    const listed =
      '{ interventions { id kind scope { kind namespace name source } replicas minReplicas direction reason actor expires } }';
    expect(await ask(listed, 'viewer')).toEqual({
      interventions: [
        {
          id,
          kind: 'Override',
          scope: { kind: 'Policy', namespace: 'shop', name: 'web', source: null },
          replicas: 6,
          minReplicas: null,
          direction: null,
          reason: 'a test',
          actor: 'the-operator',
          expires,
        },
      ],
    });
    const end = (mutation: string) =>
      ask(
        `mutation { ${mutation}(id: "${id}", reason: "it is over") { ... on Intervention { id } ${orRefusal} } }`,
      );
    expect(await end('endSuspension')).toBe('UnknownIntervention');
    expect(await end('endOverride')).toEqual({ endOverride: { id } });
    expect(await end('endOverride')).toBe('UnknownIntervention');
    expect(await ask('{ interventions { id } }')).toEqual({ interventions: [] });
    const given = { id, scope: 'Policy', policy: 'shop/web', replicas: 6, expires };
    expect(await actions()).toMatchObject([
      { actor: 'the-operator', action: 'OverrideReplicas', outcome: 'Accepted', arguments: given },
      { action: 'EndSuspension', outcome: 'Refused', arguments: { id } },
      { action: 'EndOverride', outcome: 'Accepted', reason: 'it is over', arguments: given },
      { action: 'EndOverride', outcome: 'Refused' },
    ]);
  });

  it.each([
    { name: 'without a count', counts: 'replicas: null', code: 'BadBounds' },
    { name: 'with bounds that cross', counts: 'minReplicas: 12', code: 'BadBounds' },
    { name: 'with a pin outside the bounds', counts: 'replicas: 12', code: 'BadBounds' },
    { name: 'to zero of a policy that has a minimum', counts: 'minReplicas: 0', code: 'BadBounds' },
    { name: 'to a negative count', counts: 'replicas: -1', code: 'BadBounds' },
    { name: 'outside the guardrails', counts: 'maxReplicas: 21', code: 'OutsideGuardrails' },
    { name: 'to less than half by an operator', counts: 'replicas: 2', code: 'ApproverRequired' },
    {
      name: 'with a maximum of less than half by an operator',
      counts: 'maxReplicas: 2',
      code: 'ApproverRequired',
    },
    { name: 'with a lower minimum by an operator', counts: 'minReplicas: 1', code: 'ApproverRequired' },
    { name: 'that ends in the past', counts: 'replicas: 6', hours: -1, code: 'BadExpiry' },
    { name: 'of more than a day', counts: 'replicas: 6', hours: 25, code: 'BadExpiry' },
  ])('refuses an override $name: $code', async ({ counts, code, hours = 1 }) => {
    const expires = new Date(Date.now() + hours * 3_600_000).toISOString();
    expect(await ask(override(counts, expires))).toBe(code);
    expect(await actions()).toMatchObject([{ action: 'OverrideReplicas', outcome: 'Refused' }]);
    expect(await ask('{ interventions { id } }')).toEqual({ interventions: [] });
  });

  it('lets an approver go below half of the present count', async () => {
    expect(await ask(override('replicas: 2'), 'approver')).toHaveProperty('overrideReplicas');
    await soon('the pin', () => Promise.resolve(scales.replicasOf(target) === 2 || undefined));
  });

  it.each([
    { scope: 'scope: Policy, namespace: "shop", name: "web"', want: 'begun' },
    { scope: 'scope: Namespace, namespace: "shop"', want: 'begun' },
    { scope: 'scope: Source, source: "policies"', want: 'begun' },
    { scope: 'scope: Cluster', want: 'begun' },
    { scope: 'scope: Cluster, namespace: "shop"', want: 'BadArgument' },
    { scope: 'scope: Policy, namespace: "shop"', want: 'BadArgument' },
    { scope: 'scope: Everything', want: 'BadQuery' },
    { scope: 'scope: Policy, namespace: "shop", name: "cart"', want: 'UnknownPolicy' },
    { scope: 'scope: Source, source: "other"', want: 'UnknownSource' },
  ])('a suspension of $scope: $want', async ({ scope, want }) => {
    const answer = await ask(suspend(scope));
    expect(typeof answer === 'string' ? answer : 'begun').toBe(want);
  });

  it('wants an operator, and a reason', async () => {
    expect(await ask(suspend('scope: Cluster'), 'viewer')).toBe('Forbidden');
    expect(await ask(suspend('scope: Cluster').replace('a test', ' '))).toBe('ReasonRequired');
    expect(await actions()).toMatchObject([
      { actor: 'the-viewer', action: 'SuspendScaling', outcome: 'Refused', arguments: { scope: 'Cluster' } },
    ]);
  });
});

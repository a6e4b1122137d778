import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { buildSchema } from 'graphql';
import { type Operation, operations } from '#contracts';
import { type DecisionPayload, type EntryDraft, entryId, type LedgerWriter, policyStream } from '#ledger';
import { FakeNativeAutoscalers } from '#reconciliation/testing';
import { grantEverywhere, type Principal } from '../../../apps/controller/src/auth/callers/principal.ts';
import { clusterToken } from '../../../apps/controller/src/cluster/cluster.module.ts';
import { administrationWriterToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import { createPolicyRepository } from '../../e2e/support/policy-repository.ts';
import { soon } from '../../e2e/support/soon.ts';
import {
  aDecisionDraft,
  anActuationIntentDraft,
  anActuationOutcomeDraft,
  anEventDraft,
  anIntentDraft,
  appended,
  timeAfter,
} from '../../support/ledger-builders.ts';
import { aCluster, type AnApplication, anApplication } from './an-application.ts';
import { queryOfAll } from './support/query-walk.ts';

jest.setTimeout(60_000);

const schema = buildSchema(
  readFileSync(join(import.meta.dirname, '..', '..', '..', 'schema.graphql'), 'utf8'),
);

/** In every name that belongs to the namespace which only some callers may view. */
const mark = 'hidden';
const hidden = { namespace: mark, name: `${mark}-web` };
const hiddenPolicy = `{ namespace: "${hidden.namespace}", name: "${hidden.name}" }`;

/** Root fields whose answers name no namespace, for a reason that is written down here. */
const namesNone: Readonly<Record<string, string>> = {
  tokens: 'are the caller’s own; tokens.spec.ts has whose are seen by whom',
  degraded: 'says what of the controller does not work',
  fleet: 'counts the policies that the caller may view',
  replicas: 'are processes, which are of no namespace',
  shards: 'have numbers, and name processes',
  ledgerSeal: 'seals all namespaces at once, and is null to who may not view them all',
  reportSchedules: 'are those of the configuration, and none to who may not view every namespace',
};

const everyRole = (namespaces: readonly string[]): Principal['grants'] => [{ role: 'admin', namespaces }];
const shopAdmin: Principal = { name: 'shop-admin', grants: everyRole(['shop', 'shop-*']) };
const hiddenViewer: Principal = { name: 'hidden-viewer', grants: [{ role: 'viewer', namespaces: [mark] }] };
const root: Principal = { name: 'root', grants: grantEverywhere('admin') };

/** As decisions record a policy. */
const readable = {
  apiVersion: 'plimsoll.dev/v1alpha1',
  kind: 'AutoscalingPolicy',
  metadata: hidden,
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: hidden.name }, maxReplicas: 9 },
};

const documentOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  interval: 1h
  maxReplicas: 9
`;

describe('a caller of one namespace', () => {
  let application: AnApplication;
  let decisionId: string;
  let interventionId: string;
  let reportId: string;
  let tokenId: string;
  let hiddenCommit: string;
  beforeAll(async () => {
    const cluster = aCluster();
    const listOwned = () => [{ ...hidden, name: `${mark}-old`, policy: `${mark}/${mark}-old` }];
    const autoscalers = Object.assign(new FakeNativeAutoscalers(), { listOwned });
    application = await anApplication({
      callers: [shopAdmin, hiddenViewer, root],
      configuration: (folder) => ({
        namespaces: ['shop', mark],
        sources: [
          { name: 'policies', url: `file://${folder}/policies`, interval: '1h' },
          { name: `${mark}-source`, url: `file://${folder}/${mark}`, interval: '1h' },
        ],
      }),
      override: (testing) =>
        testing
          .overrideProvider(clusterToken)
          .useValue({ ...cluster, kubernetes: { ...cluster.kubernetes, autoscalers } }),
    });
    const others = createPolicyRepository(join(application.folder, mark));
    hiddenCommit = others.commit('Scale the hidden shop', { 'web.yaml': documentOf(hidden) });
    application.repository.commit('Scale the shop', {
      'web.yaml': documentOf({ namespace: 'shop', name: 'web' }),
    });
    await application.nest.init();
    await soon('both policies are in force', async () => {
      const { body } = await application.askAs('root', '{ policies { edges { node { namespace } } } }');
      return (
        (body.data as { policies: { edges: readonly unknown[] } }).policies.edges.length === 2 || undefined
      );
    });
    decisionId = await recordHidden();
    interventionId = await suspendHidden();
    reportId = await reportHidden();
    tokenId = await tokenOfHidden();
  });
  afterAll(() => application.close());

  /** Entries of every kind that lists show. */
  const recordHidden = async (): Promise<string> => {
    const writer = application.nest.get<LedgerWriter>(administrationWriterToken);
    const append = async (drafts: readonly EntryDraft[]) => appended(await writer.append({ drafts }));
    const inHidden = (draft: EntryDraft): EntryDraft =>
      ({
        ...draft,
        stream: policyStream(hidden),
        payload: { ...draft.payload, policy: hidden, reason: `${mark} reason` },
      }) as EntryDraft;
    const { payload: decided, ...draft } = aDecisionDraft({ policy: hidden });
    const input = { ...(decided as DecisionPayload).input, policy: readable };
    const [decision, intent] = await append([
      inHidden({ ...draft, payload: { ...(decided as DecisionPayload), input } }),
      inHidden(anIntentDraft()),
    ]);
    const [, actuation] = await append([
      inHidden(anEventDraft({ decision: entryId(decision!), intent: entryId(intent!) })),
      inHidden(anActuationIntentDraft()),
    ]);
    const flapping = [3, 6, 3, 6, 3].map((to, index) =>
      inHidden(anEventDraft({ from: 9 - to, to, intent: null }, timeAfter(10 + index))),
    );
    await append(flapping);
    const observed = { first: timeAfter(1), last: timeAfter(2), count: 1, conditions: [], metrics: [] };
    await append([
      inHidden(anActuationOutcomeDraft(entryId(actuation!))),
      inHidden({
        stream: '',
        kind: 'HpaObservation',
        time: timeAfter(3),
        payload: { policy: hidden, uid: 'u', currentReplicas: 1, desiredReplicas: 1, ...observed },
      }),
      inHidden({
        stream: '',
        kind: 'StrategyChange',
        time: timeAfter(3),
        payload: { policy: hidden, field: 'enabled', before: 'true', after: 'false', commit: null },
      }),
    ]);
    return entryId(decision!);
  };

  const suspendHidden = async (): Promise<string> => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await application.askAs(
      'root',
      `mutation { suspendScaling(scope: Namespace, namespace: "${mark}", direction: Both, expires: "${expires}", reason: "x") { ... on Intervention { id } } }`,
    );
    return (body.data as { suspendScaling: { id: string } }).suspendScaling.id;
  };

  const tokenOfHidden = async (): Promise<string> => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await application.askAs(
      'root',
      `mutation { createToken(name: "${mark}-ci", grants: [{ role: viewer, namespaces: ["${mark}"] }], expires: "${expires}", reason: "x") { ... on CreatedToken { token { id } } } }`,
    );
    return (body.data as { createToken: { token: { id: string } } }).createToken.token.id;
  };

  const reportHidden = async (): Promise<string> => {
    const { body } = await application.askAs(
      'root',
      `mutation { requestReport(from: "2026-01-01", namespaces: ["${mark}"]) { ... on Report { id } } }`,
    );
    const { id } = (body.data as { requestReport: { id: string } }).requestReport;
    await soon('the report', async () => {
      const answer = await application.askAs('root', `{ report(id: "${id}") { state } }`);
      return JSON.stringify(answer.body).includes('Ready') || undefined;
    });
    return id;
  };

  const values = (field = '') => ({
    namespace: `"${mark}"`,
    name: `"${hidden.name}"`,
    id: `"${field === 'report' ? reportId : decisionId}"`,
    time: `"${new Date().toISOString()}"`,
    from: `"${timeAfter(0)}"`,
    to: 'HorizontalPodAutoscaler',
    commit: `"${hiddenCommit}"`,
  });

  describe.each(Object.values(schema.getQueryType()?.getFields() ?? {}))('asks for $name', (field) => {
    it.each([
      { name: 'with what it wants', optional: (): Record<string, string> => ({}) },
      {
        name: 'naming the other namespace',
        optional: () => ({
          ...values(field.name),
          policy: hiddenPolicy,
          where: `{ policy: ${hiddenPolicy} }`,
        }),
      },
    ])('$name, and sees nothing of another one', async ({ optional }) => {
      const query = queryOfAll(schema, field, { required: values(field.name), optional: optional() });
      const [whole, part] = [
        await application.askAs('root', query),
        await application.askAs('shop-admin', query),
      ];
      expect(whole.body.errors).toBeUndefined();
      expect(part.body.errors).toBeUndefined();
      if (namesNone[field.name] === undefined) expect(JSON.stringify(whole.body.data)).toContain(mark);
      expect(JSON.stringify(part.body.data)).not.toContain(mark);
    });
  });

  /** By operation, what its path wants beside the policy. */
  const idsOf = ({ path }: Operation): string => {
    if (path.startsWith('/sources')) return `${mark}-source`;
    if (path.startsWith('/reports')) return reportId;
    if (path.startsWith('/interventions')) return interventionId;
    if (path.startsWith('/tokens')) return tokenId;
    return encodeURIComponent(decisionId);
  };
  /** Operations whose answers name no namespace. */
  const namelessOperations: ReadonlySet<string> = new Set([
    'getCaller',
    'listTokens',
    'listReplicas',
    'listShards',
    'getFleet',
    'listHolds',
    'getChart',
    'getLedgerSeal',
    'listReportSchedules',
    'listDegradations',
  ]);
  /** Operations that are about all namespaces at once. */
  const wholeOperations: ReadonlySet<string> = new Set(['getLedgerSeal']);
  /** By operation, what it wants in its query. */
  const queries: Readonly<Record<string, () => string>> = {
    listLeavingPolicies: () => '?to=HorizontalPodAutoscaler',
    getDecisionsAround: () => `?time=${new Date().toISOString()}`,
    getChart: () => `?from=${new Date(Date.now() - 3_600_000).toISOString()}`,
    getFlappingPolicies: () => `?from=${timeAfter(0)}`,
  };
  const reads = Object.values<Operation>(operations).filter(({ kind }) => kind !== 'Action');

  it.each(reads)('asks $id over REST, and sees nothing of another one', async (operation) => {
    const path = operation.path
      .replace('{namespace}', hidden.namespace)
      .replace('{name}', hidden.name)
      .replace('{commit}', hiddenCommit)
      .replaceAll(/\{[a-z]+\}/g, () => idsOf(operation));
    const query = queries[operation.id]?.() ?? '';
    const answerTo = async (caller: string) => {
      const headers = { authorization: `Bearer ${application.callerTokens[caller]}` };
      const response = await fetch(`${application.url()}/api/v1${path}${query}`, { headers });
      return { status: response.status, text: await response.text() };
    };
    const [whole, part] = [await answerTo('root'), await answerTo('shop-admin')];
    expect(whole.status).toBe(200);
    if (!namelessOperations.has(operation.id)) expect(whole.text).toContain(mark);
    expect(wholeOperations.has(operation.id) ? [403] : [200, 404]).toContain(part.status);
    if (part.status === 200) expect(part.text).not.toContain(mark);
  });

  it('is answered about what it may view: lists are narrowed, and not emptied', async () => {
    const names = async (caller: string) => {
      const query =
        '{ policies { edges { node { namespace } } } policyChanges { edges { node { source } } } }';
      return JSON.stringify((await application.askAs(caller, query)).body.data);
    };
    expect(await names('shop-admin')).toMatch(/"namespace":"shop".*"source":"policies"/);
    expect(await names('hidden-viewer')).toMatch(/"namespace":"hidden".*"source":"hidden-source"/);
    expect(await names('hidden-viewer')).not.toContain('shop');
  });

  const expires = new Date(Date.now() + 3_600_000).toISOString();
  const because = 'reason: "because"';
  /** By mutation, its arguments about things that exist and are not to be seen, or about things that do not exist. */
  const actions: Readonly<Record<string, (names: Names) => string>> = {
    syncNow: ({ source }) => `source: "${source}"`,
    approveHold: ({ source }) => `source: "${source}", digest: "d", ${because}`,
    rejectHold: ({ source }) => `source: "${source}", digest: "d", ${because}`,
    rollBackSource: ({ source }) => `source: "${source}", commit: "${'a'.repeat(40)}", ${because}`,
    resumeSource: ({ source }) => `source: "${source}", ${because}`,
    releasePolicy: ({ source, name }) =>
      `source: "${source}", namespace: "${mark}", name: "${name}", ${because}`,
    resumePolicy: ({ source, name }) =>
      `source: "${source}", namespace: "${mark}", name: "${name}", ${because}`,
    releaseAll: () => `to: None, ${because}`,
    changeShardCount: () => `count: 8, ${because}`,
    suspendScaling: ({ name }) =>
      `scope: Policy, namespace: "${mark}", name: "${name}", direction: Both, expires: "${expires}", ${because}`,
    startDryRun: ({ name }) =>
      `scope: Policy, namespace: "${mark}", name: "${name}", expires: "${expires}", ${because}`,
    endDryRun: ({ id }) => `id: "${id}", ${because}`,
    endSuspension: ({ id }) => `id: "${id}", ${because}`,
    overrideReplicas: ({ name }) =>
      `namespace: "${mark}", name: "${name}", replicas: 3, expires: "${expires}", ${because}`,
    createToken: ({ name }) =>
      `name: "${name}", grants: [{ role: admin, namespaces: ["${mark}"] }], expires: "${expires}", ${because}`,
    revokeToken: ({ id }) => `id: "${id}", ${because}`,
    endOverride: ({ id }) => `id: "${id}", ${because}`,
    requestReport: ({ name }) => `from: "2026-02-01", until: "2026-01-01", policies: ["${mark}/${name}"]`,
  };

  interface Names {
    readonly source: string;
    readonly name: string;
    readonly id: string;
  }

  it.each(Object.keys(schema.getMutationType()?.getFields() ?? {}))(
    '%s answers about what it may not see as about what does not exist',
    async (action) => {
      const argumentsOf = actions[action];
      if (argumentsOf === undefined) throw new Error(`${action} is not tested: say what it is asked about`);
      const refusalOf = async (names: Names): Promise<string> => {
        const text = `mutation { ${action}(${argumentsOf(names)}) { ... on ActionRefusal { code message } } }`;
        const { body } = await application.askAs('shop-admin', text);
        let answer = JSON.stringify(body);
        for (const name of Object.values(names) as string[]) answer = answer.replaceAll(name, '…');
        return answer;
      };
      const there = await refusalOf({
        source: `${mark}-source`,
        name: hidden.name,
        id: interventionId,
      });
      const absent = await refusalOf({
        source: 'no-such-source',
        name: 'nothing',
        id: '00000000-0000-4000-8000-000000000000',
      });
      expect(there).toContain('"code"');
      expect(there).toBe(absent);
    },
  );

  it.each(['suspendScaling', 'startDryRun'])(
    '%s of a source of metrics is forbidden, and names none of those that others have',
    async (action) => {
      const direction = action === 'suspendScaling' ? 'direction: Both, ' : '';
      const refusalOf = async (name: string): Promise<unknown> => {
        const given = `scope: MetricSource, metricSource: "${name}", ${direction}expires: "${expires}", ${because}`;
        const text = `mutation { ${action}(${given}) { ... on ActionRefusal { code message } } }`;
        return (await application.askAs('shop-admin', text)).body.data;
      };
      const absent = await refusalOf('no-such-source');
      expect(absent).toMatchObject({ [action]: { code: 'Forbidden' } });
      expect(await refusalOf('metrics.k8s.io')).toEqual(absent);
    },
  );

  it('is refused what is of no namespace: the list of syncs is empty, an export forbidden, the cluster not to be suspended', async () => {
    const { body } = await application.askAs('shop-admin', '{ syncRuns { edges { node { id } } } }');
    expect(body.data).toEqual({ syncRuns: { edges: [] } });
    const suspended = await application.askAs(
      'shop-admin',
      `mutation { suspendScaling(scope: Cluster, direction: Both, expires: "${expires}", reason: "x") { ... on ActionRefusal { code } } }`,
    );
    expect(suspended.body.data).toEqual({ suspendScaling: { code: 'Forbidden' } });
    const filter = { from: null, until: null, namespaces: ['shop'], policies: null, kinds: null };
    const exported = await fetch(`${application.url()}/api/v1/ledger/exports`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${application.callerTokens['shop-admin']}`,
      },
      body: JSON.stringify({ filter, after: null }),
    });
    expect([exported.status, await exported.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'Forbidden' }),
    ]);
  });
});

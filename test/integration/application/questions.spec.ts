import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { engineVersion } from '#decision';
import type { PullRequestStorePort } from '#git-sync';
import type { LedgerWriter } from '#ledger';
import { FakeMetrics, FakeScales } from '#reconciliation/testing';
import { clusterToken } from '../../../apps/controller/src/cluster/cluster.module.ts';
import { DeferredLedgerDatabase } from '../../../apps/controller/src/database/deferred-ledger-database.ts';
import { CommitReviews } from '../../../apps/controller/src/forge/commit-reviews.ts';
import {
  administrationWriterToken,
  pullRequestStoreToken,
} from '../../../apps/controller/src/ledger/ledger.module.ts';
import { createPolicyRepository } from '../../e2e/support/policy-repository.ts';
import { soon } from '../../e2e/support/soon.ts';
import { anEventDraft, appended } from '../../support/ledger-builders.ts';
import { aCluster, type AnApplication, anApplication, codesOf } from './an-application.ts';

jest.setTimeout(60_000);

const policyText = (name: string, max = 9): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  interval: 5m
  minReplicas: 2
  maxReplicas: ${max}
  metrics:
    - type: External
      external: { metric: { name: queue-${name} }, target: { type: AverageValue, averageValue: "1" } }
`;

const defaultsText = `apiVersion: plimsoll.dev/v1alpha1
kind: PolicyDefaults
metadata: { name: calm }
spec:
  values:
    behavior:
      scaleDown: { stabilizationWindowSeconds: 120 }
`;

/** How a policy stands. */
interface Standing {
  readonly staleSince: string | null;
  readonly holds: readonly { readonly since: string }[];
}

const target = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name });
const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
const began = new Date().toISOString();

/** Each question of an operator or auditor, answered by one query. */
describe('a question', () => {
  let application: AnApplication;
  let first: string;
  beforeAll(async () => {
    const cluster = aCluster();
    const metrics = new FakeMetrics();
    const scales = new FakeScales();
    for (const name of ['web', 'cart']) {
      scales.set(target(name), 8);
      metrics.set(
        { namespace: 'shop', selector: `app=${name}` },
        { kind: 'Answers', metrics: [{ values: ['20'] }] },
      );
    }
    application = await anApplication({
      configuration: (folder: string) => ({
        sources: ['policies', 'others'].map((name) => ({
          name,
          url: `file://${folder}/${name}`,
          interval: '1h',
        })),
      }),
      override: (testing) =>
        testing.overrideProvider(clusterToken).useValue({
          ...cluster,
          metrics: Object.assign(metrics, { ...cluster.metrics, openTick: metrics.openTick.bind(metrics) }),
          kubernetes: { ...cluster.kubernetes, scales },
        }),
    });
    first = application.repository.commit('Scale the shop', {
      'web.yaml': policyText('web'),
      'cart.yaml': policyText('cart'),
      'defaults.yaml': defaultsText,
    });
    createPolicyRepository(join(application.folder, 'others')).commit('Sell', {
      'sale.yaml': policyText('sale'),
    });
    await application.nest.init();
    await soon('both are at their maximum', async () => {
      const { fleet } = (await ask('{ fleet { states { state policies } } }')) as {
        readonly fleet: { readonly states: readonly { readonly state: string; readonly policies: number }[] };
      };
      return fleet.states.some(({ state, policies }) => state === 'Short' && policies === 2) || undefined;
    });
    const writer = application.nest.get<LedgerWriter>(administrationWriterToken);
    const cart = { namespace: 'shop', name: 'cart' };
    const counts = [9, 4, 9, 4, 9];
    const drafts = counts.slice(1).map((to, index) => {
      const time = new Date(Date.now() + index).toISOString();
      return anEventDraft({ policy: cart, from: counts[index]!, to, intent: null }, time);
    });
    appended(await writer.append({ drafts }));
  });
  afterAll(() => application.close());

  const ask = async (query: string): Promise<unknown> => {
    const answer = await application.ask(query, 'viewer');
    expect(codesOf(answer)).toEqual([]);
    return answer.body.data;
  };
  const act = async (query: string): Promise<void> => {
    expect(codesOf(await application.ask(query, 'operator'))).toEqual([]);
  };

  const sync = (source: string): Promise<void> =>
    act(`mutation { syncNow(source: "${source}") { ... on ActionRefusal { code } } }`);

  it('why this replica count: the waterfall, the values, the pods counted and left out', async () => {
    const answer = await ask(`{
      policy(namespace: "shop", name: "web") {
        latestDecision {
          currentReplicas desiredReplicas action reason engineVersion
          steps { rule before after because }
          metrics { name current proposedReplicas pods { considered missing filteredOut { pod reason } } }
        }
      }
    }`);
    expect(answer).toMatchObject({
      policy: {
        latestDecision: {
          desiredReplicas: 9,
          engineVersion,
          steps: expect.arrayContaining([expect.objectContaining({ rule: 'min-max', after: 9 })]),
          metrics: [{ proposedReplicas: 20, pods: { considered: [], filteredOut: [] } }],
        },
      },
    });
  });

  it('what a decision came to: the same with its payload and without', async () => {
    const { policy } = (await ask(
      '{ policy(namespace: "shop", name: "web") { latestDecision { id } } }',
    )) as { readonly policy: { readonly latestDecision: { readonly id: string } } };
    const fields = `id kind time cluster hash previousHash policy { namespace name }
      action reason currentReplicas desiredReplicas __typename`;
    const one = `decision(id: "${policy.latestDecision.id}")`;
    const { decision } = (await ask(`{ ${one} { ${fields} } }`)) as { readonly decision: object };
    expect(await ask(`{ ${one} { ${fields} engineVersion } }`)).toEqual({
      decision: { ...decision, engineVersion: expect.any(String) },
    });
  });

  it('what a decision was made of: its input, by its id and in lists', async () => {
    const answer = await ask(`{
      policy(namespace: "shop", name: "web") { latestDecision { id input } }
      decisions(first: 1, where: { policy: { namespace: "shop", name: "web" } }) { edges { node { id input } } }
      auditEntries(first: 1, where: { kinds: [Decision], policy: { namespace: "shop", name: "web" } }) {
        edges { node { ... on Decision { id input } } }
      }
    }`);
    const { policy } = answer as { readonly policy: { readonly latestDecision: { readonly id: string } } };
    const byId = await ask(`{ decision(id: "${policy.latestDecision.id}") { id input } }`);
    const { decision } = byId as { readonly decision: unknown };
    expect(decision).toMatchObject({ input: { observation: { time: expect.any(String) } } });
    expect(answer).toEqual({
      policy: { latestDecision: decision },
      decisions: { edges: [{ node: decision }] },
      auditEntries: { edges: [{ node: decision }] },
    });
  });

  it('who allowed it: from the decision to the commit, and on to the write', async () => {
    const reviewed = { number: 12, author: 'alex', approvers: ['ada'], verified: true };
    const commit = { hash: first, author: 'Ada <ada@example.com>', subject: 'Scale the shop', time: began };
    await application.nest.get<PullRequestStorePort>(pullRequestStoreToken).save('policies', first, reviewed);
    await application.nest.get(CommitReviews).record('policies', commit, reviewed);
    const answer = await ask(`{
      decisions(first: 1, where: {policy: {namespace: "shop", name: "web"}, action: ScaleUp}) {
        edges { node { blame {
          commit { hash author subject pullRequest { number author approvers verified } }
          signatures { status signer }
          version { origin { source file line commit { hash } } validTo document }
          change { before source commit { hash } }
          revision { outcome tenants { status policies } }
          sync { outcome source }
          review { source commit { hash } pullRequest { number author approvers verified } }
          intents { kind ... on ScalingIntent { from to } }
          outcomes { kind ... on ScalingEvent { from to origin } }
        } } }
      }
    }`);
    expect(answer).toMatchObject({
      decisions: {
        edges: [
          {
            node: {
              blame: {
                commit: { hash: first, subject: 'Scale the shop', pullRequest: reviewed },
                signatures: [],
                version: { origin: { source: 'policies', file: 'web.yaml', commit: { hash: first } } },
                change: { before: null, source: 'policies', commit: { hash: first } },
                revision: { outcome: 'active' },
                sync: { outcome: 'active', source: 'policies' },
                review: { source: 'policies', commit: { hash: first }, pullRequest: reviewed },
                intents: [{ kind: 'ScalingIntent', from: 8, to: 9 }],
                outcomes: [{ kind: 'ScalingEvent', from: 8, to: 9, origin: 'Plimsoll' }],
              },
            },
          },
        ],
      },
    });
  });

  it('what was in force at a time: the policy and the decision', async () => {
    const now = new Date().toISOString();
    const answer = await ask(`{
      policyAt(namespace: "shop", name: "web", time: "${now}") { validFrom origin { commit { hash } } document }
      decisionsAround(namespace: "shop", name: "web", time: "${now}", first: 1) {
        before { desiredReplicas } after { desiredReplicas }
      }
      before: decisionsAround(namespace: "shop", name: "web", time: "${began}", first: 1) {
        before { desiredReplicas } after { currentReplicas }
      }
    }`);
    expect(answer).toMatchObject({
      policyAt: { origin: { commit: { hash: first } }, document: { spec: { maxReplicas: 9 } } },
      decisionsAround: { before: [{ desiredReplicas: 9 }], after: [] },
      before: { before: [], after: [{ currentReplicas: 8 }] },
    });
  });

  it('where each value that is in force comes from, now and in an earlier version', async () => {
    const fields = 'effectiveValues { path value origin { kind file line path written commit { hash } } }';
    const answer = (await ask(`{
      policy(namespace: "shop", name: "web") { ${fields} versions(first: 1) { edges { node { ${fields} } } } }
      policyAt(namespace: "shop", name: "web", time: "${new Date().toISOString()}") { ${fields} }
    }`)) as {
      readonly policy: { readonly effectiveValues: unknown; readonly versions: unknown };
      readonly policyAt: { readonly effectiveValues: unknown };
    };
    const { effectiveValues } = answer.policy;
    const nowhere = { file: null, line: null, path: null, written: null, commit: null };
    expect(effectiveValues).toEqual(
      expect.arrayContaining([
        {
          path: 'spec.maxReplicas',
          value: 9,
          origin: {
            kind: 'Document',
            file: 'web.yaml',
            line: 8,
            path: 'spec.maxReplicas',
            written: 9,
            commit: { hash: first },
          },
        },
        {
          path: 'spec.behavior.scaleDown.stabilizationWindowSeconds',
          value: 120,
          origin: {
            kind: 'PolicyDefaults',
            file: 'defaults.yaml',
            line: 7,
            path: 'spec.values.behavior.scaleDown.stabilizationWindowSeconds',
            written: 120,
            commit: { hash: first },
          },
        },
        {
          path: 'spec.behavior.scaleUp.stabilizationWindowSeconds',
          value: 0,
          origin: { kind: 'UpstreamDefault', ...nowhere },
        },
        { path: 'spec.actuation', value: 'Scale', origin: { kind: 'PlimsollDefault', ...nowhere } },
      ]),
    );
    expect(answer).toMatchObject({
      policy: { versions: { edges: [{ node: { effectiveValues } }] } },
      policyAt: { effectiveValues },
    });
  });

  it('what changed between two times', async () => {
    const from = new Date().toISOString();
    await act(
      `mutation { suspendScaling(scope: Namespace, namespace: "shop", direction: Down, expires: "${inAnHour}", reason: "a sale") { ... on ActionRefusal { code } } }`,
    );
    const changes = '[PolicyChange, StrategyChange, SettingsChange, OperatorAction]';
    const answer = await ask(`{
      auditEntries(where: {kinds: ${changes}, from: "${from}"}) {
        edges { node { kind ... on OperatorAction { actor action reason } } }
      }
      before: auditEntries(where: {kinds: ${changes}, from: "${began}", until: "${from}"}) {
        edges { node { kind policy { name } } }
      }
    }`);
    const suspended = {
      kind: 'OperatorAction',
      actor: 'the-operator',
      action: 'SuspendScaling',
      reason: 'a sale',
    };
    expect(answer).toMatchObject({ auditEntries: { edges: [{ node: suspended }] } });
    expect(JSON.stringify(answer)).toContain('{"kind":"PolicyChange","policy":{"name":"web"}}');
  });

  it('everything that happened to a namespace last night, what operators did to it included', async () => {
    const answer = (await ask(`{
      auditEntries(first: 100, where: {namespaces: ["shop"], from: "${began}"}) { edges { node { id kind time } } }
      elsewhere: auditEntries(where: {namespaces: ["pay"]}) { edges { node { id } } }
    }`)) as {
      readonly auditEntries: { readonly edges: readonly { readonly node: { readonly kind: string } }[] };
    };
    const kinds = new Set(answer.auditEntries.edges.map(({ node }) => node.kind));
    expect([...kinds].sort()).toEqual(
      expect.arrayContaining(['Decision', 'OperatorAction', 'PolicyChange', 'ScalingEvent', 'ScalingIntent']),
    );
    expect(kinds).not.toContain('SyncRun');
    expect(answer).toMatchObject({ elsewhere: { edges: [] } });
  });

  it('which policies are at their maximum and still short', async () => {
    const answer = await ask(
      '{ policies(states: [AtMaximum, Short]) { edges { node { name states maxReplicas } } } }',
    );
    const states = expect.arrayContaining(['AtMaximum', 'Short']);
    expect(answer).toEqual({
      policies: {
        edges: [
          { node: { name: 'cart', states, maxReplicas: 9 } },
          { node: { name: 'web', states, maxReplicas: 9 } },
        ],
      },
    });
  });

  it('which policies flap', async () => {
    const answer = await ask(
      `{ flappingPolicies(from: "${began}") { isComplete policies { policy { name } reversals lowest highest } } }`,
    );
    expect(answer).toEqual({
      flappingPolicies: {
        isComplete: true,
        policies: [{ policy: { name: 'cart' }, reversals: 4, lowest: 4, highest: 9 }],
      },
    });
  });

  it("what would happen if this policy's bound were another, on the latest observation", async () => {
    const answer = await ask(`{
      whatIf(namespace: "shop", name: "cart", maxReplicas: 12) { desiredReplicas recorded { desiredReplicas } steps { rule } }
      none: whatIf(namespace: "shop", name: "nothing", maxReplicas: 12) { desiredReplicas }
    }`);
    expect(answer).toMatchObject({
      whatIf: { desiredReplicas: 12, recorded: { desiredReplicas: 9 } },
      none: null,
    });
    const refused = await application.ask(
      '{ whatIf(namespace: "shop", name: "cart", maxReplicas: 1) { reason } }',
    );
    expect(codesOf(refused)).toEqual(['BadBounds']);
  });

  it('which are held, suspended, overridden or stale, and until when', async () => {
    const overrideEnds = new Date(Date.now() + 2 * 3_600_000).toISOString();
    const suspensionEnds = new Date(Date.now() + 3 * 3_600_000).toISOString();
    const asked = new Date().toISOString();
    await act(
      `mutation { overrideReplicas(namespace: "shop", name: "web", replicas: 9, expires: "${overrideEnds}", reason: "a sale") { ... on ActionRefusal { code } } }`,
    );
    await act(
      `mutation { suspendScaling(scope: Policy, namespace: "shop", name: "cart", direction: Up, expires: "${suspensionEnds}", reason: "a budget") { ... on ActionRefusal { code } } }`,
    );
    // To prune a source to nothing is held.
    const emptied = application.repository.commit('Empty the shop', { 'web.yaml': null, 'cart.yaml': null });
    await sync('policies');
    await rename(join(application.folder, 'others'), join(application.folder, 'gone'));
    await sync('others');
    const answer = await ask(`{
      fleet { policies holds interventions states { state policies } }
      policies(first: 5) { edges { node {
        name states staleSince
        holds { source commit since isRejected causes { code } viewerMayApprove { allowed code message } }
        interventions { kind direction replicas reason expires scope { kind } }
      } } }
      held: policies(states: [Held]) { edges { node { name } } }
      stale: policies(states: [StaleSource]) { edges { node { name } } }
      overridden: policies(states: [Overridden]) { edges { node { name } } }
    }`);
    const { fleet, policies } = answer as {
      readonly fleet: { readonly states: readonly unknown[] };
      readonly policies: { readonly edges: readonly { readonly node: Standing }[] };
    };
    const [cart, sale, web] = policies.edges.map(({ node }) => node);
    const ofNamespace = {
      kind: 'Suspend',
      direction: 'Down',
      expires: inAnHour,
      scope: { kind: 'Namespace' },
    };
    const held = [
      {
        source: 'policies',
        commit: emptied,
        since: expect.any(String),
        isRejected: false,
        causes: [{ code: 'PruneToEmpty' }],
        viewerMayApprove: { allowed: false, code: 'Forbidden', message: expect.stringContaining('approver') },
      },
    ];
    expect(cart).toMatchObject({
      name: 'cart',
      states: expect.arrayContaining(['Held', 'Suspended']),
      staleSince: null,
      holds: held,
      interventions: [
        ofNamespace,
        {
          kind: 'Suspend',
          direction: 'Up',
          reason: 'a budget',
          expires: suspensionEnds,
          scope: { kind: 'Policy' },
        },
      ],
    });
    expect(web).toMatchObject({
      name: 'web',
      states: expect.arrayContaining(['Held', 'Suspended', 'Overridden']),
      staleSince: null,
      holds: held,
      interventions: [
        ofNamespace,
        { kind: 'Override', replicas: 9, reason: 'a sale', expires: overrideEnds },
      ],
    });
    expect(sale).toMatchObject({
      name: 'sale',
      states: expect.arrayContaining(['StaleSource', 'Suspended']),
      holds: [],
      interventions: [ofNamespace],
    });
    for (const since of [sale?.staleSince, cart?.holds[0]?.since])
      expect(Date.parse(since ?? '')).toBeGreaterThanOrEqual(Date.parse(asked));
    expect(answer).toMatchObject({
      fleet: { policies: 3, holds: 1, interventions: 3 },
      held: { edges: [{ node: { name: 'cart' } }, { node: { name: 'web' } }] },
      stale: { edges: [{ node: { name: 'sale' } }] },
      overridden: { edges: [{ node: { name: 'web' } }] },
    });
    expect(fleet.states).toEqual(
      expect.arrayContaining([
        { state: 'Held', policies: 2 },
        { state: 'Overridden', policies: 1 },
        { state: 'Suspended', policies: 3 },
        { state: 'StaleSource', policies: 1 },
      ]),
    );
  });

  it('what has this id, whatever it is', async () => {
    const found = (await ask(
      '{ interventions { id } auditEntries(first: 1) { edges { node { id } } } }',
    )) as {
      readonly interventions: readonly { readonly id: string }[];
      readonly auditEntries: { readonly edges: readonly { readonly node: { readonly id: string } }[] };
    };
    const ids = [
      'policy:shop/web',
      'source:policies',
      found.interventions[0]!.id,
      found.auditEntries.edges[0]!.node.id,
    ];
    const nodes = ids.map((id, index) => `n${index}: node(id: "${id}") { __typename id }`).join(' ');
    const answer = Object.values(
      (await ask(`{ ${nodes} none: node(id: "policy:pay/web#1") { id } }`)) as object,
    ) as ({ readonly id: string } | null)[];
    expect(answer.map((node) => node?.id ?? null)).toEqual([...ids, null]);
    expect(answer).toMatchObject([
      { __typename: 'Policy' },
      { __typename: 'Source' },
      { __typename: 'Intervention' },
      {},
      null,
    ]);
  });

  it('is answered with one statement per relation, however many policies are on the page', async () => {
    const first = await readsOf(aPageOfPolicies);
    await readsOf(aPageOfPolicies);
    const kept = await readsOf(aPageOfPolicies);
    // Three relations ask at once, and so do the latest decisions, by their numbers; the decisions of events follow.
    // Those that a busy process asks for in one turn share a statement.
    for (const reads of [first, kept]) {
      expect(reads.entries).toBeLessThanOrEqual(3);
      expect(reads.versions).toBe(1);
    }
  });

  it('follows a page of decisions to those who allowed them with one statement per relation', async () => {
    const blamesOf = (first: number): string => `{
      decisions(first: ${first}, where: { namespaces: ["shop"] }) { edges { node { id blame {
        commit { hash pullRequest { number } } version { validFrom } change { id } revision { outcome }
        sync { id } review { id } intents { id } outcomes { id }
      } } } }
    }`;
    interface Blamed {
      readonly decisions: {
        readonly edges: readonly { readonly node: { readonly id: string; readonly blame: unknown } }[];
      };
    }
    const { decisions } = (await ask(blamesOf(15))) as Blamed;
    expect(decisions.edges.length).toBeGreaterThan(1);
    // Of entries: where the page's are, and themselves, which are kept from the second time on; changes, syncs and reviews, which
    // ask at once; and what was written.
    await ask(blamesOf(15));
    expect(await statementsOf(blamesOf(15))).toEqual({
      entries: 4,
      versions: 1,
      revisions: 1,
      pullRequests: 1,
    });
    for (const { node } of decisions.edges) {
      const alone = (await ask(`{ decision(id: "${node.id}") { id blame {
        commit { hash pullRequest { number } } version { validFrom } change { id } revision { outcome }
        sync { id } review { id } intents { id } outcomes { id }
      } } }`)) as { readonly decision: unknown };
      expect(alone.decision).toEqual(node);
    }
  });

  const aPageOfPolicies = `{
    policies { edges { node {
      latestDecision { reason }
      decisions(first: 5) { edges { node { id } } }
      scalingEvents(first: 5) { edges { node { to decision { reason } } } }
      strategyChanges(first: 5) { edges { node { field } } }
      versions(first: 5) { edges { node { validFrom } } }
    } } }
  }`;

  /** How many statements of a query read entries and versions. */
  async function readsOf(query: string) {
    const { entries, versions } = await statementsOf(query);
    return { entries, versions };
  }

  /** How many statements of a query read each table. */
  async function statementsOf(query: string) {
    const statements = jest.spyOn(application.nest.get(DeferredLedgerDatabase), 'query');
    await ask(query);
    const asked = statements.mock.calls.map(([{ sql }]) => sql);
    statements.mockRestore();
    const reads = (table: string) => asked.filter((sql) => sql.includes(table)).length;
    return {
      entries: reads('ledger_entry'),
      versions: reads('policy_version'),
      revisions: reads('FROM revision'),
      pullRequests: reads('commit_approval'),
    };
  }
});

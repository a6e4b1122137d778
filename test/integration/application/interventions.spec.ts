import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LedgerPort } from '#ledger';
import { FakeMetrics, type FakeMetricsAnswer, FakeScales } from '#reconciliation/testing';
import type { Role } from '../../../apps/controller/src/auth/callers/principal.ts';
import { clusterToken } from '../../../apps/controller/src/cluster/cluster.module.ts';
import { ledgerToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aCluster, type AnApplication, anApplication, codesOf, orRefusal } from './an-application.ts';
import { askRest } from './described-rest.ts';

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
  'native.yaml': `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: native, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: native }
  actuation: HorizontalPodAutoscaler
  interval: 5m
  maxReplicas: 9
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
const effectFields =
  '{ action summary total until digest problems requires { role confirm force } standing { id } policies { policy { namespace name } direction notes now { minReplicas maxReplicas pin stopped isDryRun replicas } then { minReplicas maxReplicas pin stopped isDryRun replicas } } }';
const syncNow = `mutation { syncNow(source: "policies") { ... on SyncResult { result } ${orRefusal} } }`;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

interface Latest {
  readonly policy: {
    readonly latestDecision: {
      readonly id: string;
      readonly time: string;
      readonly steps: readonly { readonly rule: string }[];
    };
  };
}

describe('interventions', () => {
  const scales = new FakeScales();
  const metrics = new FakeMetrics();
  const queried = { namespace: 'shop', selector: 'app=web' };
  const answer: FakeMetricsAnswer = { kind: 'Answers', metrics: [{ values: ['8'] }] };
  const repositoryFolder = () => join(application.folder, 'policies');
  let application: AnApplication;
  let earlier = 0;
  beforeAll(async () => {
    const cluster = aCluster();
    scales.set(target, 8);
    metrics.set(queried, answer);
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
    const { items } = await ledger.entries({ kinds: ['OperatorAction'], order: 'OldestFirst', limit: 1_000 });
    return items.slice(earlier).map(({ entry }) => entry.payload);
  };
  const ask = async (query: string, role: Role = 'operator') => {
    const answer = await application.ask(query, role);
    return codesOf(answer)[0] ?? (answer.body.data as Record<string, unknown>);
  };
  /** The intervention that a mutation began. */
  const begun = async (mutation: string, role?: Role) =>
    Object.values(await ask(mutation, role))[0] as { readonly id: string };
  const preview = async (query: string, role: Role = 'operator') => {
    const data = (await ask(
      query.replace(
        '... on Intervention { id }',
        `... on Intervention { id } ... on ActionPreview { effect ${effectFields} }`,
      ),
      role,
    )) as Record<string, { readonly effect: Record<string, unknown> }>;
    return Object.values(data)[0] ?? { effect: {} };
  };
  /** The only field of the answer, with all of a refusal. */
  const refusal = async (query: string, role: Role = 'operator') => {
    const { body } = await application.ask(
      query.replace(
        orRefusal,
        `... on ActionRefusal { code message effect ${effectFields} standing { id actor direction expires } }`,
      ),
      role,
    );
    return Object.values(body.data ?? {})[0] as unknown as {
      readonly code?: string;
      readonly message?: string;
      readonly effect?: Record<string, unknown>;
      readonly standing?: { readonly id: string; readonly actor: string };
    };
  };
  const ending = (mutation: string, id: string) =>
    `mutation { ${mutation}(id: "${id}", reason: "it is over") { ... on Intervention { id } ${orRefusal} } }`;
  const end = (mutation: string, id: string) => ask(ending(mutation, id));
  const scaledTo = async (replicas: number) => {
    if (scales.replicasOf(target) === replicas) return;
    const { id } = await begun(override(`replicas: ${replicas}`));
    await soon('the count', () => Promise.resolve(scales.replicasOf(target) === replicas || undefined));
    await end('endOverride', id);
  };
  const override = (counts: string, expires = inAnHour()): string =>
    `mutation { overrideReplicas(namespace: "shop", name: "web", ${counts}, expires: "${expires}", reason: "a test") { ... on Intervention { id } ${orRefusal} } }`;
  const suspend = (scope: string, expires = inAnHour()): string =>
    `mutation { suspendScaling(${scope}, direction: Down, expires: "${expires}", reason: "a test") { ... on Intervention { id } ${orRefusal} } }`;

  it('pins the count at once, and lists and ends what stands, with an entry of each', async () => {
    const expires = inAnHour();
    const { id } = await begun(override('replicas: 6', expires));
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
    expect(await refusal(ending('endSuspension', id))).toMatchObject({
      code: 'UnknownIntervention',
      message: `no suspension ${id} stands: it is an override, which endOverride or "plimsoll unsuspend" ends`,
    });
    expect(await end('endOverride', id)).toEqual({ endOverride: { id } });
    expect(await end('endOverride', id)).toBe('UnknownIntervention');
    expect(await ask('{ interventions { id } }')).toEqual({ interventions: [] });
    const given = { id, scope: 'Policy', policy: 'shop/web', replicas: 6, expires };
    expect(await actions()).toMatchObject([
      { actor: 'the-operator', action: 'OverrideReplicas', outcome: 'Accepted', arguments: given },
      { action: 'EndSuspension', outcome: 'Refused', arguments: { id } },
      { action: 'EndOverride', outcome: 'Accepted', reason: 'it is over', arguments: given },
      { action: 'EndOverride', outcome: 'Refused' },
    ]);
    await scaledTo(8);
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
    {
      name: 'with a lower minimum beside a lower maximum by an operator',
      counts: 'minReplicas: 1, maxReplicas: 8',
      code: 'ApproverRequired',
    },
    { name: 'that ends in the past', counts: 'replicas: 6', hours: -1, code: 'BadExpiry' },
    { name: 'of more than a day', counts: 'replicas: 6', hours: 25, code: 'BadExpiry' },
  ])('refuses an override $name: $code', async ({ counts, code, hours = 1 }) => {
    const expires = new Date(Date.now() + hours * 3_600_000).toISOString();
    expect(await ask(override(counts, expires))).toBe(code);
    expect(await actions()).toMatchObject([{ action: 'OverrideReplicas', outcome: 'Refused' }]);
    expect(await ask('{ interventions { id } }')).toEqual({ interventions: [] });
  });

  it('says beforehand what it would do, and neither does nor records it', async () => {
    const { effect } = await preview(override('replicas: 6, dryRun: true'));
    expect(effect).toMatchObject({
      action: 'OverrideReplicas',
      total: 1,
      requires: { role: 'operator', confirm: false, force: false },
      problems: [],
      standing: [],
      policies: [
        {
          policy: { namespace: 'shop', name: 'web' },
          now: { minReplicas: 2, maxReplicas: 9, pin: null, stopped: 'None', isDryRun: false, replicas: 8 },
          then: { minReplicas: 2, maxReplicas: 9, pin: 6, stopped: 'None', isDryRun: false, replicas: 6 },
          direction: 'Down',
          notes: [],
        },
      ],
    });
    expect(effect['digest']).toMatch(/^[0-9a-f]{64}$/);
    expect(await ask('{ interventions { id } }')).toEqual({ interventions: [] });
    expect(await actions()).toEqual([]);
  });

  it('says beforehand of a second pin what that would do, not what the one that stands does', async () => {
    const { id } = await begun(override('replicas: 6'));
    await soon('the pin', () => Promise.resolve(scales.replicasOf(target) === 6 || undefined));
    const { effect } = await preview(override('replicas: 9, dryRun: true'));
    await end('endOverride', id);
    await scaledTo(8);
    expect(effect).toMatchObject({
      policies: [{ now: { pin: 6, replicas: 6 }, then: { pin: 9, replicas: 9 }, direction: 'Up' }],
    });
  });

  it('wants no reason of a dry run, and records no refusal of one', async () => {
    const rehearsed = suspend('scope: Namespace, namespace: "shop"').replace(
      'reason: "a test"',
      'dryRun: true',
    );
    const { effect } = await preview(rehearsed);
    expect(effect['policies']).toMatchObject([
      {
        policy: { name: 'native' },
        then: { stopped: 'Down' },
        notes: [expect.anything(), expect.anything()],
      },
      { policy: { name: 'web' }, now: { stopped: 'None' }, then: { stopped: 'Down' }, notes: [] },
    ]);
    expect(await ask(override('replicas: 12, dryRun: true'))).toBe('BadBounds');
    expect(await actions()).toEqual([]);
  });

  it('lets an approver go below half of the present count, with the digest of what would happen', async () => {
    const expires = inAnHour();
    const low = (more: string) => override(`replicas: 2${more}`, expires);
    const { effect } = await preview(low(', dryRun: true'));
    expect(effect).toMatchObject({ requires: { role: 'approver', confirm: true } });
    const confirm = `, confirm: "${String(effect['digest'])}"`;
    expect(await ask(low(confirm))).toBe('ApproverRequired');
    expect(await ask(low(''), 'approver')).toBe('ConfirmationRequired');
    expect(await ask(low(`, confirm: "${'0'.repeat(64)}"`), 'approver')).toBe('StaleConfirmation');
    const { id } = await begun(low(confirm), 'approver');
    await soon('the pin', () => Promise.resolve(scales.replicasOf(target) === 2 || undefined));
    const [, , accepted] = await actions();
    expect(accepted).toMatchObject({
      outcome: 'Accepted',
      effect: { total: 1, policies: [{ policy: { name: 'web' }, then: { pin: 2 }, direction: 'Down' }] },
    });
    await end('endOverride', id);
    await scaledTo(8);
  });

  it('refuses a confirmation whose effect is another one by now, with the new one', async () => {
    const expires = inAnHour();
    const low = (more: string) => override(`replicas: 2${more}`, expires);
    const { effect } = await preview(low(', dryRun: true'));
    const other = await begun(override('minReplicas: 5'));
    const stale = await refusal(low(`, confirm: "${String(effect['digest'])}"`), 'approver');
    expect(stale).toMatchObject({ code: 'StaleConfirmation', effect: { standing: [{ id: other.id }] } });
    expect(stale.effect?.['digest']).not.toBe(effect['digest']);
    await end('endOverride', other.id);
  });

  it('lets an administrator force what the guardrails forbid, recorded as Forced', async () => {
    const forced = override('maxReplicas: 21, force: true');
    expect(await ask(override('maxReplicas: 21'), 'admin')).toBe('OutsideGuardrails');
    expect(await ask(forced, 'approver')).toBe('AdminRequired');
    const { id } = await begun(forced, 'admin');
    expect((await actions()).at(-1)).toMatchObject({ actor: 'the-admin', outcome: 'Forced' });
    const answer = await ask(`{ auditEntries(first: 1, where: { kinds: [OperatorAction] }) {
      edges { node { ... on OperatorAction { outcome effect } } }
    } }`);
    const against = [expect.stringMatching(/^guardrail /)];
    const policy = '{ policy(namespace: "shop", name: "web") { interventions { id against } } }';
    expect(await ask(policy)).toEqual({ policy: { interventions: [{ id, against }] } });
    const { body } = await askRest(application, { path: '/interventions' });
    expect(body).toMatchObject({ items: [{ id, against }] });
    const stored = await application.nest.get<LedgerPort>(ledgerToken).interventions({ limit: 10 });
    expect(stored).toMatchObject([{ id, against }]);
    expect(answer).toMatchObject({
      auditEntries: {
        edges: [{ node: { outcome: 'Forced', effect: { summary: expect.any(String), against } } }],
      },
    });
    await end('endOverride', id);
  });

  it('says of a decision what stood then, whether it was forced, and how it ended since', async () => {
    // The latest decision may still be one of the override of the case before.
    const from = new Date().toISOString();
    const { id } = await begun(override('replicas: 8, maxReplicas: 21, force: true'), 'admin');
    const decided = await soon('a decision by the override', async () => {
      const found = await ask(
        '{ policy(namespace: "shop", name: "web") { latestDecision { id time steps { rule } } } }',
      );
      const { latestDecision } = (found as unknown as Latest).policy;
      const isByOverride = latestDecision.steps.some(({ rule }) => rule === 'override');
      return isByOverride && latestDecision.time > from ? latestDecision.id : undefined;
    });
    const fields = '{ isForced intervention { id against maxReplicas replicas } end { time actor reason } }';
    const blame = async () => {
      const answer = await ask(`{ decision(id: "${decided}") { blame { interventions ${fields} } } }`);
      const { body } = await askRest(application, {
        path: `/decisions/${encodeURIComponent(decided)}/blame`,
      });
      return [answer, body];
    };
    const intervention = {
      id,
      against: [expect.stringMatching(/^guardrail /)],
      maxReplicas: 21,
      replicas: 8,
    };
    const told = (end: object | null) => {
      const interventions = [{ isForced: true, intervention, end }];
      return [{ decision: { blame: { interventions } } }, { interventions }];
    };
    expect(await blame()).toMatchObject(told(null));
    await end('endOverride', id);
    const ended = { time: expect.any(String), actor: 'the-operator', reason: 'it is over' };
    expect(await blame()).toMatchObject(told(ended));
  });

  it('says of the entry of a beginning when and by whom it was ended, and of others nothing', async () => {
    const from = new Date().toISOString();
    const { id } = await begun(override('minReplicas: 3'));
    await end('endOverride', id);
    const answer = await ask(`{ auditEntries(first: 2, where: { kinds: [OperatorAction], from: "${from}" }) {
      edges { node { ... on OperatorAction { action end { time actor reason } } } }
    } }`);
    const ended = { time: expect.any(String), actor: 'the-operator', reason: 'it is over' };
    expect(answer).toEqual({
      auditEntries: {
        edges: [
          { node: { action: 'EndOverride', end: null } },
          { node: { action: 'OverrideReplicas', end: ended } },
        ],
      },
    });
    const { body } = await askRest(application, { path: `/audit-entries?kind=OperatorAction&from=${from}` });
    const [last, first] = body['items'] as readonly { readonly id: string; readonly end: unknown }[];
    expect([last?.end, first?.end]).toEqual([null, ended]);
    const one = await askRest(application, {
      path: `/audit-entries/${encodeURIComponent(first?.id ?? '')}`,
    });
    expect(one.body['end']).toEqual(ended);
  });

  it('finds by a policy what operators did to it and to its namespace, and nothing of other policies', async () => {
    const [from, expires] = [new Date().toISOString(), inAnHour()];
    const one = 'scope: Policy, namespace: "shop", name: "web"';
    const dryRun = `mutation { startDryRun(${one}, expires: "${expires}", reason: "a test") { ... on Intervention { id } ${orRefusal} } }`;
    await end('endSuspension', (await begun(suspend(one))).id);
    await end('endOverride', (await begun(override('minReplicas: 3'))).id);
    await end('endDryRun', (await begun(dryRun)).id);
    await end('endSuspension', (await begun(suspend('scope: Namespace, namespace: "shop"'))).id);
    expect(await ask(override('maxReplicas: 21'))).toBe('OutsideGuardrails');
    const release = `mutation { releasePolicy(source: "policies", namespace: "shop", name: "web", reason: "a test") { __typename ${orRefusal} } }`;
    expect(await ask(release, 'viewer')).toBe('Forbidden');

    const answer = await ask(`{ auditEntries(first: 50, where: {
      kinds: [OperatorAction], policy: { namespace: "shop", name: "web" }, from: "${from}"
    }) { edges { node { policy { namespace name } ... on OperatorAction { action outcome } } } } }`);
    const ofNamespace = [
      ['Accepted', 'EndSuspension'],
      ['Accepted', 'SuspendScaling'],
    ] as const;
    const done = [
      ['Refused', 'ReleasePolicy'],
      ['Refused', 'OverrideReplicas'],
      ...ofNamespace,
      ['Accepted', 'EndDryRun'],
      ['Accepted', 'StartDryRun'],
      ['Accepted', 'EndOverride'],
      ['Accepted', 'OverrideReplicas'],
      ['Accepted', 'EndSuspension'],
      ['Accepted', 'SuspendScaling'],
    ] as const;
    const isOfPolicy = expect.objectContaining({ name: 'web' });
    const named = done.map((each) => ({
      policy: ofNamespace.includes(each as never) ? null : isOfPolicy,
      outcome: each[0],
      action: each[1],
    }));
    expect(answer).toEqual({ auditEntries: { edges: named.map((node) => ({ node })) } });
    const { body } = await askRest(application, {
      path: `/audit-entries?first=50&kind=OperatorAction&policy=shop/web&from=${from}`,
    });
    expect(body['items']).toEqual(
      named.map(({ policy, outcome, action }) =>
        expect.objectContaining({ policy, payload: expect.objectContaining({ outcome, action }) }),
      ),
    );
    const other = await askRest(application, {
      path: `/audit-entries?policy=shop/native&kind=OperatorAction&from=${from}`,
    });
    const actionsOf = (
      other.body['items'] as readonly { readonly payload: { readonly action: string } }[]
    ).map(({ payload }) => payload.action);
    expect(actionsOf).toEqual(['EndSuspension', 'SuspendScaling']);
  });

  it('refuses one more than may stand for a policy, the dry run of it, too, and says how many may', async () => {
    const from = Date.now();
    const one = (hour: number) =>
      suspend(
        'scope: Policy, namespace: "shop", name: "web"',
        new Date(from + hour * 3_600_000).toISOString(),
      );
    const ids: string[] = [];
    for (let hour = 1; hour <= 10; hour += 1) ids.push((await begun(one(hour))).id);
    const full = {
      code: 'TooManyInterventions',
      message: '10 interventions for shop/web stand, of at most 10; end one of them first',
    };
    expect(await refusal(one(11))).toMatchObject(full);
    expect(await refusal(one(11).replace('reason:', 'dryRun: true, reason:'), 'admin')).toMatchObject(full);
    for (const id of ids) await end('endSuspension', id);
    const { id } = await begun(one(11));
    await end('endSuspension', id);
    expect(await ask('{ interventions { id } }')).toEqual({ interventions: [] });
  });

  it('is one where a person asks for the same again within a minute, with an end that is as much later', async () => {
    const scope = 'scope: Policy, namespace: "shop", name: "web"';
    const inMilliseconds = (more: number) => new Date(Date.parse(first) + more).toISOString();
    const first = inAnHour();
    const { id } = await begun(suspend(scope, first));
    const again = suspend(scope, inMilliseconds(800));
    expect(await refusal(again)).toMatchObject({ code: 'AlreadyInForce', standing: { id } });
    const others = [
      await begun(again.replace('a test', 'another reason')),
      await begun(suspend(scope, inMilliseconds(60_801))),
    ];
    for (const each of [id, ...others.map((other) => other.id)]) await end('endSuspension', each);
  });

  it('shows the second of two operators what the first did', async () => {
    const expires = inAnHour();
    const same = suspend('scope: Policy, namespace: "shop", name: "web"', expires);
    const both = await Promise.all([refusal(same, 'operator'), refusal(same, 'approver')]);
    const second = both.find(({ code }) => code !== undefined);
    expect(second).toMatchObject({
      code: 'AlreadyInForce',
      message: expect.stringContaining('a test'),
      standing: { direction: 'Down', expires },
    });
    const id = second?.standing?.id ?? '';
    const rehearsed = await refusal(same.replace('reason:', 'dryRun: true, reason:'));
    expect(rehearsed).toMatchObject({ code: 'AlreadyInForce', standing: { id } });
    const later = suspend(
      'scope: Policy, namespace: "shop", name: "web"',
      new Date(Date.now() + 7_200_000).toISOString(),
    );
    const longer = (await begun(
      later.replace('{ id }', '{ id begun { policies standing { id actor reason } } }'),
    )) as { readonly id: string; readonly begun: object };
    expect(longer.begun).toEqual({
      policies: 1,
      standing: [{ id, actor: second?.standing?.actor, reason: 'a test' }],
    });
    await end('endSuspension', longer.id);
    await end('endSuspension', id);
    expect((await refusal(ending('endSuspension', id), 'approver')).message).toContain(
      'the-operator did EndSuspension',
    );
    // Who asks may not know of which kind it was.
    expect((await refusal(ending('endOverride', id), 'approver')).message).toContain(
      `no intervention ${id} stands: the-operator did EndSuspension`,
    );
  });

  it('begins a dry run at once, and takes it back', async () => {
    const started = (await ask(
      `mutation { startDryRun(scope: Cluster, expires: "${inAnHour()}", reason: "a test") { ... on Intervention { id kind } ${orRefusal} } }`,
    )) as { readonly startDryRun: { readonly id: string; readonly kind: string } };
    expect(started.startDryRun.kind).toBe('DryRun');
    const pinned = await begun(override('replicas: 5'));
    await soon('a dry pass', async () => {
      const { body } = await application.ask('{ policies { edges { node { status { reason } } } } }');
      return JSON.stringify(body).includes('"reason":"DryRun"') || undefined;
    });
    expect(scales.replicasOf(target)).toBe(8);
    await end('endDryRun', started.startDryRun.id);
    await soon('the count', () => Promise.resolve(scales.replicasOf(target) === 5 || undefined));
    await end('endOverride', pinned.id);
    expect((await actions()).map((action) => (action as { readonly action: string }).action)).toEqual([
      'StartDryRun',
      'OverrideReplicas',
      'EndDryRun',
      'EndOverride',
    ]);
    await scaledTo(8);
  });

  describe.each([
    {
      name: 'Git is down',
      begin: async () => {
        await rename(repositoryFolder(), `${repositoryFolder()}.gone`);
        expect(await ask(syncNow)).toEqual({ syncNow: { result: 'failed' } });
      },
      end: async () => {
        await rename(`${repositoryFolder()}.gone`, repositoryFolder());
        expect(await ask(syncNow)).not.toEqual({ syncNow: { result: 'failed' } });
      },
    },
    ...(['Rejects', 'Hangs'] as const).map((kind) => ({
      name: `a source of metrics ${kind === 'Hangs' ? 'hangs' : 'fails'}`,
      begin: async () => {
        metrics.set(queried, kind === 'Hangs' ? { kind } : { kind, message: 'it is down' });
        const asked = metrics.queries.length;
        const interval = kind === 'Hangs' ? '7m' : '6m';
        application.repository.commit('Look less often', {
          'web.yaml': documents['web.yaml'].replace('interval: 5m', `interval: ${interval}`),
        });
        await ask(syncNow);
        await soon('a pass asks', () => Promise.resolve(metrics.queries.length > asked || undefined));
      },
      end: async () => {
        await Promise.resolve();
        metrics.set(queried, answer);
      },
    })),
  ])('while $name', ({ begin: breakDown, end: mend }) => {
    beforeAll(breakDown);
    afterAll(mend);

    it('are in force at once, and out of it', async () => {
      const pinned = await begun(override('replicas: 6'));
      await soon('the pin', () => Promise.resolve(scales.replicasOf(target) === 6 || undefined));
      const stopped = await begun(suspend('scope: Policy, namespace: "shop", name: "web"'));
      expect(await ask('{ policy(namespace: "shop", name: "web") { states } }')).toEqual({
        policy: { states: expect.arrayContaining(['Suspended', 'Overridden']) },
      });
      await end('endSuspension', stopped.id);
      await end('endOverride', pinned.id);
      await scaledTo(8);
    });
  });

  it('refuses a dry run of a policy whose native controller scales, naming the suspension', async () => {
    const dry = `mutation { startDryRun(scope: Policy, namespace: "shop", name: "native", expires: "${inAnHour()}", reason: "a test") { ... on Intervention { id } ${orRefusal} } }`;
    expect(await refusal(dry)).toMatchObject({
      code: 'NativeActuation',
      message: expect.stringContaining('suspend it instead'),
    });
  });

  it.each([
    { scope: 'scope: Policy, namespace: "shop", name: "web"', want: 'begun' },
    { scope: 'scope: Namespace, namespace: "shop"', want: 'begun' },
    { scope: 'scope: Source, source: "policies"', want: 'begun' },
    { scope: 'scope: MetricSource, metricSource: "metrics.k8s.io"', want: 'begun' },
    { scope: 'scope: MetricSource, metricSource: "prometheus/other"', want: 'BadArgument' },
    { scope: 'scope: MetricSource', want: 'BadArgument' },
    { scope: 'scope: MetricSource, metricSource: "metrics.k8s.io", namespace: "shop"', want: 'BadArgument' },
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

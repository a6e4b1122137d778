import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Reconciler } from '#reconciliation';
import { FakeMetrics, FakeScales } from '#reconciliation/testing';
import { grantEverywhere, type Principal } from '../../../apps/controller/src/auth/callers/principal.ts';
import { clusterToken } from '../../../apps/controller/src/cluster/cluster.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aCluster, type AnApplication, anApplication, codesOf, orRefusal } from './an-application.ts';

jest.setTimeout(60_000);

const policyText = (
  namespace: string,
  name: string,
  max: number,
): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  interval: 5m
  minReplicas: 2
  maxReplicas: ${max}
  metrics:
    - type: External
      external: { metric: { name: queue }, target: { type: AverageValue, averageValue: "1" } }
`;

const person = (name: string): Principal => ({
  name,
  grants: grantEverywhere('approver'),
  email: `${name}@example.com`,
});

interface Blame {
  readonly version: {
    readonly validFrom: string;
    readonly document: { readonly spec: { maxReplicas: number } };
  };
  readonly revision: { readonly finishedAt: string } | null;
  readonly sync: { readonly time: string } | null;
  readonly change: { readonly time: string } | null;
}

const blameText = `blame {
  version { validFrom document origin { commit { hash } } }
  change { time commit { hash } }
  revision { outcome finishedAt commit { hash } }
  allowedBy { action by reason time digest }
  sync { time outcome commit { hash } }
  notVisible { part source message }
}`;

describe('what let a version into force is told of its decisions', () => {
  let application: AnApplication;
  let first: string;
  let second: string;
  let released = '';

  beforeAll(async () => {
    const cluster = aCluster();
    const metrics = new FakeMetrics();
    const scales = new FakeScales();
    scales.set({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' }, 8);
    metrics.set(
      { namespace: 'shop', selector: 'app=web' },
      { kind: 'Answers', metrics: [{ values: ['20'] }] },
    );
    application = await anApplication({
      configuration: (folder: string) => ({
        namespaces: ['shop', 'pay'],
        // Its repository has no forge that would know who takes part.
        sources: [
          {
            name: 'policies',
            url: `file://${folder}/policies`,
            interval: '1h',
            unknownApprovers: 'Allowed',
          },
        ],
      }),
      callers: [
        ...['ada', 'ben', 'olga'].map(person),
        { name: 'shopkeeper', grants: [{ role: 'viewer', namespaces: ['shop'] }] },
      ],
      override: (testing) =>
        testing.overrideProvider(clusterToken).useValue({
          ...cluster,
          metrics: Object.assign(metrics, { ...cluster.metrics, openTick: metrics.openTick.bind(metrics) }),
          kubernetes: { ...cluster.kubernetes, scales },
        }),
    });
    first = application.repository.commit('Scale the shop', {
      'web.yaml': policyText('shop', 'web', 9),
      'ledger.yaml': policyText('pay', 'ledger', 9),
    });
    await application.nest.init();
  });
  afterAll(() => application.close());

  const ask = async (query: string, caller: string): Promise<unknown> => {
    const answer = await application.askAs(caller, query);
    expect(codesOf(answer)).toEqual([]);
    return answer.body.data;
  };
  const rest = async (path: string, caller: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${application.callerTokens[caller]}` };
    const answer = await fetch(`${application.url()}/api/v1${path}`, { headers });
    return answer.json();
  };
  const act = (caller: string, action: string): Promise<unknown> =>
    ask(`mutation { action: ${action} { __typename ${orRefusal} } }`, caller);
  const digestOfHold = async (): Promise<string> => {
    const { sources } = (await ask('{ sources { holds { digest } } }', 'ada')) as {
      readonly sources: readonly { readonly holds: readonly { readonly digest: string }[] }[];
    };
    return sources[0]?.holds[0]?.digest ?? 'none';
  };

  const latestBlame = async (caller: string): Promise<Blame | undefined> => {
    const { policy } = (await ask(
      `{ policy(namespace: "shop", name: "web") { latestDecision { ${blameText} } } }`,
      caller,
    )) as { readonly policy: { readonly latestDecision: { readonly blame: Blame } | null } | null };
    return policy?.latestDecision?.blame;
  };

  /** Of the first decision by a version that begins later. */
  const blameOf = (maxReplicas: number, since: string): Promise<Blame> =>
    soon(`a decision by the version with ${maxReplicas}`, async () => {
      const blame = await latestBlame('ada');
      const isIt =
        blame?.version.document.spec.maxReplicas === maxReplicas && blame.version.validFrom > since;
      return isIt ? blame : undefined;
    });

  /** All of it is of one moment. */
  const expectOneMoment = ({ version: { validFrom }, revision, sync, change }: Blame): void => {
    expect([revision?.finishedAt, sync?.time, change?.time]).toEqual([validFrom, validFrom, validFrom]);
  };

  const time: unknown = expect.any(String);
  const done = { time, digest: null };
  let last = '';

  it('nobody, where the commit needed nobody', async () => {
    const blame = await blameOf(9, last);
    expect(blame).toMatchObject({ allowedBy: [], revision: { outcome: 'active', commit: { hash: first } } });
    expectOneMoment(blame);
    last = blame.version.validFrom;
  });

  it('who approved what was held', async () => {
    second = application.repository.commit('Shrink the shop', { 'web.yaml': policyText('shop', 'web', 4) });
    await act('olga', 'syncNow(source: "policies")');
    const digest = await digestOfHold();
    await act('ada', `approveHold(source: "policies", digest: "${digest}", reason: "it is off-season")`);

    const blame = await blameOf(4, last);
    expect(blame).toMatchObject({
      allowedBy: [{ action: 'ApproveHold', by: 'ada', reason: 'it is off-season', time, digest }],
      revision: { commit: { hash: second } },
      sync: { outcome: 'active', commit: { hash: second } },
      notVisible: [],
    });
    expectOneMoment(blame);
    expect(await latestBlame('shopkeeper')).toMatchObject({
      version: { validFrom: blame.version.validFrom },
      change: { time: blame.version.validFrom },
      allowedBy: null,
      revision: null,
      sync: null,
      notVisible: [
        ...['Revision', 'AllowedBy'].map((part) => ({
          part,
          source: 'policies',
          message: 'needs viewer of all namespaces of source policies',
        })),
        ...['Sync', 'Review'].map((part) => ({
          part,
          source: null,
          message: 'needs viewer of all namespaces',
        })),
      ],
    });
    last = blame.version.validFrom;
  });

  it('who rolled back, and when: not when the commit first came into force', async () => {
    await act('olga', `rollBackSource(source: "policies", commit: "${first}", reason: "it is slow")`);

    const blame = await blameOf(9, last);
    expect(blame).toMatchObject({
      version: { origin: { commit: { hash: first } } },
      allowedBy: [{ action: 'RollBackSource', by: 'olga', reason: 'it is slow', ...done }],
      revision: { outcome: 'active', commit: { hash: first } },
      sync: { outcome: 'active', commit: { hash: first } },
    });
    expectOneMoment(blame);
    last = blame.version.validFrom;
  });

  it('of each version, to who may see all of its source', async () => {
    const versions =
      '{ policy(namespace: "shop", name: "web") { versions { edges { node { allowedBy { action by } } } } } }';
    const edges = (...allowedBy: readonly unknown[]): unknown => ({
      policy: { versions: { edges: allowedBy.map((each) => ({ node: { allowedBy: each } })) } },
    });
    expect(await ask(versions, 'ada')).toEqual(
      edges([{ action: 'RollBackSource', by: 'olga' }], [{ action: 'ApproveHold', by: 'ada' }], []),
    );
    expect(await ask(versions, 'shopkeeper')).toEqual(edges(null, null, null));
  });

  it('who resumed the source', async () => {
    await act('ada', 'resumeSource(source: "policies", reason: "it is mended")');

    const blame = await blameOf(4, last);
    expect(blame).toMatchObject({
      allowedBy: [{ action: 'ResumeSource', by: 'ada', reason: 'it is mended', ...done }],
      revision: { commit: { hash: second } },
    });
    expectOneMoment(blame);
    last = blame.version.validFrom;
  });

  it('who took back the release of the policy, which keeps its commit', async () => {
    const web = 'source: "policies", namespace: "shop", name: "web"';
    await act('ada', `releasePolicy(${web}, reason: "by hand for now")`);
    // What is taken back before the next sweep was never carried out, so no pass begins for it.
    const sweep = jest.spyOn(application.nest.get(Reconciler), 'sweep');
    await soon('a sweep without the policy', () => sweep.mock.calls.length > 0 || undefined);
    // Its commit is not the newest any more.
    released = application.repository.commit('Grow the ledger', {
      'ledger.yaml': policyText('pay', 'ledger', 12),
    });
    await act('olga', 'syncNow(source: "policies")');
    await act('ben', `resumePolicy(${web}, reason: "no more by hand")`);

    const blame = await blameOf(4, last);
    expect(blame).toMatchObject({
      version: { origin: { commit: { hash: second } } },
      change: { commit: { hash: released } },
      allowedBy: [{ action: 'ResumeSource', by: 'ben', reason: 'no more by hand', ...done }],
      revision: { commit: { hash: released } },
      sync: { commit: { hash: released } },
    });
    expectOneMoment(blame);
  });

  it('who let it leave, to who may see all of its source', async () => {
    const removed = application.repository.commit('Nothing', { 'web.yaml': null, 'ledger.yaml': null });
    await act('olga', 'syncNow(source: "policies")');
    const digest = await digestOfHold();
    await act('ada', `approveHold(source: "policies", digest: "${digest}", reason: "it is closed")`);

    const left = { departure: 'Pruned', removedBy: { hash: removed } };
    const approval = { action: 'ApproveHold', by: 'ada', reason: 'it is closed', time, digest };
    const latest = `{ decisions(first: 1, where: { policy: { namespace: "shop", name: "web" } }) { edges { node { blame {
      version { departure removedBy { hash } removalAllowedBy { action by reason time digest } }
    } } } } }`;
    const answer = (removalAllowedBy: unknown): unknown => ({
      decisions: { edges: [{ node: { blame: { version: { ...left, removalAllowedBy } } } }] },
    });
    expect(await ask(latest, 'ada')).toEqual(answer([approval]));
    expect(await ask(latest, 'shopkeeper')).toEqual(answer(null));

    const wire = (removalAllowedBy: unknown): unknown =>
      expect.objectContaining({
        ...left,
        removedBy: expect.objectContaining({ hash: removed }),
        removalAllowedBy,
      });
    for (const [caller, allowed] of [
      ['ada', [approval]],
      ['shopkeeper', null],
    ] as const) {
      expect(await rest('/policies/shop/web/versions?first=1', caller)).toMatchObject({
        items: [wire(allowed)],
      });
      expect(await rest('/policies/shop/web/blame', caller)).toMatchObject({ version: wire(allowed) });
    }
  });
});

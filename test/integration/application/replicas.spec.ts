import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  type Leadership,
  leadershipToken,
} from '../../../apps/controller/src/coordination/shards/leadership.ts';
import { policySyncToken } from '../../../apps/controller/src/git-sync/git-sync.module.ts';
import type { PolicySync } from '../../../apps/controller/src/git-sync/policy-sync.ts';
import { LedgerFeed } from '../../../apps/controller/src/ledger/ledger-feed.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aSubscriber } from '../../support/graphql-subscriber.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { type AnApplication, anApplication, orRefusal } from './an-application.ts';
import {
  carriedOut,
  lostReasons,
  problemsAt,
  stringPlaces,
  whatMayChange,
} from './support/hostile-strings.ts';

jest.setTimeout(120_000);

const policy = (name: string, maxReplicas: number): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  interval: 5m
  maxReplicas: ${maxReplicas}
`;

const syncNow = `mutation { syncNow(source: "policies") { ${orRefusal} } }`;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe('a process that is not the leader', () => {
  let postgres: TestPostgres;
  let leader: AnApplication;
  let follower: AnApplication;
  let ended: Promise<unknown>;

  beforeAll(async () => {
    postgres = await startPostgres();
    const database = { url: await postgres.createDatabase('replicas') };
    leader = await anApplication({
      configuration: {
        database,
        listen: { port: 0, metricsPort: 0, requestsPerSecond: { perCaller: 100_000, perAddress: 100_000 } },
      },
    });
    leader.repository.commit('Add a and b', { 'a.yaml': policy('a', 5), 'b.yaml': policy('b', 5) });
    await leader.nest.init();
    const sources = [{ name: 'policies', url: leader.repository.url, interval: '1h' }];
    follower = await anApplication({
      configuration: { database, sources },
      override: (testing) =>
        testing.overrideProvider(leadershipToken).useValue({
          mode: 'Replicas',
          reason: null,
          isLeader: () => false,
          leaderUrl: () => Promise.resolve(leader.url()),
          replicas: () => [],
          takesShards: () => true,
          leaseHolders: () => null,
          modeOfHolder: () => null,
          carriedOutMilliseconds: () => null,
        } satisfies Leadership),
    });
    // It waits for the other to end, and so until it is ended itself.
    ended = follower.nest.init().catch((error: unknown) => error);
    await soon('the follower listens', async () => fetch(`${follower.url()}/healthz`).catch(() => undefined));
  });
  afterAll(async () => {
    await follower.close();
    await ended;
    await leader.close();
    await postgres.stop();
  });

  const maximums = async (application: AnApplication): Promise<readonly string[]> => {
    const { body } = await application.ask('{ policies { edges { node { name maxReplicas } } } }');
    const { policies } = body.data as {
      readonly policies: {
        readonly edges: readonly { readonly node: { readonly name: string; readonly maxReplicas: number } }[];
      };
    };
    return policies.edges.map(({ node }) => `${node.name} ${node.maxReplicas}`);
  };
  const interventions = async (application: AnApplication): Promise<readonly string[]> => {
    const { body } = await application.ask('{ interventions { id } }');
    return (body.data as { readonly interventions: readonly { readonly id: string }[] }).interventions.map(
      ({ id }) => id,
    );
  };

  it('has in force what the leader puts into force, what it changes and what leaves', async () => {
    await soon('both policies', async () => (await maximums(follower)).length === 2 || undefined);
    expect(await maximums(follower)).toEqual(['a 5', 'b 5']);
    // Nothing that a replica needs to be ready waits for a look at the sources of its own.
    expect(follower.nest.get<PolicySync>(policySyncToken).missing()).toBeUndefined();
    const commit = leader.repository.commit('Change a, remove b', {
      'a.yaml': policy('a', 7),
      'b.yaml': null,
    });
    await leader.ask(syncNow);
    await soon('the change', async () => (await maximums(follower)).includes('a 7') || undefined);
    expect(await maximums(follower)).toEqual(['a 7']);
    const { body } = await follower.ask('{ sources { name commit { hash } } }');
    expect(body.data).toEqual({ sources: [{ name: 'policies', commit: { hash: commit } }] });
  });

  it('knows tokens, and sends actions to the leader with them', async () => {
    const create = `mutation { createToken(name: "ci", grants: [{ role: operator, namespaces: ["*"] }], expires: "${inAnHour()}", reason: "a test") { ... on CreatedToken { secret token { name } } ${orRefusal} } }`;
    const created = (await leader.ask(create)).body.data as {
      readonly createToken: { readonly secret: string; readonly token: { readonly name: string } };
    };
    const { secret, token } = created.createToken;
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const path = `${follower.url()}/api/v1/interventions`;
    await soon(
      'the token is known',
      async () => (await fetch(`${follower.url()}/api/v1/interventions`, { headers })).ok || undefined,
    );
    const scope = { kind: 'Policy', namespace: 'shop', name: 'a' };
    const body = JSON.stringify({
      kind: 'Suspend',
      scope,
      direction: 'Both',
      reason: 'by the follower',
      expires: inAnHour(),
    });
    const begun = await fetch(path, { method: 'POST', headers, body });
    const { id } = (await begun.json()) as { readonly id: string };
    expect(begun.status).toBe(201);
    expect(await interventions(leader)).toEqual([id]);
    const end = `mutation { endSuspension(id: "${id}", reason: "over") { ${orRefusal} } }`;
    const ending = await fetch(`${follower.url()}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: end }),
    });
    expect(await ending.json()).toEqual({ data: { endSuspension: {} } });
    const { body: recorded } = await leader.ask(
      '{ auditEntries(where: { kinds: [OperatorAction] }, first: 2) { edges { node { ... on OperatorAction { actor action } } } } }',
    );
    expect(recorded.data).toEqual({
      auditEntries: {
        edges: ['EndSuspension', 'SuspendScaling'].map((action) => ({ node: { actor: token.name, action } })),
      },
    });
  });

  it('tells its subscribers of what the leader records, in order, once', async () => {
    const subscriber = await aSubscriber(follower.url(), {
      authorization: `Bearer ${follower.tokens.viewer}`,
    });
    await subscriber.initialise();
    const feed = follower.nest.get(LedgerFeed);
    subscriber.subscribe('1', 'subscription { actions { reason } }');
    await soon('it listens', () => feed.isWanted('OperatorAction') || undefined);
    const reasons = ['Up', 'Down', 'Both'];
    for (const reason of reasons) {
      await leader.ask(
        `mutation { suspendScaling(scope: Cluster, direction: ${reason}, reason: "${reason}", expires: "${inAnHour()}") { __typename } }`,
      );
    }
    const told = (): readonly string[] =>
      subscriber
        .results('1')
        .map((each) => (each as { data: { actions: { reason: string } } }).data.actions.reason);
    await soon('the last', () => told().includes('Both') || undefined);
    expect(told().filter((reason) => reasons.includes(reason))).toEqual(reasons);
    subscriber.close();
    await subscriber.whenClosed();
    for (const id of await interventions(leader))
      await leader.ask(`mutation { endSuspension(id: "${id}", reason: "over") { __typename } }`);
    await soon('the end', async () => (await interventions(follower)).length === 0 || undefined);
  });

  it('says who holds what, since when', async () => {
    const query = '{ replicas { isLeader isThis aloneBecause shards } shards { shard holder since epoch } }';
    interface Answer {
      readonly replicas: readonly object[];
      readonly shards: readonly { readonly holder: string; readonly since: string }[];
    }
    const ofLeader = (await leader.ask(query)).body.data as Answer;
    const all = Array.from({ length: 16 }, (_, shard) => shard);
    expect(ofLeader.replicas).toEqual([
      { isLeader: true, isThis: true, aloneBecause: 'replicas are not configured', shards: all },
    ]);
    const [{ holder, since } = { holder: '', since: '' }] = ofLeader.shards;
    expect(Date.parse(since)).toBeLessThan(Date.now() + 60_000);
    expect(ofLeader.shards).toEqual(
      all.map((shard) => ({ shard, holder, since: expect.any(String), epoch: '1' })),
    );
    const ofFollower = (await follower.ask(query)).body.data as Answer;
    expect(ofFollower.replicas).toEqual([{ isLeader: true, isThis: false, aloneBecause: null, shards: all }]);
    expect(ofFollower.shards).toEqual(ofLeader.shards);
  });

  it('knows interventions while they stand', async () => {
    const begin = `mutation { suspendScaling(scope: Cluster, direction: Down, reason: "a test", expires: "${inAnHour()}") { ... on Intervention { id } ${orRefusal} } }`;
    const { id } = ((await leader.ask(begin)).body.data as { suspendScaling: { id: string } }).suspendScaling;
    await soon('the beginning', async () => (await interventions(follower)).includes(id) || undefined);
    await leader.ask(`mutation { endSuspension(id: "${id}", reason: "over") { ${orRefusal} } }`);
    await soon('the end', async () => (await interventions(follower)).length === 0 || undefined);
  });

  describe('and its leader on PostgreSQL, given texts that nobody means', () => {
    let before: string;
    beforeAll(async () => {
      await carriedOut(leader);
      before = await whatMayChange(leader);
    });

    it.each(stringPlaces)('refuse them for $place with a code, or find nothing', async (place) => {
      expect(await problemsAt(leader, place)).toEqual([]);
    });

    it('change nothing', async () => {
      expect(await whatMayChange(leader)).toBe(before);
    });

    it('record them as reasons as they stand, or refuse them', async () => {
      expect(await lostReasons(leader)).toEqual([]);
    });

    it('log no error', () => {
      expect(leader.log.filter(({ level }) => level >= 50)).toEqual([]);
    });
  });
});

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { soon } from '../../e2e/support/soon.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import type { AnApplication } from './an-application.ts';
import { ElectedReplicas } from './support/elected-replicas.ts';

jest.setTimeout(400_000);

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const policy = (name: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  interval: 5s
  maxReplicas: 5
`;

const fleet = `{
  policies { edges { node { name states recentReplicas status { reason } } } }
  replicas { url seenAt knownFrom takesShards }
  degraded { what message }
}`;

/** What a policy's page asks for, and a source's: of each the part that the database would have to answer, too. */
const pages = `{
  policy(namespace: "shop", name: "NAME") {
    latestDecision { id }
    status { decision { recordedAs action reason steps { rule } metrics { name } } }
    chart(from: "FROM", steps: 4) { knownFrom isComplete specReplicas { mean } }
  }
  sources { name recentRevisions(first: 1) { outcome } }
}`;

interface Pages {
  readonly policy: {
    readonly latestDecision: object | null;
    readonly status: { readonly decision: object | null };
    readonly chart: object | null;
  };
  readonly sources: readonly object[];
}

interface Fleet {
  readonly policies: { readonly edges: readonly { readonly node: PolicyNode }[] };
  readonly replicas: readonly object[];
  readonly degraded: readonly { readonly what: string; readonly message: string | null }[];
}

interface PolicyNode {
  readonly name: string;
  readonly states: readonly string[];
  readonly recentReplicas: readonly unknown[];
  readonly status: object | null;
}

describe('two replicas whose PostgreSQL goes away', () => {
  let postgres: TestPostgres;
  let replicas: ElectedReplicas;

  beforeAll(async () => {
    postgres = await startPostgres();
    replicas = new ElectedReplicas(await postgres.createDatabase('away'));
    const first = await replicas.add();
    first.repository.commit(
      'Add six',
      Object.fromEntries(names.map((name) => [`${name}.yaml`, policy(name)])),
    );
    await first.nest.init();
    await (await replicas.add()).nest.init();
    await replicas.untilShared(8, 8);
    await everywhere('every policy has been decided', async (each) => {
      const { policies } = await fleetAt(each);
      const known = policies.edges.filter(({ node }) => node.status !== null);
      return known.length === names.length || undefined;
    });
  });
  afterAll(async () => {
    await replicas.close();
    await postgres.stop();
  });

  const everywhere = (what: string, probe: (each: AnApplication) => Promise<true | undefined>) =>
    Promise.all(replicas.all.map((each) => soon(what, () => probe(each))));
  const fleetAt = async (each: AnApplication): Promise<Fleet> => (await each.ask(fleet)).body.data as Fleet;
  const pagesAt = async (
    each: AnApplication,
    name: string,
  ): Promise<{ readonly data: Pages; readonly errors: readonly string[] }> => {
    const from = new Date(Date.now() - 600_000).toISOString();
    const { body } = await each.ask(pages.replace('NAME', name).replace('FROM', from));
    const errors = (body.errors ?? []).map(({ extensions }) => extensions.code);
    return { data: body.data as Pages, errors };
  };
  const get = (each: AnApplication, path: string): Promise<Response> =>
    fetch(`${each.url()}${path}`, { headers: { authorization: `Bearer ${each.tokens.viewer}` } });
  const databaseCheck = async (each: AnApplication) => {
    const answer = await get(each, '/readyz');
    const { checks } = (await answer.json()) as {
      readonly checks: readonly { readonly name: string; readonly note: string | null }[];
    };
    const found = checks.find(({ name }) => name === 'database');
    return { status: answer.status, note: found?.note ?? null };
  };

  it.each([
    {
      name: 'is stopped',
      leave: () => postgres.crash(),
      comeBack: () => postgres.restart(),
      condition: 'it takes no connections',
    },
    {
      name: 'holds its connections open and is silent',
      leave: () => Promise.resolve().then(postgres.pause),
      comeBack: () => Promise.resolve().then(postgres.resume),
      condition: 'it does not answer in time',
    },
  ])(
    'say so while it $name, and answer all that they have in memory',
    async ({ leave, comeBack, condition }) => {
      await leave();
      await everywhere('the probe', async (each) => (await databaseCheck(each)).note !== null || undefined);
      for (const each of replicas.all) {
        const { status, note } = await databaseCheck(each);
        expect(status).toBe(200);
        expect(note).toContain(
          ` (${condition}): policies in force are decided from memory, the journal keeps`,
        );
        expect(note).not.toContain('127.0.0.1');
        const refused = await get(each, '/api/v1/decisions');
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
        expect(await refused.json()).toMatchObject({
          code: 'DatabaseUnavailable',
          detail: expect.stringMatching(/^the database cannot be reached since 20[\dT:-]+Z/),
        });
        const { policies, replicas: live, degraded } = await fleetAt(each);
        expect(policies.edges.map(({ node }) => node.name)).toEqual(names);
        for (const { node } of policies.edges) {
          expect(node).toMatchObject({ status: { reason: expect.any(String) } });
          expect([node.states.includes('StaleSource'), node.recentReplicas.length]).toEqual([false, 60]);
        }
        const known = { url: expect.any(String), seenAt: expect.any(String), knownFrom: 'Leases' };
        expect(live).toEqual([expect.objectContaining(known), expect.objectContaining(known)]);
        expect(degraded).toContainEqual({
          what: 'ledger',
          message: expect.stringContaining('nothing is scaled until the database is back'),
        });
      }
      // Each replica has decided some of the policies, and another one the rest.
      const found = await Promise.all(
        replicas.all.flatMap((each) => names.map((name) => pagesAt(each, name))),
      );
      for (const { data, errors } of found) {
        expect(data.sources).toEqual([{ name: 'policies', recentRevisions: null }]);
        expect(data.policy.latestDecision).toBeNull();
        expect(new Set(errors)).toEqual(new Set(['DatabaseUnavailable']));
      }
      const decided = found.filter(({ data }) => data.policy.status.decision !== null);
      expect(decided).toHaveLength(names.length);
      for (const { data } of decided) {
        expect(data.policy).toMatchObject({
          status: { decision: { reason: expect.any(String), steps: expect.any(Array) } },
          chart: { knownFrom: expect.any(String), isComplete: false },
        });
      }
      for (const { data } of found)
        expect(data.policy.chart === null).toBe(data.policy.status.decision === null);
      await comeBack();
      await everywhere('the end', async (each) => (await databaseCheck(each)).note === null || undefined);
      await everywhere('the ledger', async (each) => (await get(each, '/api/v1/decisions')).ok || undefined);
    },
  );
});

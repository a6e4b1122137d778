import { renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { defaultShardCount, shardOf } from '#coordination';
import { Shards } from '../../../apps/controller/src/coordination/shards/shards.ts';
import { soon } from '../../e2e/support/soon.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { type AnApplication, orRefusal } from './an-application.ts';
import { ElectedReplicas } from './support/elected-replicas.ts';

jest.setTimeout(400_000);

/** One per shard, so that each of two replicas has eight. */
const names = Array.from({ length: defaultShardCount }, (_, shard) => nameOfShard(shard));

const policyOf = (name: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  minReplicas: 2
  maxReplicas: 20
  interval: 4s
  behavior: { scaleDown: { stabilizationWindowSeconds: 0 } }
  metrics:
    - type: External
      external: { metric: { name: queue }, target: { type: AverageValue, averageValue: "1" } }
`;

function nameOfShard(shard: number): string {
  for (let number = 0; ; number += 1) {
    const name = `web-${number}`;
    if (shardOf({ namespace: 'shop', name }, defaultShardCount) === shard) return name;
  }
}

const targetOf = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name });

const occurrences = (data: object, text: string): number => JSON.stringify(data).split(text).length - 1;

describe('two replicas on one database', () => {
  let postgres: TestPostgres;
  let replicas: ElectedReplicas;
  let leader: AnApplication;
  let other: AnApplication;

  beforeAll(async () => {
    postgres = await startPostgres();
    replicas = new ElectedReplicas(await postgres.createDatabase('picture'));
    for (const name of names) {
      replicas.scales.set(targetOf(name), 20);
      replicas.scales.addWatched(targetOf(name));
    }
    propose(60);
    leader = await replicas.add();
    leader.repository.commit(
      'Scale the shop',
      Object.fromEntries(names.map((name) => [`${name}.yaml`, policyOf(name)])),
    );
    await leader.nest.init();
    await replicas.untilShared(16);
    other = await replicas.add();
    await other.nest.init();
    await replicas.untilShared(8, 8);
  });
  afterAll(async () => {
    await replicas.close();
    await postgres.stop();
  });

  function propose(count: number): void {
    for (const name of names) {
      replicas.metrics.set(
        { namespace: 'shop', selector: `app=${name}` },
        { kind: 'Answers', metrics: [{ values: [String(count)] }] },
      );
    }
  }

  const counts = (): readonly (number | undefined)[] =>
    names.map((name) => replicas.scales.replicasOf(targetOf(name)));

  interface Standing {
    readonly id: string;
    readonly reason: string;
  }
  const standingAt = async (application: AnApplication): Promise<readonly Standing[]> => {
    const { body } = await application.ask('{ interventions { id actor reason } }');
    return (body.data as { readonly interventions: readonly Standing[] }).interventions;
  };

  /** Waits until both answer the same that is accepted; what one has seen later, the other has a moment after it. */
  const sameOfBoth = (query: string, accept: (data: object) => boolean): Promise<object> =>
    soon(query, async () => {
      const [first, second] = await Promise.all([leader.ask(query), other.ask(query)]);
      expect([first.body.errors, second.body.errors]).toEqual([undefined, undefined]);
      const data = first.body.data as object;
      return JSON.stringify(data) === JSON.stringify(second.body.data) && accept(data) ? data : undefined;
    });

  it('answer the same of every policy, whichever of them decides it', async () => {
    const held = [leader, other].map(
      ({ nest }) => names.filter((name) => nest.get(Shards).holds({ namespace: 'shop', name })).length,
    );
    expect(held).toEqual([8, 8]);
    const policies = await sameOfBoth(
      `{ policies(first: 50) { edges { node {
        name states status { outcome reason replicas statusReplicas conditions { type status reason lastTransitionTime } }
      } } } }`,
      (data) => occurrences(data, '"outcome":"Done"') === names.length,
    );
    expect(occurrences(policies, '"states":["AtMaximum","Short"]')).toBe(names.length);
    expect(occurrences(policies, '"type":"Ready","status":"True"')).toBe(names.length);
    expect(occurrences(policies, '"replicas":20')).toBe(names.length);
    const filtered = '{ policies(first: 50, states: [Short]) { edges { node { name } } } }';
    expect(occurrences(await sameOfBoth(filtered, () => true), '"name"')).toBe(names.length);
    const fleet = await sameOfBoth(
      '{ fleet { policies unknown orphanedHpas holds interventions states { state policies } } }',
      () => true,
    );
    expect(fleet).toMatchObject({ fleet: { policies: names.length, unknown: 0, orphanedHpas: 0 } });
    expect(JSON.stringify(fleet)).toContain(`{"state":"AtMaximum","policies":${names.length}}`);
  });

  it('say since when a source cannot be looked at, and when it was looked at last', async () => {
    const sources =
      '{ sources { name lastSyncTime lastSync { result message } staleSince commit { hash } } }';
    const looked = (data: object): boolean => !JSON.stringify(data).includes('"lastSyncTime":null');
    expect(JSON.stringify(await sameOfBoth(sources, looked))).toContain('"staleSince":null');
    const folder = fileURLToPath(leader.repository.url);
    renameSync(folder, `${folder}-away`);
    const syncNow = `mutation { syncNow(source: "policies") { __typename } }`;
    await other.ask(syncNow);
    await sameOfBoth(sources, (data) => !JSON.stringify(data).includes('"staleSince":null'));
    const stale = '{ policies(first: 50, states: [StaleSource]) { edges { node { name } } } }';
    await sameOfBoth(stale, (data) => occurrences(data, '"name"') === names.length);
    renameSync(`${folder}-away`, folder);
    await other.ask(syncNow);
    await sameOfBoth(sources, (data) => JSON.stringify(data).includes('"staleSince":null'));
  });

  it('say of a source what a rollback and a resume came to, before anything looks at it again', async () => {
    const sources = '{ sources { commit { hash } holds { digest } lastSync { result message } } }';
    const { body } = await leader.ask('{ sources { commit { hash } } }');
    const [before] = (
      body.data as { readonly sources: readonly { readonly commit: { readonly hash: string } }[] }
    ).sources;
    const first = before?.commit.hash ?? '';
    const second = leader.repository.commit('Say what it is', { 'README.md': 'The shop' });
    const act = async (mutation: string): Promise<void> => {
      expect((await other.ask(`mutation { ${mutation} { __typename } }`)).body.errors).toBeUndefined();
    };
    await act('syncNow(source: "policies")');
    await act(`rollBackSource(source: "policies", commit: "${first}", reason: "a rehearsal")`);
    await sameOfBoth(
      sources,
      (data) => occurrences(data, `"active","message":"rolled back to ${first.slice(0, 12)} `) === 1,
    );
    await act('syncNow(source: "policies")');
    await sameOfBoth(sources, (data) => occurrences(data, '"held","message":"RolledBack') === 1);
    await act('resumeSource(source: "policies", reason: "it is over")');
    const resumed = await sameOfBoth(sources, (data) => occurrences(data, second) > 0);
    expect(resumed).toMatchObject({ sources: [{ holds: [], lastSync: { result: 'active' } }] });
    expect(JSON.stringify(resumed)).not.toContain('RolledBack');
  });

  it('have a fleet brake that closes where each of them alone has too few targets, and holds those of both', async () => {
    propose(2);
    for (const replica of [leader, other]) {
      await soon('the suspension', async () => (await standingAt(replica)).length === 1 || undefined);
      expect(await standingAt(replica)).toEqual([
        {
          id: expect.any(String),
          actor: 'fleet-brake',
          reason: expect.stringMatching(
            /^by external\.metrics\.k8s\.io, 1[0-6] of 16 targets would each lose/,
          ),
        },
      ]);
    }
    await soon('a decision of each replica that it stops', async () => {
      const { body } = await other.ask(
        '{ decisions(first: 100) { edges { node { steps { rule } policy { name } } } } }',
      );
      const { decisions } = body.data as {
        readonly decisions: {
          readonly edges: readonly {
            readonly node: {
              readonly steps: readonly { readonly rule: string }[];
              readonly policy: { readonly name: string };
            };
          }[];
        };
      };
      const stopped = decisions.edges.filter(({ node }) => node.steps.some(({ rule }) => rule === 'suspend'));
      return new Set(stopped.map(({ node }) => node.policy.name)).size === names.length || undefined;
    });
    expect(counts()).toEqual(names.map(() => 20));
  });

  it('let the targets of both go where an operator says so at any of them', async () => {
    const [suspension] = await standingAt(other);
    const end = `mutation { endSuspension(id: "${suspension?.id}", reason: "it is night") { ${orRefusal} } }`;
    expect((await other.ask(end)).body.data).toEqual({ endSuspension: {} });
    await soon('the minimum', () => counts().every((count) => count === 2) || undefined);
    for (const replica of [leader, other]) expect(await standingAt(replica)).toEqual([]);
  });

  it('leave all targets by one request to any of them', async () => {
    const preview =
      'mutation { releaseAll(to: None, dryRun: true) { ... on ActionPreview { effect { digest } } } }';
    const { body } = await other.ask(preview);
    const { digest } = (
      body.data as { readonly releaseAll: { readonly effect: { readonly digest: string } } }
    ).releaseAll.effect;
    const release = `mutation { releaseAll(to: None, confirm: "${digest}", reason: "we go") {
      ... on LeaveReport { waiting policies { policy { name } result message } } ${orRefusal}
    } }`;
    const report = await soon('all are left', async () => {
      const answer = (await other.ask(release)).body.data as { readonly releaseAll: LeaveReport };
      return answer.releaseAll.waiting === 0 ? answer.releaseAll : undefined;
    });
    expect(report.policies.map(({ policy }) => policy.name).toSorted()).toEqual(names.toSorted());
    expect(new Set(report.policies.map(({ result, message }) => `${result}: ${message}`))).toEqual(
      new Set(['Done: its count stays, and nothing scales it']),
    );
    await sameOfBoth('{ policies(first: 50) { edges { node { name } } } }', (data) =>
      JSON.stringify(data).includes('"edges":[]'),
    );
  });
});

interface LeaveReport {
  readonly waiting: number;
  readonly policies: readonly {
    readonly policy: { readonly name: string };
    readonly result: string;
    readonly message: string;
  }[];
}

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { defaultShardCount, shardOf } from '#coordination';
import { Shards } from '../../../apps/controller/src/coordination/shards.ts';
import { soon } from '../../e2e/support/soon.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { type AnApplication, orRefusal } from './an-application.ts';
import { ElectedReplicas } from './support/elected-replicas.ts';

jest.setTimeout(120_000);

/** One per shard, so that each of two replicas has eight. */
const names = Array.from({ length: defaultShardCount }, (_, shard) => nameOfShard(shard));

const policyOf = (name: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  minReplicas: 2
  maxReplicas: 40
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

describe('the fleet brake of two replicas on one database', () => {
  let postgres: TestPostgres;
  let replicas: ElectedReplicas;
  let leader: AnApplication;
  let other: AnApplication;

  beforeAll(async () => {
    postgres = await startPostgres();
    replicas = new ElectedReplicas(await postgres.createDatabase('brake'));
    for (const name of names)
      replicas.scales.set({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name }, 20);
    propose(20);
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
    names.map((name) =>
      replicas.scales.replicasOf({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name }),
    );

  interface Standing {
    readonly id: string;
    readonly reason: string;
  }
  const standingAt = async (application: AnApplication): Promise<readonly Standing[]> => {
    const { body } = await application.ask('{ interventions { id actor reason } }');
    return (body.data as { readonly interventions: readonly Standing[] }).interventions;
  };

  it('closes where each of them alone has too few targets, and holds those of both', async () => {
    const held = [leader, other].map(
      ({ nest }) => names.filter((name) => nest.get(Shards).holds({ namespace: 'shop', name })).length,
    );
    expect(held).toEqual([8, 8]);
    await soon('a decision on each', async () => {
      const { body } = await leader.ask('{ decisions(first: 100) { edges { node { policy { name } } } } }');
      const { decisions } = body.data as {
        readonly decisions: {
          readonly edges: readonly { readonly node: { readonly policy: { readonly name: string } } }[];
        };
      };
      return new Set(decisions.edges.map(({ node }) => node.policy.name)).size === names.length || undefined;
    });
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

  it('lets the targets of both go where an operator says so at any of them', async () => {
    const [suspension] = await standingAt(other);
    const end = `mutation { endSuspension(id: "${suspension?.id}", reason: "it is night") { ${orRefusal} } }`;
    expect((await other.ask(end)).body.data).toEqual({ endSuspension: {} });
    await soon('the minimum', () => counts().every((count) => count === 2) || undefined);
    for (const replica of [leader, other]) expect(await standingAt(replica)).toEqual([]);
  });
});

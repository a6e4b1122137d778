import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { InMemoryLeases } from '#coordination/testing';
import type { FencePort } from '#ledger';
import { FakeMetrics, FakeReplicaChanges, FakeScales } from '#reconciliation/testing';
import { clusterToken } from '../../../apps/controller/src/cluster/cluster.module.ts';
import {
  candidacyToken,
  fencesToken,
} from '../../../apps/controller/src/coordination/coordination.module.ts';
import { ElectedHoldings } from '../../../apps/controller/src/coordination/election/elected-holdings.ts';
import { Holdings } from '../../../apps/controller/src/coordination/holdings/holdings.ts';
import { Shards } from '../../../apps/controller/src/coordination/shards/shards.ts';
import { soon } from '../../e2e/support/soon.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import { aCluster, type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(120_000);

const names = Array.from({ length: 24 }, (_, index) => `web-${index}`);

const policyOf = (name: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  maxReplicas: 9
  interval: 1s
  metrics:
    - type: External
      external: { metric: { name: queue }, target: { type: AverageValue, averageValue: "1" } }
`;

/** Nothing here waits for a Lease to expire, so a loaded machine may be late. */
const terms = {
  leaseDurationMilliseconds: 120_000,
  renewDeadlineMilliseconds: 90_000,
  retryPeriodMilliseconds: 200,
};

describe('two replicas on one database', () => {
  const leases = new InMemoryLeases();
  const scales = new FakeScales();
  const metrics = new FakeMetrics();
  const started: AnApplication[] = [];
  let postgres: TestPostgres;
  let url: string;
  let client: pg.Client;
  let source = '';

  const holdingsOf = (fences: FencePort): ElectedHoldings =>
    new ElectedHoldings({
      identity: randomUUID(),
      leases,
      fences,
      terms,
      prefix: 'plimsoll',
      losses: null,
      settings: { text: '', observe: () => undefined },
      advertisedUrl: 'http://127.0.0.1:1',
      version: null,
      logger: { info: () => undefined, warn: () => undefined },
      clock: {
        elapsed: () => performance.now(),
        now: () => new Date().toISOString(),
        wait: async (milliseconds, signal) => {
          await delay(milliseconds, undefined, { signal, ref: false });
        },
        random: () => 0.5,
      },
    });

  const aReplica = async (): Promise<AnApplication> => {
    const cluster = aCluster();
    let holdings: ElectedHoldings | undefined;
    const elected = {
      factory: (fences: FencePort) => (holdings ??= holdingsOf(fences)),
      inject: [fencesToken],
    };
    const made = await anApplication({
      configuration: (folder: string) => ({
        database: { url },
        sources: [{ name: 'policies', url: source || `file://${folder}/policies`, interval: '1h' }],
      }),
      override: (testing) =>
        testing
          .overrideProvider(clusterToken)
          .useValue({
            ...cluster,
            metrics: Object.assign(metrics, { close: () => Promise.resolve() }),
            kubernetes: { ...cluster.kubernetes, scales, replicaChanges: new FakeReplicaChanges() },
          })
          .overrideProvider(Holdings)
          .useFactory(elected)
          .overrideProvider(candidacyToken)
          .useFactory(elected),
    });
    started.push(made);
    return made;
  };

  const heldBy = ({ nest }: AnApplication): readonly string[] =>
    nest
      .get(Shards)
      .held.map(({ scope }) => scope)
      .toSorted();

  const decided = async (): Promise<ReadonlyMap<string, number>> => {
    const { rows } = await client.query<{ stream: string; count: string }>(
      "SELECT stream, count(*) FROM ledger_entry JOIN stream_head ON stream_head.id = stream_id WHERE kind = 'ScalingEvent' GROUP BY stream",
    );
    return new Map(rows.map(({ stream, count }) => [stream, Number(count)]));
  };

  const wantReplicas = (count: number): void => {
    for (const name of names) {
      metrics.set(
        { namespace: 'shop', selector: `app=${name}` },
        { kind: 'Answers', metrics: [{ values: [String(count)] }] },
      );
    }
  };

  const replicas = (): readonly (number | undefined)[] =>
    names.map((name) =>
      scales.replicasOf({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name }),
    );

  const areAll = (count: number): true | undefined =>
    replicas().every((present) => present === count) ? true : undefined;

  const holdAll = (application: AnApplication, count = 16): true | undefined =>
    heldBy(application).length === count ? true : undefined;

  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase('replicas');
    client = new pg.Client({ connectionString: url });
    for (const name of names)
      scales.set({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name }, 3);
    wantReplicas(4);
    const first = await aReplica();
    source = first.repository.url;
    first.repository.commit(
      'Scale the shop',
      Object.fromEntries(names.map((name) => [`${name}.yaml`, policyOf(name)])),
    );
    await first.nest.init();
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    for (const application of started) await application.close();
    await postgres.stop();
  });

  it('one that is alone holds everything, and syncs and decides', async () => {
    const [first] = started;
    await soon('all shards', () => holdAll(first!));
    await soon('the leader', () => first!.nest.get(Holdings).isLeader || undefined);
    expect(first!.nest.get(Holdings).role).toBe('active');
    await soon('the replicas', () => areAll(4));
  });

  it('the second is handed half of the shards, and decides their policies, each change once', async () => {
    const [first] = started;
    const second = await aReplica();
    await second.nest.init();
    await soon('an even share', () =>
      heldBy(first!).length === 8 && heldBy(second).length === 8 ? true : undefined,
    );
    const shared = new Set([...heldBy(first!), ...heldBy(second)]);
    expect(shared.size).toBe(16);
    expect([first!, second].map(({ nest }) => nest.get(Holdings).isLeader)).toEqual([true, false]);
    wantReplicas(6);
    await soon('the replicas', () => areAll(6));
    await soon('the records', async () => {
      const counts = [...(await decided()).values()];
      return counts.length === names.length && counts.every((count) => count === 2) ? true : undefined;
    });
  });

  it('another number of shards is shared anew, recorded once, and each change of a count is made once', async () => {
    const [first, second] = started;
    const changed = (request: string): string =>
      `mutation { changeShardCount(count: 6, ${request}) { __typename
        ... on ActionPreview { effect { digest summary } } ... on ShardCounts { count before }
        ... on ActionRefusal { code message } } }`;
    const preview = (await first!.ask(changed('dryRun: true'))).body.data as {
      readonly changeShardCount: { readonly effect: { readonly digest: string; readonly summary: string } };
    };
    const { digest, summary } = preview.changeShardCount.effect;
    expect(summary).toContain('6 shards in place of 16');
    // On a slow machine a replica may need longer for its last passes than the action waits.
    const { answer } = await soon('the change', async () => {
      const { body } = await first!.ask(changed(`reason: "three each", confirm: "${digest}"`));
      const { changeShardCount: result } = body.data as {
        readonly changeShardCount: { readonly code?: string };
      };
      return result.code === 'ShardsHeld' ? undefined : { answer: result };
    });
    expect(answer).toEqual({ __typename: 'ShardCounts', count: 6, before: 16 });
    await soon('an even share', () =>
      heldBy(first!).length === 3 && heldBy(second!).length === 3 ? true : undefined,
    );
    expect([...heldBy(first!), ...heldBy(second!)].toSorted()).toEqual(
      [0, 1, 2, 3, 4, 5].map((shard) => `shard/${shard}`),
    );
    const listed = (await second!.ask('{ shards { shard } }')).body.data as {
      readonly shards: readonly object[];
    };
    expect(listed.shards).toHaveLength(6);
    await soon('the Leases of the other shards are deleted', async () => {
      const left = (await leases.list()).filter(({ name }) => name.startsWith('plimsoll-shard-'));
      return left.length === 6 ? true : undefined;
    });
    const { rows } = await client.query(
      "SELECT count(*) AS actions FROM ledger_entry WHERE kind = 'OperatorAction' AND payload::text LIKE '%ChangeShardCount%Accepted%'",
    );
    expect(rows).toEqual([{ actions: '1' }]);
    wantReplicas(8);
    await soon('the replicas', () => areAll(8));
    await soon('the records', async () => {
      const counts = [...(await decided()).values()];
      return counts.length === names.length && counts.every((count) => count === 3) ? true : undefined;
    });
  });

  it('one that ends gives everything to the other, which goes on', async () => {
    const [first, second] = started;
    await first!.nest.close();
    await soon('all shards', () => holdAll(second!, 6));
    await soon('the leader', () => second!.nest.get(Holdings).isLeader || undefined);
    const { rows } = await client.query<{ holder: string }>(
      "SELECT DISTINCT holder FROM ledger_epoch WHERE holder IS NOT NULL AND (scope LIKE 'shard/%' OR scope LIKE 'source/%' OR scope IN ('administration', 'ledger'))",
    );
    expect(rows).toHaveLength(1);
    wantReplicas(9);
    await soon('the replicas', () => areAll(9));
    await soon('the records', async () => {
      const counts = [...(await decided()).values()];
      return counts.length === names.length && counts.every((count) => count === 4) ? true : undefined;
    });
    const open = await client.query('SELECT count(*) AS intents FROM pending_intent');
    expect(open.rows).toEqual([{ intents: '0' }]);
  });
});

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';
import { openLedgerDatabase, SqlSeriesStore } from '#adapter-sql';
import { FakeMetrics, FakeScales } from '#reconciliation/testing';
import { clusterToken } from '../../../apps/controller/src/cluster/cluster.module.ts';
import { StatusRegistry } from '../../../apps/controller/src/reconcile/status-registry.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aCluster, type AnApplication, anApplication, codesOf } from './an-application.ts';

jest.setTimeout(60_000);

const policy = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: web, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  maxReplicas: 9
  interval: 1s
  metrics:
    - type: External
      external: { metric: { name: queue }, target: { type: AverageValue, averageValue: "10" } }
`;

it('keeps the rows of all passes, the last ones as the process ends', async () => {
  const cluster = aCluster();
  const [metrics, scales] = [new FakeMetrics(), new FakeScales()];
  scales.set({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' }, 4);
  metrics.set({ namespace: 'shop', selector: 'app=web' }, { kind: 'Answers', metrics: [{ values: ['40'] }] });
  const application = await anApplication({
    override: (testing) =>
      testing.overrideProvider(clusterToken).useValue({
        ...cluster,
        metrics: Object.assign(metrics, { close: () => Promise.resolve() }),
        kubernetes: { ...cluster.kubernetes, scales },
      }),
  });
  let passes = 0;
  application.nest.get(StatusRegistry).subscribe(({ decision }) => {
    if (decision !== null) passes += 1;
  });
  application.repository.commit('Scale the shop', { 'web.yaml': policy });
  await application.nest.init();
  await soon('three passes', () => Promise.resolve(passes >= 3 || undefined));
  await drawn(application);
  await application.nest.close();

  const database = await openLedgerDatabase({ url: `sqlite:${join(application.folder, 'ledger.db')}` });
  const query = { policy: { namespace: 'shop', name: 'web' }, from: 0, until: Date.now() + 60_000 };
  const rows: (readonly number[])[] = [];
  for await (const { layout, columns } of new SqlSeriesStore(database.sql).read(query)) {
    expect(layout.metrics).toEqual([{ type: 'External', name: 'queue', containers: [] }]);
    // specReplicas, statusReplicas, and the metric's value in thousandths.
    for (const row of columns[0]!.keys()) rows.push([1, 2, 8].map((column) => columns[column]![row]!));
  }
  expect(rows).toEqual(Array.from({ length: passes }, () => [4, 4, 40_000]));
  await database.close();
  await rm(application.folder, { recursive: true });
});

/** Of passes that are not stored yet, too. */
async function drawn({ ask }: AnApplication): Promise<void> {
  const ofWeb = (fields: string) => ask(`{ policy(namespace: "shop", name: "web") { ${fields} } }`, 'viewer');
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const chart = await ofWeb(`recentReplicas chart(from: "${from}", steps: 2) {
    times until isComplete minReplicas maxReplicas
    specReplicas { lowest highest mean } statusReplicas { highest }
    metrics { type name measure mean lowest highest targets lowWatermarks highWatermarks }
  }`);
  const none = [null, null];
  const ten = [null, 10];
  expect(chart.body.data).toMatchObject({
    policy: {
      chart: {
        times: [from, expect.any(String)],
        isComplete: true,
        minReplicas: [null, 1],
        maxReplicas: [null, 9],
        specReplicas: { lowest: [null, 4], highest: [null, 4], mean: [null, 4] },
        statusReplicas: { highest: [null, 4] },
        metrics: [
          {
            ...{
              type: 'External',
              name: 'queue',
              measure: 'AverageValue',
              mean: ten,
              lowest: ten,
              highest: ten,
            },
            ...{ targets: ten, lowWatermarks: none, highWatermarks: none },
          },
        ],
      },
    },
  });
  const { recentReplicas } = (chart.body.data as { policy: { recentReplicas: readonly (number | null)[] } })
    .policy;
  expect([recentReplicas.length, new Set(recentReplicas)]).toEqual([60, new Set([null, 4])]);
  const later = new Date(Date.now() - 32 * 86_400_000).toISOString();
  const ahead = new Date(Date.now() + 60_000).toISOString();
  const refused = [
    `from: "${from}", steps: 0`,
    `from: "${from}", steps: 1001`,
    `from: "${later}"`,
    `from: "${ahead}"`,
    `from: "${from}", until: "${from}"`,
    `from: "yesterday"`,
  ];
  const codes = await Promise.all(
    refused.map(async (range) => codesOf(await ofWeb(`chart(${range}) { until }`))),
  );
  expect(codes.flat()).toEqual(['BadArgument', 'BadArgument', 'BadTime', 'BadTime', 'BadTime', 'BadTime']);
}

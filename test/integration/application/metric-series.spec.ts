import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';
import { openLedgerDatabase, SqlSeriesStore } from '#adapter-sql';
import { FakeMetrics, FakeScales } from '#reconciliation/testing';
import { StatusRegistry } from '../../../apps/controller/src/admin/status-registry.ts';
import { clusterToken } from '../../../apps/controller/src/cluster/cluster.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aCluster, anApplication } from './an-application.ts';

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

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readValidationTables } from '../../conformance/support/validation-table.ts';
import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import { compareMeaning } from './compare-meaning.ts';
import { generateWatermark } from './generated-watermarks.ts';
import { judgeGenerated, judgeTable } from './judge-documents.ts';
import { validationArguments } from './server-verdict.ts';
import { installWatermarkCrd } from './watermark-crd.ts';
import { watermarkDepartures } from './watermark-departures.ts';

const storedCount = 1000;
const firstStored = 1_000_000;
const resource = 'watermarkpodautoscalers';

/** A custom resource drops what is null, where Kubernetes' own kinds make an empty text of it. */
const withEmptyEntries = {
  apiVersion: 'datadoghq.com/v1alpha1',
  kind: 'WatermarkPodAutoscaler',
  metadata: { name: 'checkout', namespace: 'shop', labels: { a: null } },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' },
    maxReplicas: 9,
    metrics: [
      {
        type: 'External',
        external: { metricName: 'q', metricSelector: { matchLabels: { a: null, b: '' } }, highWatermark: 1 },
      },
    ],
  },
};

describe('WatermarkPodAutoscalers by a real API server with their custom resource', () => {
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane({ extraArguments: validationArguments });
    await installWatermarkCrd(cluster.api);
  }, 120_000);

  afterAll(() => cluster.stop());

  it.each(readValidationTables().filter((table) => table.resource === resource))(
    'judges every row of $file as the table says, but for what the schema leaves to the controller',
    async ({ rows }) => {
      expect(await judgeTable(cluster.api, resource, rows)).toEqual([]);
    },
    120_000,
  );

  it('judges generated documents as we do, field by field, but for what is beyond the schema', async () => {
    const kind = { resource, generate: generateWatermark, departures: watermarkDepartures };
    expect(await judgeGenerated(cluster.api, kind)).toEqual([]);
  }, 600_000);

  it('stores what we read', async () => {
    const kind = { resource, apiVersion: 'datadoghq.com/v1alpha1' };
    const generated = Array.from({ length: storedCount }, (_, index) =>
      generateWatermark(firstStored + index),
    );
    const documents = [withEmptyEntries, ...generated];
    const { compared, differences } = await compareMeaning(cluster.api, kind, documents);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(storedCount / 5);
  }, 600_000);
});

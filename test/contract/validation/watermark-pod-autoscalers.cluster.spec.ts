import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readValidationTables } from '../../conformance/support/validation-table.ts';
import { startControlPlane, type ControlPlane } from '../../control-plane/control-plane.ts';
import { generateWatermark } from './generated-watermarks.ts';
import { judgeGenerated, judgeTable } from './judge-documents.ts';
import { validationArguments } from './server-verdict.ts';
import { installWatermarkCrd } from './watermark-crd.ts';
import { watermarkDepartures } from './watermark-departures.ts';

const resource = 'watermarkpodautoscalers';

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
});

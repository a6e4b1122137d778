import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readValidationTables } from '../../conformance/support/validation-table.ts';
import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import { compareConverted } from './compare-converted.ts';
import { compareMeaning } from './compare-meaning.ts';
import { hpaDepartures } from './departures.ts';
import { generateHpa } from './generated-autoscalers.ts';
import { judgeGenerated, judgeTable } from './judge-documents.ts';
import { validationArguments } from './server-verdict.ts';

const storedCount = 1000;
const firstStored = 1_000_000;
/** v2beta2 is v2 under an older name. */
const asOlder = (document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  document['apiVersion'] === 'autoscaling/v2' ? { ...document, apiVersion: 'autoscaling/v2beta2' } : document;
const resource = 'horizontalpodautoscalers';

describe('HorizontalPodAutoscalers by a real API server', () => {
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane({ extraArguments: validationArguments });
  }, 120_000);

  afterAll(() => cluster.stop());

  it.each(readValidationTables().filter((table) => table.resource === resource))(
    'judges every row of $file as the table says, but for the departures',
    async ({ rows }) => {
      expect(await judgeTable(cluster.api, resource, rows)).toEqual([]);
    },
    120_000,
  );

  it('judges generated documents as we do, field by field, but for the departures', async () => {
    const kind = { resource, generate: generateHpa, departures: hpaDepartures };
    expect(await judgeGenerated(cluster.api, kind)).toEqual([]);
  }, 600_000);

  it('stores what we read, in whatever version it is written', async () => {
    const kind = { resource, apiVersion: 'autoscaling/v2' };
    const documents = Array.from({ length: storedCount }, (_, index) => generateHpa(firstStored + index));
    const { compared, differences } = await compareMeaning(cluster.api, kind, documents);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(storedCount / 5);
  }, 600_000);

  it('takes what plimsoll convert makes of older versions, and means the same by it', async () => {
    const documents = Array.from({ length: storedCount }, (_, index) => generateHpa(firstStored + index));
    const { compared, differences } = await compareConverted(cluster.api, documents.map(asOlder));
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(storedCount / 5);
  }, 600_000);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readPolicy } from '#policy';
import { readValidationTables, type ValidationRow } from '../conformance/support/validation-table.ts';
import { startControlPlane, type ControlPlane } from '../control-plane/control-plane.ts';
import { isAboutStatus, isNamedDeparture, type ServerVerdict } from './validation/departures.ts';
import { generateHpa } from './validation/generated-documents.ts';

/** Seeds of the generated documents; a longer run takes another range by hand. */
const generatedCount = Number(process.env['PLIMSOLL_GENERATED_DOCUMENTS'] ?? '3000');
const firstSeed = Number(process.env['PLIMSOLL_FIRST_SEED'] ?? '1');
/** Requests at once: the API server answers dry runs faster in parallel. */
const parallel = 8;

describe('HorizontalPodAutoscalers by a real API server', () => {
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane({
      extraArguments: {
        'kube-apiserver': [
          '--feature-gates=HPAScaleToZero=true',
          // Namespaces of documents need not exist.
          '--disable-admission-plugins=ServiceAccount,NamespaceLifecycle',
        ],
      },
    });
  }, 120_000);

  afterAll(() => cluster.stop());

  async function judge(document: Record<string, unknown>): Promise<ServerVerdict> {
    const version = String(document['apiVersion']);
    const metadata = document['metadata'] as { namespace?: unknown } | null | undefined;
    const own = metadata?.namespace;
    const namespace = encodeURIComponent(typeof own === 'string' && own !== '' ? own : 'shop');
    const path = `/apis/${version}/namespaces/${namespace}/horizontalpodautoscalers?dryRun=All&fieldValidation=Strict`;
    const { status, body } = await cluster.api({ method: 'POST', path, body: document });
    const message =
      typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : '';
    return { isAccepted: status === 201, object: body, message };
  }

  it.each(readValidationTables().filter(({ isOnServer }) => isOnServer))(
    'judges every row of $file as the table says, but for the departures',
    async ({ rows }) => {
      const wrong: string[] = [];
      await inParallel(rows, async (row: ValidationRow) => {
        const { isAccepted, message } = await judge(row.document);
        const isExpected = isAccepted === (row.errorAt === undefined || row.isDeparture);
        if (!isExpected)
          wrong.push(`${row.title}: the server ${isAccepted ? 'accepts' : `refuses: ${message}`}`);
      });
      expect(wrong).toEqual([]);
    },
    120_000,
  );

  it('judges generated documents as we do, but for the departures', async () => {
    const seeds = Array.from({ length: generatedCount }, (_, index) => firstSeed + index);
    const wrong: unknown[] = [];
    await inParallel(seeds, async (seed) => {
      const document = generateHpa(seed);
      const verdict = await judge(document);
      const { policy, problems } = readPolicy(document, { defaultNamespace: 'shop' });
      const errors = problems.filter(({ severity }) => severity === 'error');
      const isSame = verdict.isAccepted === (policy !== undefined);
      const isNamed = verdict.isAccepted ? isNamedDeparture(errors, verdict) : isAboutStatus(verdict);
      if (!isSame && !isNamed) wrong.push({ seed, server: verdict.message, ours: errors });
    });
    expect(wrong).toEqual([]);
  }, 600_000);
});

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

import { readPolicy } from '#policy';
import type { ValidationRow } from '../../conformance/support/validation-table.ts';
import type { ApiClient } from '../../control-plane/api-client.ts';
import { type Departures, differencesOf } from './compare-verdicts.ts';
import { inParallel, judge } from './server-verdict.ts';

/** Seeds of the generated documents; a longer run takes another range by hand. */
const generatedCount = Number(process.env['PLIMSOLL_GENERATED_DOCUMENTS'] ?? '3000');
const firstSeed = Number(process.env['PLIMSOLL_FIRST_SEED'] ?? '1');

/** A kind, as the server serves it. */
export interface JudgedKind {
  readonly resource: string;
  readonly generate: (seed: number) => Readonly<Record<string, unknown>>;
  readonly departures: Departures;
}

/** Where generated documents, or fields of them, are judged otherwise than by the server. */
export async function judgeGenerated(api: ApiClient, kind: JudgedKind): Promise<readonly unknown[]> {
  const seeds = Array.from({ length: generatedCount }, (_, index) => firstSeed + index);
  const wrong: unknown[] = [];
  await inParallel(seeds, async (seed) => {
    const document = kind.generate(seed);
    const verdict = await judge(api, kind.resource, document);
    const { policy, problems } = readPolicy(document, { defaultNamespace: 'shop' });
    const errors = problems.filter(({ severity }) => severity === 'error');
    const differences = differencesOf({ verdict, isPolicy: policy !== undefined, errors }, kind.departures);
    if (differences.length > 0) wrong.push({ seed, differences });
  });
  return wrong;
}

/** The rows of a table that the server judges otherwise than the table says. */
export async function judgeTable(
  api: ApiClient,
  resource: string,
  rows: readonly ValidationRow[],
): Promise<readonly string[]> {
  const wrong: string[] = [];
  await inParallel(rows, async (row) => {
    const { isAccepted, message } = await judge(api, resource, row.document);
    if (isAccepted !== row.isAcceptedByServer)
      wrong.push(`${row.title}: the server ${isAccepted ? 'accepts' : `refuses: ${message}`}`);
  });
  return wrong;
}

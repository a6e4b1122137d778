import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { convertFile, readPolicy } from '#policy';
import type { ApiClient } from '../../control-plane/api-client.ts';
import { meaningOf, type MeaningRun } from './compare-meaning.ts';
import { inParallel, judge } from './server-verdict.ts';

/** What YAML 1.1 would read otherwise is quoted. */
const yaml = { version: '1.1', aliasDuplicateObjects: false } as const;
const resource = 'horizontalpodautoscalers';

/** Converts the older documents that we accept, and asks the server what it would store of the result. */
export async function compareConverted(
  api: ApiClient,
  documents: readonly Readonly<Record<string, unknown>>[],
): Promise<MeaningRun> {
  const differences: unknown[] = [];
  let compared = 0;
  await inParallel(documents, async (given) => {
    const { policy } = readPolicy(given, { defaultNamespace: 'shop' });
    if (policy === undefined) return;
    compared += 1;
    const bytes = new TextEncoder().encode(stringify(given, yaml));
    const { text, diagnostics } = convertFile({ file: 'older.yaml', bytes, to: 'autoscaling/v2' });
    const written = parse(text, yaml) as Readonly<Record<string, unknown>>;
    const { isAccepted, object, message } = await judge(api, resource, written);
    const stored = readPolicy(object, { defaultNamespace: 'shop' }).policy;
    const isSame = stored !== undefined && isDeepStrictEqual(meaningOf(stored), meaningOf(policy));
    if (!isAccepted || !isSame || diagnostics.length > 0)
      differences.push({ given, text, message, diagnostics });
  });
  return { compared, differences };
}

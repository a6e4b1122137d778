import { isDeepStrictEqual } from 'node:util';
import { type EffectivePolicy, readPolicy } from '#policy';
import type { ApiClient } from '../../control-plane/api-client.ts';
import { inParallel } from './server-verdict.ts';

type DocumentMap = Readonly<Record<string, unknown>>;

/** How many documents both sides compared, and those that mean something else to us than to the server. */
export interface MeaningRun {
  readonly compared: number;
  readonly differences: readonly unknown[];
}

/** How a kind is served. */
export interface StoredKind {
  readonly resource: string;
  /** The version in which what is stored is read. */
  readonly apiVersion: string;
}

/**
 * Creates the documents that we accept, and reads what the server stores of them: whatever it fills in, converts or
 * rounds, the policy must be the one that we read from the document itself.
 */
export async function compareMeaning(
  api: ApiClient,
  kind: StoredKind,
  documents: readonly DocumentMap[],
): Promise<MeaningRun> {
  const differences: unknown[] = [];
  let compared = 0;
  await inParallel([...documents.entries()], async ([index, document]) => {
    const given = placed(document, `meaning-${index}`);
    const { policy } = readPolicy(given);
    const stored = policy === undefined ? undefined : await store(api, kind, given);
    if (policy === undefined || stored === undefined) return;
    compared += 1;
    const { policy: after, problems } = readPolicy(stored);
    const isSame = after !== undefined && isDeepStrictEqual(meaningOf(after), meaningOf(policy));
    if (!isSame) differences.push({ given, stored, problems });
  });
  return { compared, differences };
}

/** The document under a name of its own; without owners, which do not exist, and finalizers, which nothing takes off. */
function placed(document: DocumentMap, name: string): DocumentMap {
  const metadata = document['metadata'];
  const own = typeof metadata === 'object' && metadata !== null ? Object.entries(metadata) : [];
  const kept = own.filter(([key]) => key !== 'ownerReferences' && key !== 'finalizers');
  return { ...document, metadata: { ...Object.fromEntries(kept), name, namespace: 'default' } };
}

/** What the server stores; undefined where it refuses (a status, at which we do not look). */
async function store(
  api: ApiClient,
  { resource, apiVersion }: StoredKind,
  document: DocumentMap,
): Promise<unknown> {
  const { name } = document['metadata'] as { readonly name: string };
  const pathIn = (version: string): string => `/apis/${version}/namespaces/default/${resource}`;
  const given = pathIn(String(document['apiVersion']));
  const { status } = await api({ method: 'POST', path: given, body: document });
  if (status !== 201) return undefined;
  const path = `${pathIn(apiVersion)}/${name}`;
  const { body } = await api({ path });
  await api({ method: 'DELETE', path });
  return body;
}

/** A policy without the spelling of its quantities, and without annotations, which conversion takes out. */
export function meaningOf(policy: EffectivePolicy): unknown {
  const dropped = new Set(['annotations', 'targetDocument', 'text']);
  return JSON.parse(
    JSON.stringify(policy, (key, value: unknown) => {
      if (dropped.has(key)) return undefined;
      return typeof value === 'bigint' ? value.toString() : value;
    }),
  ) as unknown;
}

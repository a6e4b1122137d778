import type { BlobContent, BlobLimits } from '#git-sync';
import { AdapterError, messageOf } from '#kernel';
import { loadStored, readBlobs } from '../objects/object-store.ts';
import { hasCode } from '../run/git-failure.ts';
import { maximumBlobFetchBytes } from '../run/git-limits.ts';
import type { GitRunner } from '../run/git-runner.ts';
import { fetchRemote, type RemoteAccess } from './remote.ts';

/** What a pack costs beside its blobs. */
const packOverheadBytes = 1024 * 1024;

export interface BlobFetch {
  readonly runner: GitRunner;
  readonly access: RemoteAccess;
  readonly limits: BlobLimits;
}

/**
 * Every blob asked for: what is missing comes in one fetch. A size is known only once a blob is here, so a batch is
 * bounded in bytes and time and tried again in halves; a single blob that exceeds the bound is `TooLarge`.
 */
export async function fetchBlobs(
  fetch: BlobFetch,
  ids: readonly string[],
): Promise<ReadonlyMap<string, BlobContent>> {
  const unique = [...new Set(ids)];
  const stored = await loadStored(fetch.runner, unique);
  const missing = unique.filter((id) => !stored.has(id));
  const tooLarge = new Set<string>();
  if (missing.length > 0) await fetchMissing(fetch, missing, tooLarge);
  const arrived = await loadStored(fetch.runner, missing);
  const read = new Map(
    await readBlobs(fetch.runner, {
      stored: new Map([...stored, ...arrived]),
      blobBytes: fetch.limits.blobBytes,
    }),
  );
  for (const id of unique) {
    if (read.has(id)) continue;
    if (!tooLarge.has(id)) throw notSent(id);
    read.set(id, { kind: 'TooLarge' });
  }
  return read;
}

async function fetchMissing(fetch: BlobFetch, ids: readonly string[], tooLarge: Set<string>): Promise<void> {
  try {
    await fetchRemote(fetch.runner, fetch.access, {
      what: `fetch of ${ids.length} blobs`,
      filter: 'blob:none',
      objects: ids,
      limits: { bytes: batchBytes(fetch.limits, ids.length), milliseconds: fetch.limits.milliseconds },
    });
  } catch (error) {
    const missing = missingBlob(error);
    if (missing !== undefined) throw notSent(missing);
    // A batch may hold the one blob that is too large, or that expands beyond the memory; slowness is the network's.
    if (!hasCode(error, 'FetchTooLarge') && !hasCode(error, 'TooMuchMemory')) throw error;
    const [only] = ids;
    if (ids.length === 1 && only !== undefined) tooLarge.add(only);
    else await fetchHalves(fetch, ids, tooLarge);
  }
}

async function fetchHalves(fetch: BlobFetch, ids: readonly string[], tooLarge: Set<string>): Promise<void> {
  const middle = Math.ceil(ids.length / 2);
  await fetchMissing(fetch, ids.slice(0, middle), tooLarge);
  await fetchMissing(fetch, ids.slice(middle), tooLarge);
}

/** The blob that the server says it does not have. */
function missingBlob(error: unknown): string | undefined {
  if (!hasCode(error, 'RefNotFound')) return undefined;
  const id = /not our ref ([0-9a-f]+)/.exec(messageOf(error))?.[1] ?? '';
  return id.length >= 40 && id.length <= 64 ? id : undefined;
}

function batchBytes(limits: BlobLimits, count: number): number {
  return Math.min(maximumBlobFetchBytes, limits.bytes, count * limits.blobBytes + packOverheadBytes);
}

function notSent(id: string): AdapterError {
  return new AdapterError({
    code: 'ObjectMissing',
    message: `the server does not have blob ${id}`,
    retryable: true,
  });
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { type LedgerDatabase, openLedgerDatabase } from '#adapter-sql';
import { type DecisionPayload, type DraftOf, LedgerWriter, policyStream, shardScope } from '#ledger';
import { takeFence } from '../bench/take-fence.ts';
import { appended } from './ledger-builders.ts';

/** What a decision may take on disk, by the number of its pods. */
export const maximumDecisionBytes = { 10: 1_000, 100: 4_000 } as const;

/** What decisions took. */
export interface DecisionSizes {
  readonly entries: number;
  /** Of a decision, as JSON. */
  readonly jsonBytes: number;
  /** Of a decision, with everything that belongs to it. */
  readonly bytesOnDisk: number;
  readonly perSecond: number;
}

/**
 * Stores recorded decisions in an empty database.
 *
 * @param copies each recorded stream is appended under so many names, so that whole pages are filled
 */
export async function storeDecisions(
  url: string,
  { pods, copies }: { readonly pods: keyof typeof maximumDecisionBytes; readonly copies: number },
): Promise<DecisionSizes> {
  const streams = await recordedDecisions(pods);
  const database = await openLedgerDatabase({ url });
  try {
    const fence = await takeFence(database.fences, shardScope(0));
    const writer = new LedgerWriter({ port: database.ledger, fence, cluster: 'bench' });
    const before = await ledgerBytes(database);
    const started = performance.now();
    let [entries, jsonBytes] = [0, 0];
    for (let copy = 0; copy < copies; copy += 1) {
      const drafts = streams.flatMap((payloads, index) =>
        payloads.map((payload) => renamed(payload, `${index}-${copy}`)),
      );
      for (const { payloadText } of appended(await writer.append({ drafts }))) {
        entries += 1;
        jsonBytes += payloadText.length;
      }
    }
    const seconds = (performance.now() - started) / 1_000;
    const bytes = (await ledgerBytes(database)) - before;
    return {
      entries,
      jsonBytes: Math.round(jsonBytes / entries),
      bytesOnDisk: Math.round(bytes / entries),
      perSecond: Math.round(entries / seconds),
    };
  } finally {
    await database.close();
  }
}

/** What entries take: rows, indexes and free space in pages alike. On SQLite, all that the file holds. */
export async function ledgerBytes({ sql }: LedgerDatabase): Promise<number> {
  const query =
    sql.dialect === 'sqlite'
      ? 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size'
      : `SELECT SUM(pg_total_relation_size(relid))::bigint AS bytes FROM pg_partition_tree('ledger_entry')`;
  const [row] = await sql.query({ sql: query });
  return Number(row?.['bytes']);
}

/** Decisions as the demo recorded them, over 8 to 12 pods or over 90 to 130, oldest first in each stream. */
async function recordedDecisions(pods: number): Promise<readonly (readonly DecisionPayload[])[]> {
  const file = join(import.meta.dirname, 'recorded-decisions.ndjson.zst');
  const payloads = zstdDecompressSync(await readFile(file))
    .toString()
    .split('\n')
    .map((line) => JSON.parse(line) as DecisionPayload)
    .filter(({ input }) => (input.observation.pods?.length ?? 0) > 50 === pods > 50);
  const streams = Map.groupBy(payloads, ({ policy }) => policyStream(policy));
  return [...streams.values()];
}

/** A recorded decision, under another name. */
function renamed(payload: DecisionPayload, name: string): DraftOf<'Decision'> {
  const stream = policyStream({ namespace: payload.policy.namespace, name });
  return { stream, kind: 'Decision', time: payload.decision.time, payload };
}

import { join } from 'node:path';
import { LedgerReader } from '#adapter-sql';
import type { JsonObject } from '#kernel';
import { entryId } from '#ledger';

/** An entry as a test looks at it. */
export interface LoadedEntry {
  /** `stream#number`. */
  readonly id: string;
  readonly stream: string;
  readonly kind: string;
  readonly payload: JsonObject;
}

/** Reads every entry of a world's SQLite ledger, stream by stream, beside the controller that writes it. */
export function loadEntries(folder: string): Promise<readonly LoadedEntry[]> {
  return loadEntriesOf(`sqlite:${join(folder, 'ledger.db')}`);
}

/** Reads every entry of a ledger. */
export async function loadEntriesOf(url: string): Promise<readonly LoadedEntry[]> {
  const reader = await LedgerReader.open(url);
  try {
    const loaded: LoadedEntry[] = [];
    for await (const heads of reader.heads()) {
      for (const head of heads) {
        for await (const entries of reader.entries({ head, after: 0n })) {
          for (const { stream, seq, kind, ...content } of entries) {
            if ('payloadText' in content) {
              loaded.push({
                id: entryId({ stream, seq }),
                stream,
                kind,
                payload: JSON.parse(content.payloadText) as JsonObject,
              });
            }
          }
        }
      }
    }
    return loaded;
  } finally {
    await reader.close();
  }
}

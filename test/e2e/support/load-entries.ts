import { join } from 'node:path';
import { LedgerReader } from '#adapter-sql';
import type { JsonObject } from '#kernel';

/** An entry as a test looks at it. */
export interface LoadedEntry {
  readonly stream: string;
  readonly kind: string;
  readonly payload: JsonObject;
}

/** Reads every entry of a world's ledger, stream by stream, beside the controller that writes it. */
export async function loadEntries(folder: string): Promise<readonly LoadedEntry[]> {
  const reader = await LedgerReader.open(`sqlite:${join(folder, 'ledger.db')}`);
  try {
    const loaded: LoadedEntry[] = [];
    for await (const heads of reader.heads()) {
      for (const head of heads) {
        for await (const entries of reader.entries({ head, after: 0n })) {
          for (const { stream, kind, ...content } of entries) {
            if ('payloadText' in content)
              loaded.push({ stream, kind, payload: JSON.parse(content.payloadText) as JsonObject });
          }
        }
      }
    }
    return loaded;
  } finally {
    await reader.close();
  }
}

import { isJsonObject, type Json, type JsonObject } from '#kernel';
import type { UnverifiedEntry } from '#ledger';

/** What an entry records; null: it is without its content, or that is no object. */
export function payloadOf(entry: UnverifiedEntry): JsonObject | null {
  const payload = contentOf(entry);
  return isJsonObject(payload) ? payload : null;
}

function contentOf(entry: UnverifiedEntry): Json | undefined {
  if ('payload' in entry) return entry.payload;
  if ('hashedPayload' in entry) return entry.hashedPayload;
  if (!('payloadText' in entry)) return undefined;
  if (entry.parsed !== undefined) return entry.parsed;
  try {
    return JSON.parse(entry.payloadText) as Json;
  } catch {
    return undefined;
  }
}

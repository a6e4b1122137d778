import type { Json } from '#kernel';
import { hashEntry, payloadTexts, sha256Hex, type StoredContent } from '#ledger';
import type { SqlRow } from '../connection/sql-database.ts';
import { newestDictionary } from '../packing/dictionaries.ts';
import { type PackedPayload, packParts, partsOf } from '../packing/packed-payload.ts';
import { bigintOf, textOf } from '../statements/rows.ts';

/** What stays of content that is deleted. */
export type ExpiredContent =
  | { readonly kind: 'Payload'; readonly payloadHash: string }
  | {
      readonly kind: 'Observation';
      readonly observationHash: string;
      /** The rest of a payload that was text; `null`: it is packed apart already. */
      readonly packed: PackedPayload | null;
    };

/**
 * Makes what stays of an entry's content, and checks that the entry still verifies without the rest.
 *
 * @returns `Damaged` where the content does not give the entry's hash; `null` where there is nothing to delete apart.
 */
export async function expiredContent(
  row: SqlRow,
  content: StoredContent,
  deleted: 'Payload' | 'Observation',
): Promise<ExpiredContent | 'Damaged' | null> {
  const payloadHash = payloadHashOf(textOf(row, 'kind'), content);
  if (payloadHash === null || hashEntry(headerOf(row), payloadHash, sha256Hex) !== textOf(row, 'hash'))
    return 'Damaged';
  if (deleted === 'Payload') return { kind: 'Payload', payloadHash };
  return 'payloadText' in content ? withoutObservation(row, content.payloadText) : null;
}

async function withoutObservation(row: SqlRow, payloadText: string): Promise<ExpiredContent | null> {
  const { observation } = payloadTexts('Decision', JSON.parse(payloadText) as Json, sha256Hex);
  const parts = partsOf(payloadText, observation);
  if (parts.observation === null) return null;
  const observationHash = sha256Hex(parts.observation);
  if (row['dictionary'] !== null)
    return row['observation'] === null ? null : { kind: 'Observation', observationHash, packed: null };
  const around = { around: parts.around, observation: null };
  const packed = await packParts(around, { dictionary: newestDictionary, base: null });
  return { kind: 'Observation', observationHash, packed };
}

function payloadHashOf(kind: string, content: StoredContent): string | null {
  if ('payloadHash' in content) return content.payloadHash;
  if ('hashedText' in content) return sha256Hex(content.hashedText);
  if (kind !== 'Decision') return sha256Hex(content.payloadText);
  try {
    const texts = payloadTexts(kind, JSON.parse(content.payloadText) as Json, sha256Hex);
    return texts.payloadText === content.payloadText ? sha256Hex(texts.hashedText) : null;
  } catch {
    // Damaged, or nested so deeply that it exhausts the stack.
    return null;
  }
}

function headerOf(row: SqlRow): Parameters<typeof hashEntry>[0] {
  return {
    stream: textOf(row, 'stream'),
    seq: bigintOf(row, 'seq'),
    cluster: textOf(row, 'cluster'),
    kind: textOf(row, 'kind'),
    time: textOf(row, 'time'),
    previousHash: textOf(row, 'previous_hash'),
  };
}

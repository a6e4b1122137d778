import { canonicalJson, isJsonObject, type Json } from '#kernel';
import {
  type DecisionSummary,
  type LedgerEntry,
  parseSummaryText,
  type StoredContent,
  summaryOf,
  summaryTextOf,
} from '#ledger';
import { databaseError } from '../database-error.ts';
import type { SqlDatabase, SqlRow } from '../sql-database.ts';
import { cursorOf, frameOf } from './entry-rows.ts';
import type { KeptEntries, KeptReading } from './kept-entries.ts';
import { summariesAt, summariesInPartitions } from './placed-entries.ts';
import { bigintOf, policyOf, textOf } from './rows.ts';

/** Of what a summary has beside its text: two hashes, and short names. */
const frameCharacters = 300;

/** Reads the summaries of decisions; of those that have none beside their payload, from what `whole` reads of them. */
export function readSummaries(
  database: SqlDatabase,
  whole: KeptEntries<LedgerEntry>,
): KeptReading<DecisionSummary>['read'] {
  return async (places) => {
    const rows = await rowsAt(database, places);
    const older = rows.filter((row) => row['summary'] === null);
    const entries = older.length === 0 ? null : await whole.at(older);
    return rows.flatMap((row) => {
      const place = cursorOf(row);
      const entry = row['summary'] === null ? summaryIn(entries?.get(place.position)) : summaryOfRow(row);
      return entry === null ? [] : [{ entry, place, characters: frameCharacters + entry.reason.length }];
    });
  };
}

/**
 * The content of an entry as its row has it: where what stands beside a payload says otherwise, the payload with that in
 * its place, which no longer gives the hash of the entry. So verification finds what lists would show wrongly.
 */
export function withSummary(row: SqlRow, content: StoredContent): StoredContent {
  if (row['summary'] === null || 'payloadHash' in content) return content;
  const beside = { action: textOf(row, 'action'), summary: textOf(row, 'summary') };
  return 'payloadText' in content
    ? { payloadText: textWith(content.payloadText, beside) }
    : { hashedText: textWith(content.hashedText, beside) };
}

/** The text itself where its decision is summarized so, or it is no such payload, which its hash tells. */
function textWith(
  text: string,
  { action, summary }: { readonly action: string; readonly summary: string },
): string {
  try {
    const payload = JSON.parse(text) as Json;
    const decision = isJsonObject(payload) ? payload['decision'] : undefined;
    if (!isJsonObject(payload) || !isJsonObject(decision)) return text;
    if (decision['action'] === action && summaryTextOf(decision) === summary) return text;
    const fields = parseSummaryText(summary) ?? { reason: summary };
    return canonicalJson({ ...payload, decision: { ...decision, action, ...fields } });
  } catch {
    return text;
  }
}

function rowsAt(database: SqlDatabase, places: readonly SqlRow[]): Promise<readonly SqlRow[]> {
  return database.dialect === 'postgres'
    ? summariesInPartitions(database, places)
    : database.query(summariesAt(places.map((place) => bigintOf(place, 'position'))));
}

/** Null: it was deleted meanwhile. */
function summaryIn(entry: LedgerEntry | undefined): DecisionSummary | null {
  return entry?.kind === 'Decision' ? summaryOf(entry) : null;
}

function summaryOfRow(row: SqlRow): DecisionSummary {
  const fields = parseSummaryText(textOf(row, 'summary'));
  if (fields === null) {
    throw databaseError(
      'DatabaseCorrupt',
      `the summary of ${String(row['stream'])}#${String(row['seq'])} is none`,
    );
  }
  return {
    ...frameOf(row),
    kind: 'Decision',
    policy: policyOf(row),
    action: textOf(row, 'action') as DecisionSummary['action'],
    ...fields,
  };
}

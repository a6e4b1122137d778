import {
  type DecisionSummary,
  type EntryAddress,
  type LedgerEntry,
  parseSummaryText,
  summaryOf,
} from '#ledger';
import { databaseError } from '../connection/database-error.ts';
import type { SqlDatabase, SqlRow } from '../connection/sql-database.ts';
import { bigintOf, policyOf, textOf } from '../statements/rows.ts';
import { cursorOf, frameOf } from './entry-rows.ts';
import type { KeptEntries, KeptReading } from './kept-entries.ts';
import { placesAt, summariesAt, summariesInPartitions, summariesOf } from './placed-entries.ts';

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
 * Reads the summaries of the decisions among the entries at addresses, in no order; of those that have none beside their
 * payload, from what `whole` reads of them.
 */
export async function readSummariesOf(
  database: SqlDatabase,
  addresses: readonly EntryAddress[],
  whole: (addresses: readonly EntryAddress[]) => Promise<readonly LedgerEntry[]>,
): Promise<readonly DecisionSummary[]> {
  const rows =
    database.dialect === 'postgres'
      ? await summariesInPartitions(database, await database.query(placesAt(addresses)))
      : await database.query(summariesOf(addresses));
  const decisions = rows.filter((row) => row['kind'] === 'Decision');
  const older = decisions.filter((row) => row['summary'] === null).map(addressOf);
  const newer = decisions.filter((row) => row['summary'] !== null).map(summaryOfRow);
  const entries = older.length === 0 ? [] : await whole(older);
  return [...newer, ...entries.map((entry) => summaryIn(entry)).filter((summary) => summary !== null)];
}

function addressOf(row: SqlRow): EntryAddress {
  return { stream: textOf(row, 'stream'), seq: bigintOf(row, 'seq') };
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

import type { LedgerEntry } from '#ledger';
import type { SqlDatabase, SqlRow } from '../connection/sql-database.ts';
import type { KeptBases } from '../packing/kept-bases.ts';
import { bigintOf } from '../statements/rows.ts';
import { cursorOf, measuredEntriesOf } from './entry-rows.ts';
import type { KeptReading } from './kept-entries.ts';
import { entriesInPartitions, unobservedEntries } from './placed-entries.ts';

/** Reads entries without what they observed. */
export function readUnobserved(database: SqlDatabase, bases: KeptBases): KeptReading<LedgerEntry>['read'] {
  const rowsAt = (places: readonly SqlRow[]): Promise<readonly SqlRow[]> =>
    database.dialect === 'postgres'
      ? entriesInPartitions(database, places, 'OldestFirst')
      : database.query(unobservedEntries(places.map((place) => bigintOf(place, 'position'))));
  return async (places) => {
    const rows = (await rowsAt(places)).filter((row) => row['payload_hash'] === null);
    const entries = await measuredEntriesOf(rows, { bases, isWithoutObservations: true });
    return entries.map((measured, index) => ({ ...measured, place: cursorOf(rows[index] ?? {}) }));
  };
}

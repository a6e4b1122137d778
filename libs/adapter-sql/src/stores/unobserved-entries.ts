import type { EntryPage, EntryQuery, LedgerEntry } from '#ledger';
import type { KeptBases } from '../packing/kept-bases.ts';
import type { SqlDatabase, SqlRow } from '../sql-database.ts';
import { type NumberedPage, readPagePlaces } from './entry-pages.ts';
import { cursorOf, measuredEntriesOf, type MeasuredEntry } from './entry-rows.ts';
import { entriesInPartitions, unobservedEntries } from './placed-entries.ts';
import { bigintOf } from './rows.ts';

/** The payloads that are kept, as text: some 1,000 decisions. In memory they take two to three times as much. */
const maximumCharacters = 4 * 1024 * 1024;

/** Positions of entries that were read once lately: some pages, or an answer of many policies; twice as many at most. */
const maximumReadOnce = 2_000;

interface Kept extends MeasuredEntry {
  /** Of the entry: in a database that has lost entries, others come to stand at their positions. */
  readonly timeNanoseconds: bigint;
}

/**
 * Entries without what they observed. Those that were read twice lately are kept, as unpacking one takes longer than everything
 * else about it: an entry never changes, and one whose payload is deleted has no place that is looked for.
 */
export class UnobservedEntries {
  readonly #database: SqlDatabase;
  readonly #bases: KeptBases;
  readonly #maximumCharacters: number;
  /** By position; the one that was read last stands last. */
  readonly #kept = new Map<bigint, Kept>();
  #readOnce = new Set<bigint>();
  /** Before these. */
  #readOnceBefore = new Set<bigint>();
  #characters = 0;

  constructor(database: SqlDatabase, bases: KeptBases, maximum = maximumCharacters) {
    this.#database = database;
    this.#bases = bases;
    this.#maximumCharacters = maximum;
  }

  /** The pages of queries; those that nothing can be found for are not among the numbered ones. */
  async pages(
    queries: readonly EntryQuery[],
    numbered: readonly NumberedPage[],
  ): Promise<readonly EntryPage[]> {
    const places = await readPagePlaces(this.#database, numbered);
    const ofPage = Map.groupBy(places, (row) => Number(bigintOf(row, 'page')));
    const listed = queries.map(({ limit }, page) => (ofPage.get(page) ?? []).slice(0, limit));
    const entries = await this.at(listed.flat());
    return queries.map(({ limit }, page) => ({
      items: (listed[page] ?? []).flatMap((place) => {
        const cursor = cursorOf(place);
        const entry = entries.get(cursor.position);
        return entry === undefined ? [] : [{ entry, cursor }];
      }),
      hasMore: (ofPage.get(page)?.length ?? 0) > limit,
    }));
  }

  /** By the positions of places, which have `time_nanoseconds` and `position`; without those deleted meanwhile. */
  async at(places: readonly SqlRow[]): Promise<ReadonlyMap<bigint, LedgerEntry>> {
    const found = new Map<bigint, LedgerEntry>();
    const missing: SqlRow[] = [];
    for (const place of places) {
      const { position, timeNanoseconds } = cursorOf(place);
      const entry = this.#find(position, timeNanoseconds);
      if (entry === undefined) missing.push(place);
      else found.set(position, entry);
    }
    if (missing.length === 0) return found;
    const rows = (await this.#read(missing)).filter((row) => row['payload_hash'] === null);
    const entries = await measuredEntriesOf(rows, { bases: this.#bases, isWithoutObservations: true });
    entries.forEach((measured, index) => {
      const { position, timeNanoseconds } = cursorOf(rows[index] ?? {});
      found.set(position, measured.entry);
      this.#keep(position, { ...measured, timeNanoseconds });
    });
    return found;
  }

  #read(places: readonly SqlRow[]): Promise<readonly SqlRow[]> {
    if (this.#database.dialect === 'postgres')
      return entriesInPartitions(this.#database, places, 'OldestFirst');
    return this.#database.query(unobservedEntries(places.map((place) => bigintOf(place, 'position'))));
  }

  #wasReadBefore(position: bigint): boolean {
    if (this.#readOnce.delete(position) || this.#readOnceBefore.delete(position)) return true;
    this.#readOnce.add(position);
    if (this.#readOnce.size < maximumReadOnce) return false;
    // All at once: looking for the oldest of a set that many were deleted from takes longer than reading an entry.
    this.#readOnceBefore = this.#readOnce;
    this.#readOnce = new Set();
    return false;
  }

  #find(position: bigint, timeNanoseconds: bigint): LedgerEntry | undefined {
    const kept = this.#kept.get(position);
    if (kept === undefined) return undefined;
    this.#kept.delete(position);
    if (kept.timeNanoseconds !== timeNanoseconds) {
      this.#characters -= kept.characters;
      return undefined;
    }
    this.#kept.set(position, kept);
    return kept.entry;
  }

  /** What is read for the second time: who reads through the ledger would push out what others look at. */
  #keep(position: bigint, measured: Kept): void {
    // Read by another at the same time.
    if (this.#kept.has(position) || !this.#wasReadBefore(position)) return;
    this.#kept.set(position, measured);
    this.#characters += measured.characters;
    for (const [oldest, kept] of this.#kept) {
      if (this.#characters <= this.#maximumCharacters) return;
      this.#kept.delete(oldest);
      this.#characters -= kept.characters;
    }
  }
}

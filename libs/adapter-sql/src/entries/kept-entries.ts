import type { EntryCursor, EntryPage } from '#ledger';
import type { SqlDatabase, SqlRow } from '../connection/sql-database.ts';
import { bigintOf } from '../statements/rows.ts';
import { type NumberedPage, readPagePlaces } from './entry-pages.ts';
import { cursorOf } from './entry-rows.ts';

/** What is kept, as text: some 1,000 decisions, or 8,000 summaries. In memory they take two to three times as much. */
const maximumCharacters = 4 * 1024 * 1024;

/** Positions of entries that were read once lately: some pages, or an answer of many policies; twice as many at most. */
const maximumReadOnce = 2_000;

/** An entry as it is read, or a part of it. */
export interface PlacedEntry<E> {
  readonly entry: E;
  readonly place: EntryCursor;
  /** How long its text is. */
  readonly characters: number;
}

/** How entries are read. */
export interface KeptReading<E> {
  /** Those at places, which have `time_nanoseconds` and `position`; without those deleted meanwhile, in any order. */
  readonly read: (places: readonly SqlRow[]) => Promise<readonly PlacedEntry<E>[]>;
  readonly maximumCharacters?: number;
}

/**
 * Entries, or what is shown of them. Those that were read twice lately are kept, as reading one again takes longer than
 * everything else about it: an entry never changes, and one whose payload is deleted has no place that is looked for.
 */
export class KeptEntries<E> {
  readonly #database: SqlDatabase;
  readonly #reading: Required<KeptReading<E>>;
  /** By position; the one that was read last stands last. The time tells entries apart: in a database that has lost some, others come to stand at their positions. */
  readonly #kept = new Map<bigint, PlacedEntry<E>>();
  #readOnce = new Set<bigint>();
  /** Before these. */
  #readOnceBefore = new Set<bigint>();
  #characters = 0;

  constructor(database: SqlDatabase, reading: KeptReading<E>) {
    this.#database = database;
    this.#reading = { maximumCharacters, ...reading };
  }

  /** Pages with these limits; those that nothing can be found for are not among the numbered ones. */
  async pages(
    queries: readonly { readonly limit: number }[],
    numbered: readonly NumberedPage[],
  ): Promise<readonly EntryPage<E>[]> {
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
  async at(places: readonly SqlRow[]): Promise<ReadonlyMap<bigint, E>> {
    const found = new Map<bigint, E>();
    const missing: SqlRow[] = [];
    for (const place of places) {
      const cursor = cursorOf(place);
      const kept = this.#find(cursor);
      if (kept === undefined) missing.push(place);
      else found.set(cursor.position, kept.entry);
    }
    if (missing.length === 0) return found;
    for (const read of await this.#reading.read(missing)) {
      found.set(read.place.position, read.entry);
      this.#keep(read);
    }
    return found;
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

  #find({ position, timeNanoseconds }: EntryCursor): PlacedEntry<E> | undefined {
    const kept = this.#kept.get(position);
    if (kept === undefined) return undefined;
    this.#kept.delete(position);
    if (kept.place.timeNanoseconds !== timeNanoseconds) {
      this.#characters -= kept.characters;
      return undefined;
    }
    this.#kept.set(position, kept);
    return kept;
  }

  /** What is read for the second time: who reads through the ledger would push out what others look at. */
  #keep(read: PlacedEntry<E>): void {
    const { position } = read.place;
    // Read by another at the same time.
    if (this.#kept.has(position) || !this.#wasReadBefore(position)) return;
    this.#kept.set(position, read);
    this.#characters += read.characters;
    for (const [oldest, kept] of this.#kept) {
      if (this.#characters <= this.#reading.maximumCharacters) return;
      this.#kept.delete(oldest);
      this.#characters -= kept.characters;
    }
  }
}

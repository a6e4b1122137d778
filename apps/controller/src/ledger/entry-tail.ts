import { maximumPlaces, type StoredPlace } from '#adapter-sql';
import { type ChainedEntry, entryId, type LedgerEntry, type LedgerPort, maximumPagesPerRead } from '#ledger';
import { CoalescedWork } from '../coordination/shards/coalesced-work.ts';
import type { FieldLogger } from '../logging/field-logger.ts';
import { OutageLog } from '../logging/outage-log.ts';
import type { FedEntry, LedgerFeed } from './ledger-feed.ts';

/** Entries of this process that are kept until their turn comes; beyond them they are read as those of others are. */
const maximumOwn = 20_000;

/**
 * How long a place that was passed over may still be filled: by a transaction that has its places, and has not ended.
 * The database ends one that waits for its client sooner.
 */
const filledMilliseconds = 60_000;

/** Places that are waited for. More are a sequence that has jumped, and not transactions under way. */
const maximumMissing = 2_000;

export interface EntryTailOptions {
  readonly places: {
    readonly newest: () => Promise<bigint>;
    readonly after: (position: bigint, missing: readonly bigint[]) => Promise<readonly StoredPlace[]>;
  };
  readonly ledger: Pick<LedgerPort, 'entriesAt'>;
  readonly feed: LedgerFeed;
  readonly now: () => number;
  readonly logger: FieldLogger;
}

/**
 * Passes on what any process has stored in the ledger, in the order of its places, each entry once. Where one process has
 * the database for itself, as with SQLite, its own appends are passed on as they are, and nothing is read.
 */
export class EntryTail {
  readonly #options: EntryTailOptions;
  readonly #looks = new CoalescedWork(() => this.#outages.during(() => this.#look()));
  readonly #outages: OutageLog;
  readonly #own = new Map<string, ChainedEntry>();
  /** Places before the last that were not taken when they were looked at, and since when. */
  readonly #missing = new Map<bigint, number>();
  /** Null: it is not known yet. */
  #last: bigint | null = null;
  #isShared = false;

  constructor(options: EntryTailOptions) {
    this.#options = options;
    this.#outages = new OutageLog(options.logger, {
      fails: 'new entries of the ledger could not be read for subscribers',
      works: 'new entries of the ledger are read again',
    });
  }

  /** Others may append from now on: what is passed on is what is read. */
  share(): void {
    this.#isShared = true;
  }

  /** Takes what this process has stored. */
  publish(entries: readonly ChainedEntry[]): void {
    const { feed } = this.#options;
    if (!this.#isShared) {
      feed.publish(entries);
      return;
    }
    const wanted = entries.filter(({ kind }) => feed.isWanted(kind));
    if (this.#own.size + wanted.length > maximumOwn) this.#own.clear();
    else for (const entry of wanted) this.#own.set(entryId(entry), entry);
    if (wanted.length > 0) void this.look();
  }

  /** Looks for entries now. */
  look(): Promise<void> {
    return this.#looks.run();
  }

  /** Waits for the look under way. */
  end(): Promise<void> {
    return this.#looks.end();
  }

  async #look(): Promise<void> {
    this.#last ??= await this.#options.places.newest();
    for (let isFull = true; isFull;) isFull = await this.#passOn(this.#last);
  }

  /** @returns whether there may be more */
  async #passOn(last: bigint): Promise<boolean> {
    const { places, feed, now } = this.#options;
    const found = await places.after(last, [...this.#missing.keys()]);
    const isFull = found.length >= maximumPlaces;
    if (isFull && !feed.hasListeners) {
      this.#missing.clear();
      this.#last = await places.newest();
      return false;
    }
    for (let start = 0; start < found.length; start += maximumPagesPerRead) {
      const part = found.slice(start, start + maximumPagesPerRead);
      // What cannot be read now is found again, and what was passed on is not.
      feed.publish(await this.#entriesAt(part.filter(({ kind }) => feed.isWanted(kind))));
      this.#note(part, now());
    }
    return isFull;
  }

  async #entriesAt(places: readonly StoredPlace[]): Promise<readonly FedEntry[]> {
    const others = places.filter((place) => !this.#own.has(entryId(place)));
    const read = others.length === 0 ? [] : await this.#options.ledger.entriesAt(others);
    const byId = new Map<string, LedgerEntry>(read.map((entry) => [entryId(entry), entry]));
    return places.flatMap((place) => this.#own.get(entryId(place)) ?? byId.get(entryId(place)) ?? []);
  }

  #note(found: readonly StoredPlace[], now: number): void {
    let last = this.#last ?? 0n;
    for (const place of found) {
      const { position } = place;
      this.#own.delete(entryId(place));
      this.#missing.delete(position);
      if (position <= last) continue;
      const first = position - last > BigInt(maximumMissing) ? position : last + 1n;
      for (let missing = first; missing < position; missing += 1n) this.#missing.set(missing, now);
      last = position;
    }
    this.#last = last;
    for (const [position, since] of this.#missing) {
      if (now - since > filledMilliseconds || this.#missing.size > maximumMissing)
        this.#missing.delete(position);
    }
  }
}

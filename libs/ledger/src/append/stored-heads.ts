import type { StreamHead } from '../entries/entry.ts';

/** About 20 MB; of further streams it is not found out what a database has lost. */
const maximumStreams = 100_000;

/** Of a read of all of them: a page takes milliseconds. */
const streamsPerRead = 1_000;

/** Entries that a database had stored, and has no more. */
export interface LostEntries {
  /** Where the stream ended when its last entries were stored. */
  readonly stored: StreamHead;
  /** Where it ends now. */
  readonly found: StreamHead;
}

/**
 * Where streams ended when a process stored its last entries in them. A database that goes back behind that has lost them:
 * a standby took over that had not got them, or a backup was put in its place.
 */
export class StoredHeads {
  readonly #heads = new Map<string, StreamHead>();
  readonly #onLost: (lost: LostEntries) => void;

  /** `onLost` returns at once and never throws. */
  constructor(onLost: (lost: LostEntries) => void) {
    this.#onLost = onLost;
  }

  note(heads: Iterable<StreamHead>): void {
    for (const head of heads) {
      if (this.#heads.has(head.stream) || this.#heads.size < maximumStreams)
        this.#heads.set(head.stream, head);
    }
  }

  /** Tells of each stream once what it has lost. Others may have gone on with it meanwhile. */
  compare(heads: Iterable<StreamHead>): void {
    for (const found of heads) this.#compareWith(this.#heads.get(found.stream), found);
  }

  /**
   * Compares all of them with what `read` finds, a page at a time.
   *
   * @throws what `read` throws
   */
  async compareAll(read: (streams: readonly string[]) => Promise<readonly StreamHead[]>): Promise<void> {
    // As they are before they are read: what is stored meanwhile is not in what is found.
    const all = [...this.#heads.values()];
    for (let start = 0; start < all.length; start += streamsPerRead) {
      const page = all.slice(start, start + streamsPerRead);
      const found = await read(page.map(({ stream }) => stream));
      for (const [index, head] of found.entries()) this.#compareWith(page[index], head);
    }
  }

  #compareWith(stored: StreamHead | undefined, found: StreamHead): void {
    if (stored === undefined || found.seq > stored.seq || found.hash === stored.hash) return;
    this.#heads.set(found.stream, found);
    this.#onLost({ stored, found });
  }
}

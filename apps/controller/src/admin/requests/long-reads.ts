import { Semaphore } from '#kernel';
import type { EntryKind, EntryOf, EntryQuery, LedgerPort } from '#ledger';

/** How many such questions are answered at a time: each is hundreds of milliseconds of the database and of this thread. */
const maximumAtATime = 2;

/** Where nobody can leave. */
const { signal: never } = new AbortController();

/** Which entries are looked through, and how many at most. */
export interface LongRead<K extends EntryKind> extends Pick<
  EntryQuery,
  'from' | 'until' | 'namespaces' | 'policy' | 'scopes'
> {
  readonly kind: K;
  readonly maximum: number;
  readonly perRead: number;
}

/** Looks through many entries for few answers: a few callers at a time, and none of the entries is kept. */
export class LongReads {
  readonly #ledger: Pick<LedgerPort, 'entries'>;
  readonly #places = new Semaphore(maximumAtATime);

  constructor(ledger: Pick<LedgerPort, 'entries'>) {
    this.#ledger = ledger;
  }

  /**
   * Calls `take` for each, newest first.
   *
   * @param signal ends the wait for a place, and the reading before its next page
   * @returns whether those were all there are
   * @throws the signal's reason
   */
  each<K extends EntryKind>(
    read: LongRead<K>,
    take: (entry: EntryOf<K>) => void,
    signal = never,
  ): Promise<boolean> {
    return this.#places.run(signal, () => this.#each(read, take, signal));
  }

  async #each<K extends EntryKind>(
    { kind, maximum, perRead, ...range }: LongRead<K>,
    take: (entry: EntryOf<K>) => void,
    signal: AbortSignal,
  ): Promise<boolean> {
    let taken = 0;
    let after = {};
    for (;;) {
      signal.throwIfAborted();
      const page = await this.#ledger.entries({
        ...range,
        ...after,
        kinds: [kind],
        order: 'NewestFirst',
        limit: perRead,
      });
      // They are of the kind that was asked for.
      for (const { entry } of page.items) take(entry as unknown as EntryOf<K>);
      taken += page.items.length;
      const last = page.items.at(-1)?.cursor;
      if (!page.hasMore || last === undefined) return true;
      if (taken >= maximum) return false;
      after = { after: last };
    }
  }
}

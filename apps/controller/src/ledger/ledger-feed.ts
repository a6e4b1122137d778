import type { ChainedEntry, EntryKind, LedgerEntry, LiveKind } from '#ledger';

/** Entries that wait to be passed on; more mean that the process has no time for it. */
const maximumWaiting = 20_000;

/** Entries that are parsed and passed on in one turn of the loop. */
const entriesPerTurn = 5;

/** An entry to pass on: as it was stored, or as it was read. */
export type FedEntry = ChainedEntry | LedgerEntry;

/** Who hears of entries. */
export interface LedgerListener {
  readonly kind: LiveKind;
  /** It returns at once and never throws; `characters` is the length of the payload. */
  readonly onEntry: (entry: LedgerEntry, characters: number) => void;
  /** Entries were left out. The listener hears of no more. */
  readonly onLost: () => void;
}

/**
 * Passes on what is stored in the ledger, in the order in which it is given it, in turns of the loop of its own: an append
 * never waits for it. Without listeners it does nothing.
 */
export class LedgerFeed {
  readonly #listeners = new Map<EntryKind, Set<LedgerListener>>();
  #waiting: FedEntry[] = [];

  /** Calls the listener for every entry of its kind from now on. Returns what ends it. */
  subscribe(listener: LedgerListener): () => void {
    const ofKind = this.#listeners.get(listener.kind) ?? new Set();
    this.#listeners.set(listener.kind, ofKind.add(listener));
    return () => {
      ofKind.delete(listener);
      if (ofKind.size === 0 && this.#listeners.get(listener.kind) === ofKind)
        this.#listeners.delete(listener.kind);
    };
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Whether anyone listens for entries of a kind. */
  isWanted(kind: EntryKind): boolean {
    return this.#listeners.has(kind);
  }

  publish(entries: readonly FedEntry[]): void {
    if (this.#listeners.size === 0) return;
    const wanted = entries.filter(({ kind }) => this.#listeners.has(kind));
    if (wanted.length === 0) return;
    if (this.#waiting.length + wanted.length > maximumWaiting) {
      this.#loseAll();
      return;
    }
    if (this.#waiting.length === 0) setImmediate(() => this.#deliver());
    this.#waiting.push(...wanted);
  }

  #deliver(): void {
    for (const fed of this.#waiting.splice(0, entriesPerTurn)) {
      const listeners = this.#listeners.get(fed.kind);
      if (listeners === undefined) continue;
      const isStored = 'payloadText' in fed;
      const entry = isStored ? entryOf(fed) : fed;
      const characters = isStored ? fed.payloadText.length : JSON.stringify(fed.payload).length;
      for (const { onEntry } of listeners) onEntry(entry, characters);
    }
    if (this.#waiting.length > 0) setImmediate(() => this.#deliver());
  }

  #loseAll(): void {
    // The turn that is due finds nothing.
    this.#waiting.length = 0;
    const lost = [...this.#listeners.values()].flatMap((listeners) => [...listeners]);
    this.#listeners.clear();
    for (const { onLost } of lost) onLost();
  }
}

function entryOf({ payloadText, ...chained }: ChainedEntry): LedgerEntry {
  const { format, stream, seq, cluster, time, previousHash, hash, kind } = chained;
  const payload: unknown = JSON.parse(payloadText);
  return { format, stream, seq, cluster, time, previousHash, hash, kind, payload } as LedgerEntry;
}

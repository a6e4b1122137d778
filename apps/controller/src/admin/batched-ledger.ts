import {
  type EntryAddress,
  entryId,
  type EntryKind,
  type EntryOf,
  type EntryPage,
  type EntryQuery,
  type EntryReading,
  type LedgerEntry,
  type LedgerPort,
  maximumEntriesPerRead,
  maximumPagesPerRead,
} from '#ledger';
import { Batch } from './batch.ts';

type ReadPort = Pick<LedgerPort, 'entries' | 'entryPages' | 'entry' | 'entriesAt' | 'newestEntry'>;

/** Many times what reading an entry by its id takes, and less than anybody notices. */
const maximumWaitMilliseconds = 5;

/** Reads the ledger with one statement for what the rows of an answer ask for side by side. */
export class BatchedLedger {
  readonly #ledger: ReadPort;
  readonly #pages: Readonly<Record<EntryQuery['order'], Batch<EntryQuery, EntryPage>>>;
  readonly #entries: Batch<EntryAddress, LedgerEntry | null>;
  readonly #unobserved: Batch<EntryAddress, LedgerEntry | null>;

  constructor(ledger: ReadPort) {
    this.#ledger = ledger;
    const pages = (): Batch<EntryQuery, EntryPage> =>
      new Batch({
        load: (queries) => loadPages(ledger, queries),
        maximumQueries: maximumPagesPerRead,
        weightOf: ({ limit }) => limit,
        maximumWeight: maximumEntriesPerRead,
      });
    this.#pages = { NewestFirst: pages(), OldestFirst: pages() };
    const entries = (reading: EntryReading): Batch<EntryAddress, LedgerEntry | null> =>
      new Batch({
        load: (addresses) => loadEntries(ledger, addresses, reading),
        maximumQueries: maximumPagesPerRead,
        maximumWaitMilliseconds,
      });
    this.#entries = entries({});
    this.#unobserved = entries({ isWithoutObservations: true });
  }

  entries(query: EntryQuery): Promise<EntryPage> {
    return this.#pages[query.order].read(query);
  }

  newestEntry<K extends EntryKind>(query: {
    readonly stream: string;
    readonly kind: K;
  }): Promise<EntryOf<K> | null> {
    return this.#ledger.newestEntry(query);
  }

  entry(
    address: EntryAddress,
    { isWithoutObservations = false }: EntryReading = {},
  ): Promise<LedgerEntry | null> {
    return (isWithoutObservations ? this.#unobserved : this.#entries).read(address);
  }
}

async function loadPages(ledger: ReadPort, queries: readonly EntryQuery[]): Promise<readonly EntryPage[]> {
  const [only] = queries;
  return queries.length === 1 && only !== undefined
    ? [await ledger.entries(only)]
    : ledger.entryPages(queries);
}

async function loadEntries(
  ledger: ReadPort,
  addresses: readonly EntryAddress[],
  reading: EntryReading,
): Promise<readonly (LedgerEntry | null)[]> {
  const [only] = addresses;
  if (addresses.length === 1 && only !== undefined) return [await ledger.entry(only, reading)];
  const byId = new Map(addresses.map((address) => [entryId(address), address]));
  const found = await ledger.entriesAt([...byId.values()], reading);
  const entries = new Map(found.map((entry) => [entryId(entry), entry]));
  return addresses.map((address) => entries.get(entryId(address)) ?? null);
}

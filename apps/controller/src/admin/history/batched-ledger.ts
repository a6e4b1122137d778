import {
  type DecisionQuery,
  type DecisionSummary,
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
  maximumPoliciesPerRead,
  parseEntryId,
  type PolicyKey,
  policyStream,
} from '#ledger';
import { Batch } from '../requests/batch.ts';

type ReadPort = Pick<
  LedgerPort,
  | 'entries'
  | 'entriesAfter'
  | 'entryPages'
  | 'decisionSummaries'
  | 'decisionSummariesAt'
  | 'entry'
  | 'entriesAt'
  | 'newestEntry'
  | 'latestDecisions'
>;

/** Numbers after a decision among which its writes and their outcomes are: there is nothing between, but for a crash. */
const maximumFollowing = 100;

const writes = [
  'ScalingIntent',
  'ScalingEvent',
  'ScalingFailure',
  'ActuationIntent',
  'ActuationOutcome',
] as const;

/** Many times what reading an entry by its id takes, and less than anybody notices. */
const maximumWaitMilliseconds = 5;

/** Reads the ledger with one statement for what the rows of an answer ask for side by side. */
export class BatchedLedger {
  readonly #ledger: ReadPort;
  readonly #pages: Readonly<Record<EntryQuery['order'], Batch<EntryQuery, EntryPage>>>;
  readonly #summaries: Readonly<
    Record<EntryQuery['order'], Batch<DecisionQuery, EntryPage<DecisionSummary>>>
  >;
  readonly #entries: Batch<EntryAddress, LedgerEntry | null>;
  readonly #unobserved: Batch<EntryAddress, LedgerEntry | null>;
  readonly #summariesAt: Batch<EntryAddress, DecisionSummary | null>;
  readonly #latest: Batch<PolicyKey, string | null>;
  readonly #writes: Batch<EntryAddress, readonly LedgerEntry[]>;

  constructor(ledger: ReadPort) {
    this.#ledger = ledger;
    const pages = (): Batch<EntryQuery, EntryPage> => pageBatch((queries) => loadPages(ledger, queries));
    this.#pages = { NewestFirst: pages(), OldestFirst: pages() };
    const summaries = (): Batch<DecisionQuery, EntryPage<DecisionSummary>> =>
      pageBatch((queries) => ledger.decisionSummaries(queries));
    this.#summaries = { NewestFirst: summaries(), OldestFirst: summaries() };
    this.#entries = addressBatch((addresses) => ledger.entriesAt(addresses));
    this.#unobserved = addressBatch((addresses) =>
      ledger.entriesAt(addresses, { isWithoutObservations: true }),
    );
    this.#summariesAt = addressBatch((addresses) => ledger.decisionSummariesAt(addresses));
    this.#latest = new Batch({
      load: (policies) => ledger.latestDecisions(policies),
      maximumQueries: maximumPoliciesPerRead,
      keyOf: policyStream,
    });
    this.#writes = new Batch({
      load: (addresses) => loadWrites(ledger, addresses),
      maximumQueries: maximumPagesPerRead,
    });
  }

  entries(query: EntryQuery): Promise<EntryPage> {
    return this.#pages[query.order].read(query);
  }

  /** Decisions without their payloads. */
  decisionSummaries(query: DecisionQuery): Promise<EntryPage<DecisionSummary>> {
    return this.#summaries[query.order].read(query);
  }

  newestEntry<K extends EntryKind>(query: {
    readonly stream: string;
    readonly kind: K;
  }): Promise<EntryOf<K> | null> {
    return this.#ledger.newestEntry(query);
  }

  /**
   * The decision of a policy that was recorded last, whatever the clocks said, without what it observed where that takes
   * longer. The policy's state names it, but for a policy that has left, or decided while the ledger was away.
   */
  async latestDecision(policy: PolicyKey): Promise<EntryOf<'Decision'> | null> {
    const address = parseEntryId((await this.#latest.read(policy)) ?? '');
    const entry = address === null ? null : await this.entry(address, { isWithoutObservations: true });
    if (entry?.kind === 'Decision') return entry;
    return this.newestEntry({ stream: policyStream(policy), kind: 'Decision' });
  }

  entry(
    address: EntryAddress,
    { isWithoutObservations = false }: EntryReading = {},
  ): Promise<LedgerEntry | null> {
    return (isWithoutObservations ? this.#unobserved : this.#entries).read(address);
  }

  /** A decision without its payload; null: there is none at this address. */
  decisionSummaryAt(address: EntryAddress): Promise<DecisionSummary | null> {
    return this.#summariesAt.read(address);
  }

  /** What was announced and written soon after an entry of its stream, by number. */
  writesAfter({ stream, seq }: EntryAddress): Promise<readonly LedgerEntry[]> {
    return this.#writes.read({ stream, seq });
  }
}

/** All that an answer depends on: the rows of a page ask the same of a commit that they share. */
function keyOfQuery(query: DecisionQuery): string {
  return JSON.stringify(query, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

function pageBatch<Q extends DecisionQuery, P>(
  load: (queries: readonly Q[]) => Promise<readonly P[]>,
): Batch<Q, P> {
  return new Batch({
    load,
    maximumQueries: maximumPagesPerRead,
    weightOf: ({ limit }) => limit,
    maximumWeight: maximumEntriesPerRead,
    keyOf: keyOfQuery,
  });
}

function addressBatch<E extends EntryAddress>(
  read: (addresses: readonly EntryAddress[]) => Promise<readonly E[]>,
): Batch<EntryAddress, E | null> {
  return new Batch({
    load: async (addresses) => {
      const byId = new Map(addresses.map((address) => [entryId(address), address]));
      const found = await read([...byId.values()]);
      const entries = new Map(found.map((entry) => [entryId(entry), entry]));
      return addresses.map((address) => entries.get(entryId(address)) ?? null);
    },
    maximumQueries: maximumPagesPerRead,
    maximumWaitMilliseconds,
  });
}

async function loadPages(ledger: ReadPort, queries: readonly EntryQuery[]): Promise<readonly EntryPage[]> {
  const [only] = queries;
  return queries.length === 1 && only !== undefined
    ? [await ledger.entries(only)]
    : ledger.entryPages(queries);
}

async function loadWrites(
  ledger: ReadPort,
  addresses: readonly EntryAddress[],
): Promise<readonly (readonly LedgerEntry[])[]> {
  const found = await ledger.entriesAfter({ addresses, kinds: writes, within: maximumFollowing });
  const byStream = Map.groupBy(found, ({ stream }) => stream);
  return addresses.map(({ stream, seq }) => {
    const last = seq + BigInt(maximumFollowing);
    return (byStream.get(stream) ?? []).filter((entry) => entry.seq > seq && entry.seq <= last);
  });
}

import { err, ok, type Result } from '#kernel';
import {
  type AppendBatch,
  type AppendRefusal,
  type ChainedEntry,
  emptyHead,
  type EntryAddress,
  entryId,
  type EntryPage,
  type EntryQuery,
  type Fence,
  type LedgerEntry,
  type LedgerPort,
  type ListedEntry,
  type NamedPage,
  parseEntryId,
  type PolicyState,
  policyStream,
  type StreamHead,
} from '#ledger';

/** The ledger's port in memory. It holds to the same contract suite as the databases. */
export class InMemoryLedger implements LedgerPort {
  readonly #entries: ChainedEntry[] = [];
  readonly #heads = new Map<string, StreamHead>();
  readonly #epochs = new Map<string, bigint>();
  readonly #pending = new Map<string, bigint>();
  readonly #states = new Map<string, PolicyState>();

  takeOver(scope: string): Promise<Fence> {
    const epoch = (this.#epochs.get(scope) ?? 0n) + 1n;
    this.#epochs.set(scope, epoch);
    return Promise.resolve({ scope, epoch });
  }

  append(batch: AppendBatch): Promise<Result<undefined, AppendRefusal>> {
    const refusal = this.#refuse(batch);
    if (refusal !== null) return Promise.resolve(err(refusal));
    this.#entries.push(...batch.entries);
    for (const head of batch.after) this.#heads.set(head.stream, head);
    this.#trackIntents(batch.entries);
    for (const state of batch.states) this.#states.set(policyStream(state.policy), structuredClone(state));
    for (const policy of batch.forget) this.#states.delete(policyStream(policy));
    return Promise.resolve(ok(undefined));
  }

  heads(streams: readonly string[]): Promise<readonly StreamHead[]> {
    return Promise.resolve(streams.map((stream) => this.#heads.get(stream) ?? emptyHead(stream)));
  }

  listHeads(page: NamedPage): Promise<readonly StreamHead[]> {
    return Promise.resolve(pageByName(this.#heads, page));
  }

  entry({ stream, seq }: EntryAddress): Promise<LedgerEntry | null> {
    const found = this.#entries.find((entry) => entry.stream === stream && entry.seq === seq);
    return Promise.resolve(found === undefined ? null : readEntry(found));
  }

  entries(query: EntryQuery): Promise<EntryPage> {
    const sign = query.order === 'NewestFirst' ? -1 : 1;
    const order = (a: ListedEntry, b: ListedEntry): number => sign * compareCursors(a.cursor, b.cursor);
    const found = this.#entries
      .map((entry, index) => ({ entry, position: BigInt(index + 1) }))
      .filter(({ entry }) => isAskedFor(query, entry))
      .map(({ entry, position }) => ({
        entry: readEntry(entry),
        cursor: { timeNanoseconds: entry.timeNanoseconds, position },
      }))
      .filter(({ cursor }) => query.after === undefined || sign * compareCursors(cursor, query.after) > 0)
      .sort(order);
    return Promise.resolve({ items: found.slice(0, query.limit), hasMore: found.length > query.limit });
  }

  streamEntries(page: {
    readonly stream: string;
    readonly after: bigint;
    readonly limit: number;
  }): Promise<readonly LedgerEntry[]> {
    const found = this.#entries.filter(({ stream, seq }) => stream === page.stream && seq > page.after);
    return Promise.resolve(found.slice(0, page.limit).map(readEntry));
  }

  pendingIntents(page: NamedPage): Promise<readonly LedgerEntry[]> {
    const addresses = new Map([...this.#pending].map(([stream, seq]) => [stream, { stream, seq }]));
    return Promise.all(pageByName(addresses, page).map((address) => this.entry(address))).then((entries) =>
      entries.filter((entry) => entry !== null),
    );
  }

  policyStates(page: NamedPage): Promise<readonly PolicyState[]> {
    return Promise.resolve(structuredClone(pageByName(this.#states, page)));
  }

  #refuse(batch: AppendBatch): AppendRefusal | null {
    if (this.#epochs.get(batch.fence.scope) !== batch.fence.epoch) return { code: 'Fenced' };
    const moved = batch.before.some(({ stream, seq, hash }) => {
      const head = this.#heads.get(stream) ?? emptyHead(stream);
      return head.seq !== seq || head.hash !== hash;
    });
    if (moved) return { code: 'HeadMoved' };
    return this.#refuseIntents(batch.entries);
  }

  #refuseIntents(entries: readonly ChainedEntry[]): AppendRefusal | null {
    const pending = new Map([...this.#pending].map(([stream, seq]) => [entryId({ stream, seq }), stream]));
    for (const { resolvesIntent } of entries)
      if (resolvesIntent !== null && !pending.delete(resolvesIntent)) return { code: 'IntentNotPending' };
    const open = new Set(pending.values());
    for (const { kind, stream } of entries) {
      if (kind !== 'ScalingIntent') continue;
      if (open.has(stream)) return { code: 'IntentPending' };
      open.add(stream);
    }
    return null;
  }

  /** Outcomes first: a batch may close one intent of a policy and open the next. */
  #trackIntents(entries: readonly ChainedEntry[]): void {
    for (const { resolvesIntent } of entries) {
      const address = resolvesIntent === null ? null : parseEntryId(resolvesIntent);
      if (address !== null) this.#pending.delete(address.stream);
    }
    for (const { kind, stream, seq } of entries) if (kind === 'ScalingIntent') this.#pending.set(stream, seq);
  }
}

function readEntry(entry: ChainedEntry): LedgerEntry {
  const { stream, seq, cluster, kind, time, previousHash, hash } = entry;
  const payload: unknown = JSON.parse(entry.payloadText);
  return { stream, seq, cluster, kind, time, payload, previousHash, hash } as LedgerEntry;
}

function isAskedFor(query: EntryQuery, entry: ChainedEntry): boolean {
  return (
    query.kinds.includes(entry.kind) &&
    (query.stream === undefined || query.stream === entry.stream) &&
    (query.action === undefined || query.action === entry.action) &&
    (query.from === undefined || entry.timeNanoseconds >= query.from) &&
    (query.until === undefined || entry.timeNanoseconds < query.until)
  );
}

function compareCursors(a: ListedEntry['cursor'], b: ListedEntry['cursor']): number {
  const difference = a.timeNanoseconds - b.timeNanoseconds || a.position - b.position;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function pageByName<T>(all: ReadonlyMap<string, T>, { after = '', limit }: NamedPage): readonly T[] {
  const names = [...all.keys()].filter((name) => name > after).sort();
  return names.slice(0, limit).flatMap((name) => all.get(name) ?? []);
}

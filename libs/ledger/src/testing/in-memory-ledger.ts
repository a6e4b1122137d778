import { AdapterError, err, type Json, matchesNamespace, namespacedName, ok, type Result } from '#kernel';
import { type DecisionSummary, summaryOf } from '../entries/decision-summary.ts';
import {
  type ChainedEntry,
  emptyHead,
  type EntryOf,
  type LedgerEntry,
  type StreamHead,
} from '../entries/entry.ts';
import { type EntryAddress, entryId, parseEntryId } from '../entries/entry-id.ts';
import { type EntryKind, isIntent } from '../entries/entry-kind.ts';
import type { StandingIntervention } from '../entries/standing-intervention.ts';
import { lateStream, type PolicyKey, policyOfStream, policyStream } from '../entries/stream-name.ts';
import type { AppendBatch, AppendRefusal, StoredSource } from '../ports/append-batch.ts';
import { outcomeUnknown } from '../ports/append-batch.ts';
import type { Fence } from '../ports/fence.port.ts';
import type {
  DecisionQuery,
  EntryPage,
  EntryQuery,
  FollowingEntries,
  LedgerPort,
  ListedEntry,
  NamedPage,
} from '../ports/ledger.port.ts';
import type { PolicyState, RecordedConditions } from '../ports/policy-state.ts';
import { InMemoryFences } from './in-memory-fences.ts';
import { InMemoryTokens } from './in-memory-tokens.ts';

/**
 * What goes wrong with an append. `Broken`: nothing is stored. `LostAfterStoring`: it is, and the answer is lost.
 * `Hangs`: no answer comes before {@link InMemoryLedger.timeOut}, and nothing is stored. With `until`, it is stored, and
 * the answer waits.
 */
export type LedgerFault = 'Broken' | 'LostAfterStoring' | 'Hangs' | { readonly until: Promise<unknown> };

/** The ledger's port in memory, with faults on request. It passes the contract suite of the databases. */
export class InMemoryLedger implements LedgerPort {
  readonly fences = new InMemoryFences();
  readonly tokens = new InMemoryTokens();
  /** All entries, in the order in which they were stored. */
  readonly entriesInOrder: ChainedEntry[] = [];
  /** By stream name. */
  readonly states = new Map<string, PolicyState>();
  /** By stream name. */
  readonly conditions = new Map<string, RecordedConditions>();
  /** By id. */
  readonly standing = new Map<string, StandingIntervention>();
  /** By name. */
  readonly sources = new Map<string, StoredSource>();
  /** The size of each batch that was stored. */
  readonly batches: { readonly entries: number; readonly states: number }[] = [];
  /** Faults of the coming appends, in order; `null` is none. */
  readonly faults: (LedgerFault | null)[] = [];
  /** The fault of every append from now on. */
  outage: LedgerFault | null = null;
  /** Null: never changed. */
  shardCount: number | null = null;
  readonly #heads = new Map<string, StreamHead>();
  /** By scope. */
  readonly #lastAppends = new Map<string, string>();
  /** Those whose answer was lost. */
  readonly #unanswered = new Set<AppendBatch>();
  readonly #pending = new Map<string, bigint>();
  readonly #journals = new Map<string, number>();
  readonly #hanging: ((error: AdapterError) => void)[] = [];

  /** Ends the appends that hang, as an adapter's own timeout does. */
  timeOut(): void {
    for (const reject of this.#hanging.splice(0)) reject(failure('Timeout', 'no answer within 10 s'));
  }

  /** Kinds of the entries of one policy, oldest first. */
  kindsOf(namespace: string, name: string): string[] {
    const stream = policyStream({ namespace, name });
    return this.entriesInOrder.filter((entry) => entry.stream === stream).map(({ kind }) => kind);
  }

  /** Payloads of one kind over all streams, oldest first. */
  payloadsOf(kind: LedgerEntry['kind']): Record<string, Json>[] {
    return this.entriesInOrder
      .filter((entry) => entry.kind === kind)
      .map(({ payloadText }) => JSON.parse(payloadText) as Record<string, Json>);
  }

  /** A fence of another process, which found the scope's fence expired. */
  takeOver(scope: string): Promise<Fence> {
    return Promise.resolve(this.fences.takeOver(scope));
  }

  append(batch: AppendBatch): Promise<Result<undefined, AppendRefusal>> {
    const fault = this.outage ?? this.faults.shift() ?? null;
    if (fault === 'Broken') return Promise.reject(failure('DiskFull', 'the disk is full'));
    if (fault === 'Hangs') return new Promise((_, reject) => this.#hanging.push(reject));
    if (this.#isStored(batch)) return Promise.resolve(ok(undefined));
    const refusal = this.#refuse(batch);
    if (refusal !== null) return Promise.resolve(err(refusal));
    this.#store(batch);
    if (fault === 'LostAfterStoring') {
      this.#unanswered.add(batch);
      return Promise.reject(failure(outcomeUnknown, 'no answer within 10 s'));
    }
    return typeof fault === 'object' && fault !== null
      ? fault.until.then(() => ok(undefined))
      : Promise.resolve(ok(undefined));
  }

  heads(streams: readonly string[]): Promise<readonly StreamHead[]> {
    return Promise.resolve(streams.map((stream) => this.#heads.get(stream) ?? emptyHead(stream)));
  }

  listHeads(page: NamedPage): Promise<readonly StreamHead[]> {
    return Promise.resolve(pageByName(this.#heads, page));
  }

  entry({ stream, seq }: EntryAddress): Promise<LedgerEntry | null> {
    const found = this.entriesInOrder.find((entry) => entry.stream === stream && entry.seq === seq);
    return Promise.resolve(found === undefined ? null : readEntry(found));
  }

  async entriesAt(addresses: readonly EntryAddress[]): Promise<readonly LedgerEntry[]> {
    return (await Promise.all(addresses.map((address) => this.entry(address)))).filter(
      (entry) => entry !== null,
    );
  }

  entryPages(queries: readonly EntryQuery[]): Promise<readonly EntryPage[]> {
    return Promise.all(queries.map((query) => this.entries(query)));
  }

  async decisionSummaries(queries: readonly DecisionQuery[]): Promise<readonly EntryPage<DecisionSummary>[]> {
    const pages = await this.entryPages(queries.map((query) => ({ ...query, kinds: ['Decision'] })));
    return pages.map(({ items, hasMore }) => ({
      items: items.map(({ entry, cursor }) => ({ entry: summaryOf(entry as EntryOf<'Decision'>), cursor })),
      hasMore,
    }));
  }

  async decisionSummariesAt(addresses: readonly EntryAddress[]): Promise<readonly DecisionSummary[]> {
    return (await this.entriesAt(addresses)).flatMap((entry) =>
      entry.kind === 'Decision' ? [summaryOf(entry)] : [],
    );
  }

  newestEntry<K extends EntryKind>(query: {
    readonly stream: string;
    readonly kind: K;
  }): Promise<EntryOf<K> | null> {
    const found = this.entriesInOrder.findLast(
      ({ stream, kind }) => stream === query.stream && kind === query.kind,
    );
    return Promise.resolve(found === undefined ? null : (readEntry(found) as EntryOf<K>));
  }

  entries(query: EntryQuery): Promise<EntryPage> {
    const sign = query.order === 'NewestFirst' ? -1 : 1;
    const order = (a: ListedEntry, b: ListedEntry): number => sign * compareCursors(a.cursor, b.cursor);
    const found = this.entriesInOrder
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
    const found = this.entriesInOrder.filter(({ stream, seq }) => stream === page.stream && seq > page.after);
    return Promise.resolve(found.slice(0, page.limit).map(readEntry));
  }

  entriesAfter({ addresses, kinds, within }: FollowingEntries): Promise<readonly LedgerEntry[]> {
    const found = this.entriesInOrder.filter(
      ({ kind, stream, seq }) =>
        kinds.includes(kind) &&
        addresses.some(
          (after) => after.stream === stream && after.seq < seq && seq <= after.seq + BigInt(within),
        ),
    );
    const byStream = found.map(readEntry).toSorted((one, other) => (one.stream < other.stream ? -1 : 1));
    return Promise.resolve(
      [...Map.groupBy(byStream, ({ stream }) => stream).values()].flatMap((entries) =>
        entries.toSorted((one, other) => Number(one.seq - other.seq)),
      ),
    );
  }

  pendingIntents(page: NamedPage): Promise<readonly LedgerEntry[]> {
    const addresses = new Map([...this.#pending].map(([stream, seq]) => [stream, { stream, seq }]));
    return Promise.all(pageByName(addresses, page).map((address) => this.entry(address))).then((entries) =>
      entries.filter((entry) => entry !== null),
    );
  }

  recordedPolicies(page: NamedPage): Promise<readonly PolicyKey[]> {
    const policies = [...this.states.values(), ...this.conditions.values()].map(({ policy }) => policy);
    const byStream = new Map(policies.map((policy) => [policyStream(policy), policy]));
    return Promise.resolve(structuredClone(pageByName(byStream, page)));
  }

  policyStates(policies: readonly PolicyKey[]): Promise<readonly PolicyState[]> {
    return Promise.resolve(structuredClone(valuesOf(this.states, policies)));
  }

  latestDecisions(policies: readonly PolicyKey[]): Promise<readonly (string | null)[]> {
    const states = policies.map((policy) => this.states.get(policyStream(policy)));
    return Promise.resolve(states.map((state) => state?.lastDecision?.entry ?? null));
  }

  policyConditions(policies: readonly PolicyKey[]): Promise<readonly RecordedConditions[]> {
    return Promise.resolve(structuredClone(valuesOf(this.conditions, policies)));
  }

  interventions(page: NamedPage): Promise<readonly StandingIntervention[]> {
    return Promise.resolve(structuredClone(pageByName(this.standing, page)));
  }

  journalPlace(id: string): Promise<number> {
    return Promise.resolve(this.#journals.get(id) ?? 0);
  }

  #isStored(batch: AppendBatch): boolean {
    if (this.#unanswered.has(batch)) return true;
    const { id, fences } = batch;
    return fences.every((fence) => this.fences.isInForce(fence) && this.#lastAppends.get(fence.scope) === id);
  }

  #store(batch: AppendBatch): void {
    const { id, fences, entries, after, states, conditions, forget, begin, end } = batch;
    this.#storePlaces(batch);
    for (const { scope } of fences) this.#lastAppends.set(scope, id);
    this.entriesInOrder.push(...entries);
    for (const head of after) this.#heads.set(head.stream, head);
    this.#trackIntents(entries);
    for (const state of states) this.states.set(policyStream(state.policy), structuredClone(state));
    for (const recorded of conditions) {
      const stream = policyStream(recorded.policy);
      if (recorded.conditions.length === 0) this.conditions.delete(stream);
      else this.conditions.set(stream, structuredClone(recorded));
    }
    for (const policy of forget) {
      this.states.delete(policyStream(policy));
      this.conditions.delete(policyStream(policy));
    }
    for (const each of begin) this.standing.set(each.id, structuredClone(each));
    for (const ended of end) this.standing.delete(ended);
    this.tokens.change(batch.tokens);
    for (const each of batch.sources) this.sources.set(each.source, structuredClone(each));
    this.batches.push({ entries: entries.length, states: states.length });
  }

  #storePlaces({ journal, shardCount }: AppendBatch): void {
    if (journal !== undefined) this.#journals.set(journal.id, journal.number);
    if (shardCount !== undefined) this.shardCount = shardCount;
  }

  #refuse(batch: AppendBatch): AppendRefusal | null {
    if (!batch.fences.every((fence) => this.fences.isInForce(fence))) return { code: 'Fenced' };
    const { journal } = batch;
    if (journal !== undefined && (this.#journals.get(journal.id) ?? 0) >= journal.first)
      return { code: 'AlreadyReplayed' };
    const moved = batch.before.some(({ stream, seq, hash }) => {
      const head = this.#heads.get(stream) ?? emptyHead(stream);
      return head.seq !== seq || head.hash !== hash;
    });
    if (moved) return { code: 'HeadMoved' };
    return this.#refuseIntents(batch.entries) ?? this.#refuseEnds(batch);
  }

  #refuseEnds({ begin, end }: AppendBatch): AppendRefusal | null {
    const standing = new Set([...this.standing.keys(), ...begin.map(({ id }) => id)]);
    return end.every((id) => standing.delete(id)) ? null : { code: 'InterventionEnded' };
  }

  #refuseIntents(entries: readonly ChainedEntry[]): AppendRefusal | null {
    const pending = new Map([...this.#pending].map(([stream, seq]) => [entryId({ stream, seq }), stream]));
    for (const { resolvesIntent } of entries)
      if (resolvesIntent !== null && !pending.delete(resolvesIntent)) return { code: 'IntentNotPending' };
    const open = new Set(pending.values());
    for (const { kind, stream } of entries) {
      if (!isIntent(kind)) continue;
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
    for (const { kind, stream, seq } of entries) if (isIntent(kind)) this.#pending.set(stream, seq);
  }
}

function readEntry(entry: ChainedEntry): LedgerEntry {
  const { format, stream, seq, cluster, kind, time, previousHash, hash } = entry;
  const payload: unknown = JSON.parse(entry.payloadText);
  return { format, stream, seq, cluster, kind, time, payload, previousHash, hash } as LedgerEntry;
}

function isAskedFor(query: EntryQuery, entry: ChainedEntry): boolean {
  const isNamed = (['stream', 'actor', 'commit', 'action'] as const).every(
    (name) => query[name] === undefined || query[name] === entry[name],
  );
  return (
    isNamed &&
    query.kinds.includes(entry.kind) &&
    isInNamespaces(query, entry) &&
    isOfPolicy(query, entry) &&
    (query.from === undefined || entry.timeNanoseconds >= query.from) &&
    (query.until === undefined || entry.timeNanoseconds < query.until)
  );
}

function isInNamespaces({ namespaces }: EntryQuery, entry: ChainedEntry): boolean {
  const namespace = policyOfStream(entry.stream)?.namespace ?? entry.namespace;
  if (namespaces === undefined || namespace === null) return namespaces === undefined;
  return namespaces.some((pattern) => matchesNamespace(pattern, namespace));
}

function isOfPolicy({ policy, scopes = [], isWithLate = false }: EntryQuery, entry: ChainedEntry): boolean {
  return (
    policy === undefined ||
    entry.stream === policyStream(policy) ||
    (isWithLate && entry.stream === lateStream(policy)) ||
    (entry.scope !== null && [namespacedName(policy), ...scopes].includes(entry.scope))
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

function valuesOf<T>(all: ReadonlyMap<string, T>, policies: readonly PolicyKey[]): readonly T[] {
  return policies
    .map(policyStream)
    .sort()
    .flatMap((stream) => all.get(stream) ?? []);
}

function failure(code: string, message: string): AdapterError {
  return new AdapterError({ code, message, retryable: true });
}

import { AdapterError, err, type Json, ok, type Result } from '#kernel';
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
  type NamedPage,
  type PolicyState,
  policyStream,
  type StreamHead,
} from '#ledger';

/** What goes wrong with the coming appends of a {@link MemoryLedger}; what hangs does so until {@link MemoryLedger.timeOut}. */
export type LedgerFault = 'Broken' | 'LostAfterStoring' | 'Hangs';

/** A ledger in memory, with the refusals of a real one and faults on request. It survives a "crash" of its users. */
export class MemoryLedger implements LedgerPort {
  readonly entriesInOrder: ChainedEntry[] = [];
  readonly states = new Map<string, PolicyState>();
  /** The size of each batch that was stored. */
  readonly batches: { readonly entries: number; readonly states: number }[] = [];
  /** Faults of the coming appends, in order; `null` is none. */
  readonly faults: (LedgerFault | null)[] = [];
  /** The fault of every append from now on. */
  outage: LedgerFault | null = null;
  readonly #hanging: ((error: AdapterError) => void)[] = [];
  readonly #heads = new Map<string, StreamHead>();
  #epoch = 0n;

  /** Ends what hangs, as the adapter's own timeout does: nothing of it was stored. */
  timeOut(): void {
    for (const reject of this.#hanging.splice(0)) reject(broken('Timeout', 'no answer within 10 s'));
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

  takeOver(scope: string): Promise<Fence> {
    this.#epoch += 1n;
    return Promise.resolve({ scope, epoch: this.#epoch });
  }

  append(batch: AppendBatch): Promise<Result<undefined, AppendRefusal>> {
    const fault = this.outage ?? this.faults.shift() ?? null;
    if (fault === 'Broken') return Promise.reject(broken('DiskFull', 'the disk is full'));
    if (fault === 'Hangs') return new Promise((_, reject) => this.#hanging.push(reject));
    const refusal = this.#refusalOf(batch);
    if (refusal !== null) return Promise.resolve(err(refusal));
    this.#store(batch);
    if (fault === 'LostAfterStoring') return Promise.reject(broken('Timeout', 'no answer within 10 s'));
    return Promise.resolve(ok(undefined));
  }

  heads(streams: readonly string[]): Promise<readonly StreamHead[]> {
    return Promise.resolve(streams.map((stream) => this.#heads.get(stream) ?? emptyHead(stream)));
  }

  listHeads(): Promise<readonly StreamHead[]> {
    return Promise.resolve([...this.#heads.values()]);
  }

  entry({ stream, seq }: EntryAddress): Promise<LedgerEntry | null> {
    const found = this.entriesInOrder.find((entry) => entry.stream === stream && entry.seq === seq);
    return Promise.resolve(found === undefined ? null : opened(found));
  }

  entries({ kinds, stream, limit, order }: EntryQuery): Promise<EntryPage> {
    const found = this.entriesInOrder.filter(
      (entry) => kinds.includes(entry.kind) && (stream === undefined || entry.stream === stream),
    );
    const ordered = order === 'NewestFirst' ? found.toReversed() : found;
    const items = ordered.slice(0, limit).map((entry, index) => ({
      entry: opened(entry),
      cursor: { timeNanoseconds: entry.timeNanoseconds, position: BigInt(index + 1) },
    }));
    return Promise.resolve({ items, hasMore: ordered.length > limit });
  }

  streamEntries(): Promise<readonly LedgerEntry[]> {
    return Promise.resolve([]);
  }

  pendingIntents({ after = '', limit }: NamedPage): Promise<readonly LedgerEntry[]> {
    const pending = this.#pending().filter(({ stream }) => stream > after);
    return Promise.resolve(pending.slice(0, limit).map(opened));
  }

  policyStates({ after = '', limit }: NamedPage): Promise<readonly PolicyState[]> {
    const streams = [...this.states.keys()].sort().filter((stream) => stream > after);
    return Promise.resolve(streams.slice(0, limit).flatMap((stream) => this.states.get(stream) ?? []));
  }

  #pending(): ChainedEntry[] {
    const resolved = new Set(this.entriesInOrder.map(({ resolvesIntent }) => resolvesIntent));
    return this.entriesInOrder.filter(
      (entry) => entry.kind === 'ScalingIntent' && !resolved.has(entryId(entry)),
    );
  }

  #refusalOf({ fence, entries, before }: AppendBatch): AppendRefusal | null {
    if (fence.epoch !== this.#epoch) return { code: 'Fenced' };
    const hasMoved = before.some((head) => (this.#heads.get(head.stream)?.seq ?? 0n) !== head.seq);
    if (hasMoved) return { code: 'HeadMoved' };
    const pending = new Map(this.#pending().map((entry) => [entry.stream, entryId(entry)]));
    for (const entry of entries) {
      if (entry.kind === 'ScalingIntent') {
        if (pending.has(entry.stream)) return { code: 'IntentPending' };
        pending.set(entry.stream, entryId(entry));
      }
      if (entry.resolvesIntent === null) continue;
      if (pending.get(entry.stream) !== entry.resolvesIntent) return { code: 'IntentNotPending' };
      pending.delete(entry.stream);
    }
    return null;
  }

  #store({ entries, after, states, forget }: AppendBatch): void {
    this.entriesInOrder.push(...entries);
    for (const head of after) this.#heads.set(head.stream, head);
    for (const state of states) this.states.set(policyStream(state.policy), structuredClone(state));
    for (const policy of forget) this.states.delete(policyStream(policy));
    this.batches.push({ entries: entries.length, states: states.length });
  }
}

function opened(entry: ChainedEntry): LedgerEntry {
  const { payloadText, ...frame } = entry;
  const payload: unknown = JSON.parse(payloadText);
  return { ...frame, payload } as LedgerEntry;
}

function broken(code: string, message: string): AdapterError {
  return new AdapterError({ code, message, retryable: true });
}

import type { Json } from '#kernel';
import {
  type ChainEnd,
  emptyEnd,
  type ExportReader,
  type ExportSnapshot,
  parseCheckpointNote,
  parseExportedHead,
  sha256Hex,
  type StoredEntry,
  type StreamHead,
  timeNanoseconds,
  type UnverifiedEntry,
  verifyEnd,
  verifyNext,
} from '#ledger';
import type { ReportFilter, ReportVerification } from './terms/report-statement.ts';
import { isReportedStream } from './totals/report-fold.ts';
import type { ReportSource } from './write-report.ts';

/**
 * A database as the source of a report: everything up to the heads of a snapshot, verified on the way against the chain,
 * the heads and the last checkpoint.
 */
export function databaseSource(
  reader: Pick<ExportReader, 'entries' | 'segment' | 'expiryRules'>,
  snapshot: ExportSnapshot,
  { filter, madeAt }: { readonly filter: ReportFilter; readonly madeAt: string },
): ReportSource {
  const heads = snapshot.heads.filter(({ stream }) => isReportedStream(filter, stream));
  const note = snapshot.checkpoint === null ? null : parseCheckpointNote(snapshot.checkpoint.note);
  const verified = new VerifiedEntries(reader, heads, sealedOf(snapshot, filter));
  return {
    about: {
      madeAt,
      readFrom: 'a database',
      heads,
      checkpoint:
        note === null ? null : { number: note.body.number, time: note.body.time, origin: note.body.origin },
    },
    streams: snapshot.heads.map(({ stream }) => stream),
    entries: verified.read(),
    verification: () => verified.verification(),
  };
}

/** The snapshot's own sealed heads, which are known to give the checkpoint's root. */
function sealedOf({ checkpoint }: ExportSnapshot, filter: ReportFilter): ReadonlyMap<string, StreamHead> {
  const heads = (checkpoint?.sealed ?? []).flatMap((line) => parseExportedHead(line) ?? []);
  return new Map(
    heads.filter(({ stream }) => isReportedStream(filter, stream)).map((head) => [head.stream, head]),
  );
}

class VerifiedEntries {
  readonly #reader: Pick<ExportReader, 'entries' | 'segment' | 'expiryRules'>;
  readonly #heads: readonly StreamHead[];
  readonly #sealed: ReadonlyMap<string, StreamHead>;
  /** The latest entries whose content is missing, by kind: retention must have deleted it. */
  readonly #missing = new Map<string, bigint>();
  #fault: string | null = null;

  constructor(
    reader: Pick<ExportReader, 'entries' | 'segment' | 'expiryRules'>,
    heads: readonly StreamHead[],
    sealed: ReadonlyMap<string, StreamHead>,
  ) {
    this.#reader = reader;
    this.#heads = heads;
    this.#sealed = sealed;
  }

  async *read(): AsyncGenerator<readonly UnverifiedEntry[]> {
    const names = new Set(this.#heads.map(({ stream }) => stream));
    const lost = [...this.#sealed.keys()].find((stream) => !names.has(stream));
    if (lost !== undefined) this.#fail(`${lost}: the checkpoint covers this stream, which is missing`);
    for (const head of this.#heads) yield* this.#stream(head);
  }

  async verification(): Promise<ReportVerification> {
    // When everything has been read: what is missing was deleted by one of these rules.
    const rules = await this.#reader.expiryRules();
    for (const [kind, time] of this.#missing) {
      const isExpired = rules.some((rule) => rule.kind === kind && time < rule.beforeNanoseconds);
      if (!isExpired) this.#fail(`${kind}: content is missing that retention does not delete`);
    }
    return { status: this.#fault === null ? 'Consistent' : 'Broken', fault: this.#fault };
  }

  async *#stream(head: StreamHead): AsyncGenerator<readonly UnverifiedEntry[]> {
    const sealed = this.#sealed.get(head.stream) ?? null;
    const segment = await this.#reader.segment(head.stream);
    let end: ChainEnd | null = this.#beginning(head, segment, sealed);
    for await (const stored of this.#reader.entries({ head, after: segment?.seq ?? 0n })) {
      const entries = stored.map((entry) => this.#unverified(entry));
      end = this.#follow(end, entries, sealed);
      yield entries;
    }
    if (end !== null) this.#finish(end, head, sealed);
  }

  #follow(
    from: ChainEnd | null,
    entries: readonly UnverifiedEntry[],
    sealed: StreamHead | null,
  ): ChainEnd | null {
    let end = from;
    for (const entry of entries) if (end !== null) end = this.#next(end, entry, sealed);
    return end;
  }

  #beginning({ stream }: StreamHead, segment: StreamHead | null, sealed: StreamHead | null): ChainEnd {
    if (segment === null) return emptyEnd(stream);
    if (sealed === null || segment.seq >= sealed.seq)
      this.#fail(`${stream}: entries up to number ${segment.seq} are deleted, which no checkpoint covers`);
    return { ...segment, format: 1 };
  }

  #finish(end: ChainEnd, head: StreamHead, sealed: StreamHead | null): void {
    const ended = verifyEnd(end, head);
    if (!ended.ok) this.#fail(ended.error.message);
    if (sealed !== null && sealed.seq > end.seq)
      this.#fail(`${end.stream}: the checkpoint covers ${sealed.seq} entries, there are ${end.seq}`);
  }

  /** `null` after a fault: what follows it proves nothing. */
  #next(end: ChainEnd, entry: UnverifiedEntry, sealed: StreamHead | null): ChainEnd | null {
    const next = verifyNext(end, entry, sha256Hex);
    if (!next.ok) return this.#fail(next.error.message);
    const { stream, seq, hash } = next.value;
    if (sealed?.seq === seq && sealed.hash !== hash)
      return this.#fail(`${stream}#${seq}: the checkpoint covers another entry, ${sealed.hash}`);
    return next.value;
  }

  #unverified(entry: StoredEntry): UnverifiedEntry {
    if ('payloadText' in entry) return entry;
    this.#expect(entry);
    if (!('hashedText' in entry)) return entry;
    const { hashedText, parsed = payloadIn(hashedText), ...frame } = entry;
    return { ...frame, hashedPayload: parsed };
  }

  #expect({ kind, time }: StoredEntry): void {
    const at = timeNanoseconds(time) ?? 0n;
    if (at >= (this.#missing.get(kind) ?? 0n)) this.#missing.set(kind, at);
  }

  #fail(fault: string): null {
    this.#fault ??= fault;
    return null;
  }
}

function payloadIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

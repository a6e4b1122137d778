import type { ChainedEntry } from '#ledger';
import { loopClock } from '../connection/loop-clock.ts';
import { newestDictionary } from './dictionaries.ts';
import { type PackedPayload, packParts, partsOf, type PayloadParts } from './packed-payload.ts';

/**
 * A base serves for so long at most, and for as long at most its payload outlives its own retention: it is deleted
 * when nothing that was packed with it is left.
 */
export const maximumBaseAgeNanoseconds = 24n * 3_600n * 1_000_000_000n;

/** The texts of bases in memory: those of about a thousand policies. Others are read again. */
const maximumCachedLength = 8 * 1024 * 1024;

/** As many are compressed at once: what begins it, on this thread, copies dictionaries for up to three milliseconds each. */
const streamsPerTurn = 8;

/** A decision that later ones of its stream are packed with: only what differs from it is stored of them. */
export interface PackingBase {
  readonly stream: string;
  readonly seq: bigint;
  readonly timeNanoseconds: bigint;
  readonly dictionary: bigint;
  readonly parts: PayloadParts;
  /** Of the base itself, packed. */
  readonly bytes: number;
}

/** How an entry's payload is stored. */
export interface PackedEntry {
  readonly payload: PackedPayload;
  /** Number of the base in the same stream; `null`: packed without one. */
  readonly baseSeq: bigint | null;
}

/** Reads the newest base of streams; those without one near the given times are left out. */
export type ReadBases = (
  streams: readonly string[],
  times: readonly bigint[],
) => Promise<readonly PackingBase[]>;

/**
 * Packs decisions, each with a base of its stream. A decision that differs much from its base, or comes a day after it,
 * becomes the next base. Entries of other kinds are short and come by the ten thousand, so they stay as they are.
 */
export class PayloadPacker {
  readonly #readBases: ReadBases;
  /** By stream, least recently used first. All of them are stored. */
  readonly #bases = new Map<string, PackingBase>();
  #cachedLength = 0;

  constructor(readBases: ReadBases) {
    this.#readBases = readBases;
  }

  /**
   * Drops the bases of streams whose ends are read from the database: it may have lost what was stored last, as after a
   * failover, and what is packed with a base that is not there can never be read.
   */
  forget(streams: readonly string[]): void {
    for (const stream of streams) this.#drop(stream);
  }

  /**
   * Packs the decisions of a batch.
   *
   * @param begun streams that have entries already.
   * @returns by entry, and what to call when they are stored.
   */
  async pack(
    entries: readonly ChainedEntry[],
    begun: ReadonlySet<string>,
  ): Promise<{ readonly packed: ReadonlyMap<ChainedEntry, PackedEntry>; readonly stored: () => void }> {
    const packed = new Map<ChainedEntry, PackedEntry>();
    const decisions = Map.groupBy(
      entries.filter(({ kind }) => kind === 'Decision'),
      ({ stream }) => stream,
    );
    const before = await this.#basesOf(
      [...decisions].flatMap(([stream, of]) => (begun.has(stream) ? [of] : [])),
    );
    const after: (PackingBase | null)[] = [];
    for (const part of parts([...decisions])) {
      after.push(
        ...(await Promise.all(
          part.map(([stream, of]) => packStream(of, before.get(stream) ?? null, packed)),
        )),
      );
      await loopClock.nextTurn();
    }
    return { packed, stored: () => after.forEach((base) => this.#keep(base)) };
  }

  async #basesOf(streams: readonly (readonly ChainedEntry[])[]): Promise<ReadonlyMap<string, PackingBase>> {
    const found = new Map<string, PackingBase>();
    const missing = new Map<string, bigint>();
    for (const [first] of streams) {
      const base = this.#bases.get(first?.stream ?? '');
      if (base !== undefined) found.set(base.stream, base);
      else if (first !== undefined) missing.set(first.stream, first.timeNanoseconds);
    }
    const read = missing.size === 0 ? [] : await this.#readBases([...missing.keys()], [...missing.values()]);
    for (const base of read) found.set(base.stream, base);
    return found;
  }

  #keep(base: PackingBase | null): void {
    if (base === null) return;
    this.#drop(base.stream);
    this.#bases.set(base.stream, base);
    this.#cachedLength += lengthOf(base);
    for (const [stream] of this.#bases) {
      if (this.#cachedLength <= maximumCachedLength) return;
      this.#drop(stream);
    }
  }

  #drop(stream: string): void {
    const base = this.#bases.get(stream);
    if (base === undefined) return;
    this.#bases.delete(stream);
    this.#cachedLength -= lengthOf(base);
  }
}

function* parts<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += streamsPerTurn)
    yield items.slice(start, start + streamsPerTurn);
}

/** @returns the base of the entries that come after these; `null`: there is none. */
async function packStream(
  entries: readonly ChainedEntry[],
  before: PackingBase | null,
  packed: Map<ChainedEntry, PackedEntry>,
): Promise<PackingBase | null> {
  let base = before;
  for (const entry of entries) {
    const parts = partsOf(entry.payloadText, entry.observation);
    const difference = await packDifference(entry, parts, base);
    if (base !== null && difference !== null) {
      packed.set(entry, { payload: difference, baseSeq: base.seq });
      continue;
    }
    const payload = await packParts(parts, { dictionary: newestDictionary, base: null });
    packed.set(entry, { payload, baseSeq: null });
    base = baseOf(entry, payload, parts);
  }
  return base;
}

/** `null`: the entry is not like the base, and is packed without it. */
async function packDifference(
  entry: ChainedEntry,
  parts: PayloadParts,
  base: PackingBase | null,
): Promise<PackedPayload | null> {
  if (base === null || base.dictionary !== newestDictionary || !isNear(entry, base)) return null;
  // An observation that outlives its base's would be packed with one that is deleted.
  if ((parts.observation === null) !== (base.parts.observation === null)) return null;
  const payload = await packParts(parts, { dictionary: newestDictionary, base: base.parts });
  return bytesOf(payload) * 2 > base.bytes ? null : payload;
}

function isNear({ timeNanoseconds }: ChainedEntry, base: PackingBase): boolean {
  const age = timeNanoseconds - base.timeNanoseconds;
  return age < maximumBaseAgeNanoseconds && age > -maximumBaseAgeNanoseconds;
}

function baseOf(entry: ChainedEntry, payload: PackedPayload, parts: PayloadParts): PackingBase {
  const { stream, seq, timeNanoseconds } = entry;
  return { stream, seq, timeNanoseconds, dictionary: payload.dictionary, parts, bytes: bytesOf(payload) };
}

/** The size of a payload in columns. */
export function bytesOf({ packed, observation }: PackedPayload): number {
  return packed.length + (observation?.length ?? 0);
}

function lengthOf({ parts: { around, observation } }: PackingBase): number {
  return around.length + (observation?.length ?? 0);
}

/** What bases are kept for: some 800 of 20 kB, among them those of the policies that are looked at now. */
const maximumBytes = 16 * 1024 * 1024;

/** A base as it is stored: the version of its dictionary, and its packed text. */
export interface PackedBase {
  readonly dictionary: bigint;
  readonly packed: Uint8Array;
}

/** Dictionaries with bases at their end, as decisions are unpacked with them: those that were read lately stay. */
export class BaseDictionaries {
  readonly #maximumBytes: number;
  /** By their dictionary and packed base; the one that was read last stands last. */
  readonly #kept = new Map<string, Promise<Uint8Array>>();
  readonly #sizes = new Map<string, number>();
  #bytes = 0;

  constructor(maximum = maximumBytes) {
    this.#maximumBytes = maximum;
  }

  /** Of bases those, each once, that are neither kept nor made just now. */
  lacking(bases: readonly PackedBase[]): readonly PackedBase[] {
    const byId = new Map(bases.map((base) => [idOf(base), base]));
    return [...byId].flatMap(([id, base]) => (this.#kept.has(id) ? [] : [base]));
  }

  /** Makes it once for all that ask side by side; one that cannot be made is not kept. */
  async read(base: PackedBase, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const id = idOf(base);
    const kept = this.#kept.get(id);
    if (kept !== undefined) {
      this.#kept.delete(id);
      this.#kept.set(id, kept);
      return kept;
    }
    const made = make();
    this.#kept.set(id, made);
    try {
      this.#add(id, (await made).length + id.length);
    } catch (error) {
      this.#kept.delete(id);
      throw error;
    }
    return made;
  }

  #add(id: string, bytes: number): void {
    this.#sizes.set(id, bytes);
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maximumBytes) return;
      this.#bytes -= this.#sizes.get(oldest) ?? 0;
      this.#sizes.delete(oldest);
      this.#kept.delete(oldest);
    }
  }
}

function idOf({ dictionary, packed }: PackedBase): string {
  const { buffer, byteOffset, length } = packed;
  return `${dictionary} ${Buffer.from(buffer, byteOffset, length).toString('latin1')}`;
}

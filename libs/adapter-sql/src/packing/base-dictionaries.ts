/** What bases are kept for: some 800 of 20 kB, among them those of the policies that are looked at now. */
const maximumBytes = 16 * 1024 * 1024;

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

  /** Makes it once for all that ask side by side; one that cannot be made is not kept. */
  async read(
    dictionary: bigint,
    packedBase: Uint8Array,
    make: () => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    const id = `${dictionary} ${Buffer.from(packedBase).toString('latin1')}`;
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

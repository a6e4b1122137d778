/** What bases are kept for: some thousands of 2 kB without their observation, or hundreds with it. */
const maximumCharacters = 16 * 1024 * 1024;

/** A base as it is stored: the version of its dictionary, and its packed text. */
export interface PackedBase {
  readonly dictionary: bigint;
  readonly packed: Uint8Array;
}

/**
 * The texts of bases that decisions are unpacked with: those that were read lately stay. They are kept without the
 * dictionary that stands before them, which is several times as long, and the same for all.
 */
export class KeptBases {
  readonly #maximumCharacters: number;
  /** By their dictionary and packed base; the one that was read last stands last. */
  readonly #kept = new Map<string, Promise<string>>();
  readonly #sizes = new Map<string, number>();
  #characters = 0;

  constructor(maximum = maximumCharacters) {
    this.#maximumCharacters = maximum;
  }

  /** Of bases those, each once, that are neither kept nor made just now. */
  lacking(bases: readonly PackedBase[]): readonly PackedBase[] {
    const byId = new Map(bases.map((base) => [idOf(base), base]));
    return [...byId].flatMap(([id, base]) => (this.#kept.has(id) ? [] : [base]));
  }

  /** Makes it once for all that ask side by side; one that cannot be made is not kept. */
  async read(base: PackedBase, make: () => Promise<string>): Promise<string> {
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

  #add(id: string, characters: number): void {
    this.#sizes.set(id, characters);
    this.#characters += characters;
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= this.#maximumCharacters) return;
      this.#characters -= this.#sizes.get(oldest) ?? 0;
      this.#sizes.delete(oldest);
      this.#kept.delete(oldest);
    }
  }
}

function idOf({ dictionary, packed }: PackedBase): string {
  const { buffer, byteOffset, length } = packed;
  return `${dictionary} ${Buffer.from(buffer, byteOffset, length).toString('latin1')}`;
}

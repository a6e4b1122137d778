/** What bases are kept for: some thousands of 2 kB without their observation, or hundreds with it. */
const maximumCharacters = 16 * 1024 * 1024;

/** A base as it is stored: the version of its dictionary, and its packed text. */
export interface PackedBase {
  /** Its stream, number and part. */
  readonly id: string;
  readonly dictionary: bigint;
  /** Compared with what is kept: in a database that has lost entries, others come to have their numbers. */
  readonly packed: Uint8Array;
}

interface KeptBase extends PackedBase {
  readonly text: Promise<string> | string;
}

/**
 * The texts of bases that decisions are unpacked with: those that were read lately stay. They are kept without the
 * dictionary that stands before them, which is several times as long, and the same for all.
 */
export class KeptBases {
  readonly #maximumCharacters: number;
  /** By id; the one that was read last stands last. */
  readonly #kept = new Map<string, KeptBase>();
  readonly #sizes = new Map<string, number>();
  #characters = 0;

  constructor(maximum = maximumCharacters) {
    this.#maximumCharacters = maximum;
  }

  /** Of bases those, each once, that are neither kept nor made just now. */
  lacking(bases: readonly PackedBase[]): readonly PackedBase[] {
    const byId = new Map(bases.map((base) => [base.id, base]));
    return [...byId.values()].filter((base) => this.#of(base) === undefined);
  }

  /** The text where it is kept already. */
  find(base: PackedBase): string | undefined {
    const kept = this.#of(base);
    if (kept === undefined || typeof kept.text !== 'string') return undefined;
    this.#kept.delete(base.id);
    this.#kept.set(base.id, kept);
    return kept.text;
  }

  keep(base: PackedBase, text: string): void {
    this.#forget(base.id);
    this.#kept.set(base.id, { ...base, text });
    this.#add(base.id, text.length + base.packed.length);
  }

  /** Makes it once for all that ask side by side; one that cannot be made is not kept. */
  async read(base: PackedBase, make: () => Promise<string>): Promise<string> {
    const kept = this.find(base) ?? this.#of(base)?.text;
    if (kept !== undefined) return kept;
    const made = make();
    this.#forget(base.id);
    this.#kept.set(base.id, { ...base, text: made });
    try {
      this.keep(base, await made);
    } catch (error) {
      this.#forget(base.id);
      throw error;
    }
    return made;
  }

  #of(base: PackedBase): KeptBase | undefined {
    const kept = this.#kept.get(base.id);
    return kept !== undefined && isSame(kept, base) ? kept : undefined;
  }

  #forget(id: string): void {
    this.#characters -= this.#sizes.get(id) ?? 0;
    this.#sizes.delete(id);
    this.#kept.delete(id);
  }

  #add(id: string, characters: number): void {
    this.#sizes.set(id, characters);
    this.#characters += characters;
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= this.#maximumCharacters) return;
      this.#forget(oldest);
    }
  }
}

function isSame(kept: PackedBase, base: PackedBase): boolean {
  return kept.dictionary === base.dictionary && Buffer.compare(kept.packed, base.packed) === 0;
}

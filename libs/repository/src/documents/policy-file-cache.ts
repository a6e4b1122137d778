import { type PolicyFile, type PolicyFileDocument, type PolicyFileSource, readPolicyFile } from '#policy';

/** Reads a file's documents, unless it knows them. */
export type PolicyFileReader = (source: PolicyFileSource, blob: string) => PolicyFile;

/** Keeps one value per document of a kept file. */
export type DocumentCache<T> = WeakMap<PolicyFileDocument, T>;

interface Kept {
  readonly blob: string;
  readonly isInForce: boolean;
  readonly file: PolicyFile;
}

/** Keeps what files contain between syncs: an unchanged blob is not parsed again. */
export class PolicyFileCache {
  #kept = new Map<string, Kept>();
  #used = new Map<string, Kept>();

  /** Begins a sync; what the one before did not use is forgotten. */
  begin(): PolicyFileReader {
    this.#kept = this.#used.size === 0 ? this.#kept : this.#used;
    this.#used = new Map();
    return (source, blob) => this.#read(source, blob);
  }

  /** Whether a file is known, so that reading it would parse nothing. */
  has(source: PolicyFileSource, blob: string): boolean {
    return this.#find(source, blob) !== undefined;
  }

  /** Takes a file that was parsed elsewhere. */
  keep(source: PolicyFileSource, blob: string, file: PolicyFile): void {
    this.#used.set(source.file, { blob, isInForce: source.isInForce === true, file });
  }

  #read(source: PolicyFileSource, blob: string): PolicyFile {
    const known = this.#find(source, blob);
    if (known === undefined) {
      const file = readPolicyFile(source);
      this.keep(source, blob, file);
      return file;
    }
    this.#used.set(source.file, known);
    return known.file;
  }

  /** Whether it is in force decides what a file that cannot be read is, and nothing else. */
  #find(source: PolicyFileSource, blob: string): Kept | undefined {
    const known = this.#used.get(source.file) ?? this.#kept.get(source.file);
    if (known?.blob !== blob) return undefined;
    const isSame = known.isInForce === (source.isInForce === true) || known.file.diagnostics.length === 0;
    return isSame ? known : undefined;
  }
}

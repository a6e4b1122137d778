import {
  type PolicyFile,
  type PolicyFileDocument,
  type PolicyFileSource,
  readPolicyFile,
} from '../policy-file.ts';

/** Reads a file's documents, unless it knows them. */
export type PolicyFileReader = (source: PolicyFileSource, blob: string) => PolicyFile;

/** Keeps one value per document of a kept file. */
export type DocumentCache<T> = WeakMap<PolicyFileDocument, T>;

interface Kept {
  readonly blob: string;
  readonly isInForce: boolean;
  readonly file: PolicyFile;
}

/** Keeps what files hold between syncs: an unchanged blob is not parsed again. */
export class PolicyFileCache {
  #kept = new Map<string, Kept>();
  #used = new Map<string, Kept>();

  /** Begins a sync; what the one before did not use is forgotten. */
  begin(): PolicyFileReader {
    this.#kept = this.#used.size === 0 ? this.#kept : this.#used;
    this.#used = new Map();
    return (source, blob) => this.#read(source, blob);
  }

  #read(source: PolicyFileSource, blob: string): PolicyFile {
    const isInForce = source.isInForce === true;
    const known = this.#used.get(source.file) ?? this.#kept.get(source.file);
    // Whether it is in force decides what a file that cannot be read is, and nothing else.
    const isKnown =
      known?.blob === blob && (known.isInForce === isInForce || known.file.diagnostics.length === 0);
    const kept = isKnown ? known : { blob, isInForce, file: readPolicyFile(source) };
    this.#used.set(source.file, kept);
    return kept.file;
  }
}

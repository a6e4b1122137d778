import type { TreeFile } from '../files/tree-file.ts';

/** Keeps what was made of files between two readings of a tree; what a reading does not ask for is forgotten. */
export class FileMemo<T> {
  #kept = new Map<string, Made<T>>();
  #used = new Map<string, Made<T>>();

  /** Begins a reading. */
  begin(): void {
    this.#kept = this.#used;
    this.#used = new Map();
  }

  /** What was made of the same blob at the same place, or is made now. */
  of(file: TreeFile, make: () => T): T {
    const known = this.#used.get(file.path) ?? this.#kept.get(file.path);
    const made = known?.blob === file.id ? known : { blob: file.id, value: make() };
    this.#used.set(file.path, made);
    return made.value;
  }
}

interface Made<T> {
  readonly blob: string;
  readonly value: T;
}

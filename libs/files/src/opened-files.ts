import { statSync } from 'node:fs';

/**
 * Finds out whether files that are open are those at their paths. Moving, deleting or replacing one takes nothing from a
 * process that has it open: it would go on to store in a file that nobody finds, while another one begins in its place.
 */
export class OpenedFiles {
  readonly #paths: readonly string[];
  /** Which file each path led to when it was there first. */
  readonly #opened = new Map<string, string>();

  /** Those that are there are taken for those that are open; another, for what is at its path when it is looked for first. */
  constructor(paths: readonly string[]) {
    this.#paths = paths;
    this.findGone();
  }

  /**
   * The first path that leads to another file than the one that is open, or to none; null: there is none.
   *
   * @throws Error of the file system
   */
  findGone(): string | null {
    return this.#paths.find((path) => this.#isGone(path)) ?? null;
  }

  #isGone(path: string): boolean {
    const found = identityOf(path);
    const opened = this.#opened.get(path);
    if (opened === undefined && found !== undefined) this.#opened.set(path, found);
    return opened !== undefined && opened !== found;
  }
}

/** Why nothing more is stored in a file that {@link OpenedFiles.findGone} has found. */
export function describeGone(path: string): string {
  return `${path} is not the file that was opened: it was moved, deleted or replaced, and nothing more is stored; put it back, or restart the controller`;
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

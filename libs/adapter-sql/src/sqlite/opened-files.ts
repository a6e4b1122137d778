import { statSync } from 'node:fs';
import { databaseError } from '../connection/database-error.ts';

/** The database, its write-ahead log, and the index of that: without one of them the others are not whole. */
const suffixes = ['', '-wal', '-shm'];

/**
 * Finds out whether the files that a connection has open are those at their path. Moving, deleting or replacing them takes
 * nothing from a process that has them open: it would go on to store in files that nobody finds, while another one begins a
 * ledger in their place.
 */
export class OpenedFiles {
  readonly #paths: readonly string[];
  /** Which file each path led to when it was there first; SQLite makes the log with the first write. */
  readonly #opened = new Map<string, string>();

  constructor(file: string) {
    this.#paths = suffixes.map((suffix) => `${file}${suffix}`);
  }

  /** @throws AdapterError `FileGone` */
  requireThere(): void {
    for (const path of this.#paths) {
      const found = identityOf(path);
      const opened = this.#opened.get(path);
      if (opened === undefined && found !== undefined) this.#opened.set(path, found);
      else if (opened !== found) throw gone(path);
    }
  }
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

function gone(path: string): Error {
  return databaseError(
    'FileGone',
    `${path} is not the file that was opened: it was moved, deleted or replaced, and nothing more is stored; put it back, or restart the controller`,
  );
}

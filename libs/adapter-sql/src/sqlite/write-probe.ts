import { closeSync, openSync, writeSync } from 'node:fs';
import { fileFault } from '#kernel';
import { databaseError } from '../connection/database-error.ts';
import { plainSqliteError } from './sqlite-error.ts';

/**
 * Finds out whether the file system takes writes. SQLite maps `-shm` into memory: where the file system has become
 * read-only meanwhile, as after an error of the disk, the kernel ends a process that writes to a page of it (SIGBUS). So a
 * small file beside it is written to before each request: about 1 µs, of some 28 that the shortest request takes.
 */
export class WriteProbe {
  readonly #file: string;
  /** `null`: there was no room for it, so that nothing is found out. */
  readonly #handle: number | null;

  /** @throws AdapterError `ReadOnly` */
  constructor(file: string) {
    this.#file = file;
    this.#handle = this.#open();
  }

  /** @throws AdapterError `ReadOnly`, or what else the disk says */
  requireWritable(): void {
    if (this.#handle === null) return;
    try {
      writeSync(this.#handle, zero, 0, 1, 0);
    } catch (error) {
      throw this.#errorOf(error);
    }
  }

  close(): void {
    if (this.#handle !== null) closeSync(this.#handle);
  }

  #open(): number | null {
    try {
      const handle = openSync(`${this.#file}.probe`, 'w', 0o600);
      // From now on its place is taken, so a full disk takes the write.
      writeSync(handle, zero, 0, 1, 0);
      return handle;
    } catch (error) {
      const found = this.#errorOf(error);
      if (found.code === 'DatabaseFull') return null;
      throw found;
    }
  }

  #errorOf(error: unknown): ReturnType<typeof databaseError> {
    const { code } = plainSqliteError(error, this.#file);
    return databaseError(
      code,
      `the file system of ${this.#file} takes no writes: ${fileFault(error)}`,
      error,
    );
  }
}

const zero = Buffer.alloc(1);

import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { placeNewFile, requireAbsent } from '../files/place-new-file.ts';
import { removeAbandoned } from '../files/remove-abandoned.ts';

/** Far longer than a file that is being written stays as it is. */
const abandonedMilliseconds = 3_600_000;

const partialForm = /^\.[0-9a-f-]{36}\.partial$/;

/** A new file, under a name of its own until all of it is there: two that are written at once do not mix. */
export class PartialFile {
  readonly #file: string;
  readonly #partial: string;
  readonly handle: FileHandle;

  private constructor(file: string, partial: string, handle: FileHandle) {
    this.#file = file;
    this.#partial = partial;
    this.handle = handle;
  }

  /**
   * Removes what writes that were killed have left of the same file.
   *
   * @throws Error of the code `EEXIST` where the file is there
   */
  static async open(file: string): Promise<PartialFile> {
    await requireAbsent(file);
    await removeAbandoned({ file, form: partialForm, abandonedMilliseconds });
    const partial = `${file}.${randomUUID()}.partial`;
    return new PartialFile(file, partial, await open(partial, 'wx', 0o600));
  }

  /** @throws Error of the code `EEXIST` where the file has come meanwhile */
  async complete(): Promise<void> {
    await placeNewFile(this.#partial, this.#file);
  }

  async remove(): Promise<void> {
    await this.handle.close().catch(() => undefined);
    await rm(this.#partial, { force: true });
  }
}

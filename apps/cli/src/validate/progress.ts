import type { Writable } from 'node:stream';

/** Often enough to be seen moving, seldom enough to cost nothing. */
const intervalMilliseconds = 100;

/** Shows how many files were read, on a stream that a person follows; without one it shows nothing. */
export class Progress {
  readonly #stream: Writable | undefined;
  #count = 0;
  #last = 0;

  constructor(stream?: Writable) {
    this.#stream = stream;
  }

  /** Notes that so many more files were read. */
  add(files: number): void {
    this.#count += files;
    const now = performance.now();
    if (this.#stream === undefined || now - this.#last < intervalMilliseconds) return;
    this.#last = now;
    this.#stream.write(`\r${this.#count} files read`);
  }

  end(): void {
    if (this.#last > 0) this.#stream?.write('\r\u001b[K');
  }
}

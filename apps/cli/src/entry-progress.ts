import type { Writable } from 'node:stream';
import type { Terminal } from './run-command.ts';

/** Often enough to be seen moving, seldom enough to cost nothing. */
const intervalMilliseconds = 200;

/** Shows how many entries are done, to a person who follows. */
export class EntryProgress {
  readonly #stream: Writable | null;
  readonly #what: string;
  readonly #started = performance.now();
  #count = 0;
  #last = 0;

  /** `what` is done with entries: `exported`, `verified`. */
  constructor(what: string, { messages, isFollowed }: Pick<Terminal, 'messages' | 'isFollowed'>) {
    this.#what = what;
    this.#stream = isFollowed ? messages : null;
  }

  add(entries: number): void {
    this.#count += entries;
    const now = performance.now();
    if (this.#stream === null || now - this.#last < intervalMilliseconds) return;
    this.#last = now;
    const rate = Math.round((this.#count / Math.max(1, now - this.#started)) * 1_000);
    this.#stream.write(`\r${this.#count} entries ${this.#what}, ${rate} per second\u001b[K`);
  }

  end(): void {
    if (this.#last > 0) this.#stream?.write('\r\u001b[K');
  }
}

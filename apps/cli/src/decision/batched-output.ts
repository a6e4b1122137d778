import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Characters that are gathered before they are written: fewer calls, and bounded memory. */
const batchLength = 256 * 1024;

/** Writes text in batches and waits for a slow reader, so that a fast producer does not fill the memory. */
export class BatchedOutput {
  readonly #target: Writable;
  #parts: string[] = [];
  #length = 0;

  constructor(target: Writable) {
    this.#target = target;
  }

  /** Adds a line; the caller awaits {@link flushFull} now and then. */
  line(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }

  /** Whether what was gathered is a batch. */
  get isFull(): boolean {
    return this.#length >= batchLength;
  }

  /** Writes what was gathered if it is a batch, and waits while the reader is behind. */
  async flushFull(): Promise<void> {
    if (this.isFull) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#parts.length === 0) return;
    const text = `${this.#parts.join('\n')}\n`;
    this.#parts = [];
    this.#length = 0;
    if (!this.#target.write(text)) await once(this.#target, 'drain');
  }
}

import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';

/** The longest line that is read: a decision over 100,000 pods fits, and a file without line ends does not fill the memory. */
export const maxLineBytes = 64 * 1024 * 1024;

/** One line of NDJSON, counted from 1, without its line end. */
export type Line =
  { readonly number: number; readonly text: string } | { readonly number: number; readonly problem: string };

const newline = 10;

/**
 * Splits a byte stream into lines, holding no more than one line and one chunk at a time. What follows the last line
 * end is a line too, unless it is empty. A line beyond the limit, or that is no UTF-8, is a problem and not an end.
 */
export async function* readLines(source: Readable, maxBytes = maxLineBytes): AsyncGenerator<readonly Line[]> {
  const reader = new LineReader(maxBytes);
  for await (const chunk of source)
    yield reader.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
  yield reader.end();
}

class LineReader {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #length = 0;
  #number = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): readonly Line[] {
    const lines: Line[] = [];
    let from = 0;
    let end = chunk.indexOf(newline);
    while (end >= 0) {
      this.#take(chunk.subarray(from, end));
      lines.push(this.#finish());
      from = end + 1;
      end = chunk.indexOf(newline, from);
    }
    this.#take(chunk.subarray(from));
    return lines;
  }

  end(): readonly Line[] {
    return this.#length === 0 ? [] : [this.#finish()];
  }

  /** Counts every byte, and keeps none of a line that is too long already. */
  #take(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#maxBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #finish(): Line {
    this.#number += 1;
    const number = this.#number;
    const length = this.#length;
    const [first] = this.#parts;
    const bytes = this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    if (length > this.#maxBytes) {
      return {
        number,
        problem: `the line has ${length} bytes, more than the ${this.#maxBytes} that are read`,
      };
    }
    if (!isUtf8(bytes)) return { number, problem: 'the line is not UTF-8' };
    return { number, text: bytes.toString('utf8') };
  }
}

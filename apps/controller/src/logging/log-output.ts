import { writeSync } from 'node:fs';

/** What waits for the log's reader, in characters: some 20,000 lines, two of each policy of a large fleet. */
const maximumWaiting = 8 * 1024 * 1024;

/** What is sent at once, in characters: as much as an empty pipe takes. */
const pieceLength = 64 * 1024;

/** Until a reader that takes nothing is tried again; doubled each time up to the second. */
const firstPauseMilliseconds = 10;
const longestPauseMilliseconds = 160;

/** How long the end of the process waits for a reader that takes nothing. */
const lastPatienceMilliseconds = 1_000;

/** Who reads the log has gone for good. */
const closedCodes = new Set(['EPIPE', 'EBADF', 'ECONNRESET', 'ENOTCONN']);

/** How the output is written, and what is said of it. */
export interface LogOutputOptions {
  /** Writes what is taken at once. @returns how many bytes; @throws an error with a `code`, `EAGAIN` where it is none */
  readonly send: (bytes: Uint8Array) => number;
  /** Called when there is room again, and at the end, with how many lines were dropped since the last time. */
  readonly onDropped: (lines: number) => void;
}

/** Writes to a descriptor that does not block, as those of pipes are once Node has opened `process.stdout`. */
export function sendTo(descriptor: number): LogOutputOptions['send'] {
  return (bytes) => writeSync(descriptor, bytes);
}

/**
 * Where the log goes: the lines of a turn of the loop are written together at its end, and what a reader does not take
 * waits in memory. Beyond its limit lines are dropped, counted and told, so that a reader that stands still stops nothing.
 */
export class LogOutput {
  readonly #options: LogOutputOptions;
  #lines: string[] = [];
  /** Of `#lines`, in characters. */
  #waiting = 0;
  /** The rest of a piece that was taken in part. */
  #piece: Uint8Array = new Uint8Array();
  #pauseMilliseconds = firstPauseMilliseconds;
  #isScheduled = false;
  #isClosed = false;
  #isDropping = false;
  #untold = 0;
  #droppedLines = 0;

  constructor(options: LogOutputOptions) {
    this.#options = options;
  }

  /** Since the process began. */
  get droppedLines(): number {
    return this.#droppedLines;
  }

  write(line: string): void {
    this.#isDropping ||= this.#waiting + line.length > maximumWaiting;
    if (this.#isDropping || this.#isClosed) {
      this.#untold += 1;
      this.#droppedLines += 1;
      return;
    }
    this.#lines.push(line);
    this.#waiting += line.length;
    this.#schedule();
  }

  /** Writes all that waits; of a reader that takes nothing for a second, no more is expected. The loop stands meanwhile. */
  flushSync(): void {
    this.#sendAll();
    this.#isDropping = false;
    this.#tell();
    this.#sendAll();
  }

  #sendAll(): void {
    let waited = 0;
    while (this.#hasMore && waited < lastPatienceMilliseconds) {
      if (this.#send()) {
        waited = 0;
        continue;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, firstPauseMilliseconds);
      waited += firstPauseMilliseconds;
    }
  }

  get #hasMore(): boolean {
    return !this.#isClosed && (this.#lines.length > 0 || this.#piece.length > 0);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush()).unref();
  }

  /** Writes what is taken now; where a reader takes no more, it is tried again after a pause. */
  #flush(): void {
    while (this.#hasMore && this.#send()) this.#pauseMilliseconds = firstPauseMilliseconds;
    if (this.#isDropping && this.#waiting <= maximumWaiting / 2) {
      this.#isDropping = false;
      this.#tell();
    }
    this.#isScheduled = this.#hasMore;
    if (!this.#hasMore) return;
    setTimeout(() => this.#flush(), this.#pauseMilliseconds).unref();
    this.#pauseMilliseconds = Math.min(this.#pauseMilliseconds * 2, longestPauseMilliseconds);
  }

  /** @returns whether anything was taken */
  #send(): boolean {
    if (this.#piece.length === 0) this.#piece = this.#nextPiece();
    try {
      const taken = this.#options.send(this.#piece);
      this.#piece = this.#piece.subarray(taken);
      return taken > 0;
    } catch (error) {
      // What passes, such as a disk that is full, is waited for like a reader that takes nothing.
      if (closedCodes.has((error as NodeJS.ErrnoException).code ?? '')) this.#close();
      return false;
    }
  }

  #nextPiece(): Uint8Array {
    let count = 0;
    let length = 0;
    do {
      length += this.#lines[count]?.length ?? 0;
      count += 1;
    } while (count < this.#lines.length && length + (this.#lines[count]?.length ?? 0) <= pieceLength);
    this.#waiting -= length;
    return Buffer.from(this.#lines.splice(0, count).join(''));
  }

  #close(): void {
    this.#isClosed = true;
    this.#droppedLines += this.#lines.length;
    this.#lines = [];
    this.#waiting = 0;
  }

  #tell(): void {
    const lines = this.#untold;
    this.#untold = 0;
    if (lines > 0) this.#options.onDropped(lines);
  }
}

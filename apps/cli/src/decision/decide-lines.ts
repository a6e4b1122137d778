import type { Readable, Writable } from 'node:stream';
import { BatchedOutput } from './batched-output.ts';
import { decideBlock, type DecidedBlock } from './decide-block.ts';
import { LineDecider } from './decide-line.ts';
import { DeciderPool } from './decider-pool.ts';
import { type Line, readLines } from './read-lines.ts';

/** Where inputs come from and outputs go. */
export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Lines that are decided before threads are started, which takes longer than deciding these. */
const linesBeforeThreads = 2_000;
/** A block is this long, or one line. */
const blockLength = 512 * 1024;

/**
 * Reads one input per line and prints one output per line, in order; a long input is spread over threads. A bad line
 * prints its error and the run goes on.
 *
 * @returns the exit status: 1 after any bad line, else 0
 */
export async function decideLines(
  { input, output }: Streams,
  threads = DeciderPool.usefulSize(),
): Promise<0 | 1> {
  const run = new DecideRun(new BatchedOutput(output), threads);
  try {
    for await (const lines of readLines(input)) for (const block of blocksOf(lines)) await run.add(block);
    return await run.finish();
  } finally {
    await run.close();
  }
}

/** Consecutive lines together, so that a thread is asked seldom. */
function* blocksOf(lines: readonly Line[]): Generator<readonly Line[]> {
  let block: Line[] = [];
  let length = 0;
  for (const line of lines) {
    block.push(line);
    length += 'text' in line ? line.text.length : 0;
    if (length < blockLength) continue;
    yield block;
    block = [];
    length = 0;
  }
  if (block.length > 0) yield block;
}

class DecideRun {
  readonly #output: BatchedOutput;
  readonly #threads: number;
  readonly #decider = new LineDecider();
  readonly #inWork: Promise<DecidedBlock>[] = [];
  #pool: DeciderPool | null = null;
  #lines = 0;
  #hasBadLine = false;

  constructor(output: BatchedOutput, threads: number) {
    this.#output = output;
    this.#threads = threads;
  }

  async add(block: readonly Line[]): Promise<void> {
    this.#lines += block.length;
    if (this.#threads < 2 || this.#lines <= linesBeforeThreads) {
      await this.#print(decideBlock(this.#decider, block));
      return;
    }
    this.#pool ??= new DeciderPool(this.#threads);
    if (this.#inWork.length >= this.#pool.capacity) await this.#printOldest();
    this.#inWork.push(this.#pool.decide(block));
  }

  async finish(): Promise<0 | 1> {
    while (this.#inWork.length > 0) await this.#printOldest();
    await this.#output.flush();
    return this.#hasBadLine ? 1 : 0;
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  async #printOldest(): Promise<void> {
    const oldest = this.#inWork.shift();
    if (oldest !== undefined) await this.#print(await oldest);
  }

  async #print({ text, hasBadLine }: DecidedBlock): Promise<void> {
    this.#hasBadLine ||= hasBadLine;
    this.#output.line(text);
    await this.#output.flushFull();
  }
}

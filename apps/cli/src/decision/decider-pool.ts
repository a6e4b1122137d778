import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { DecidedBlock } from './decide-block.ts';
import type { Line } from './read-lines.ts';

/** Threads beyond these would wait for the one that splits lines. */
const maxWorkers = 4;
/** Blocks that wait at each worker, so that it never idles and memory stays bounded. */
const blocksPerWorker = 2;

/** Threads that decide blocks of lines. Each answers in the order in which it was asked. */
export class DeciderPool {
  readonly #workers: readonly DecidingWorker[];
  #next = 0;

  constructor(size = DeciderPool.usefulSize()) {
    this.#workers = Array.from({ length: size }, () => new DecidingWorker());
  }

  /** How many threads this machine has a use for; below 2 a pool is none. */
  static usefulSize(): number {
    return Math.min(availableParallelism(), maxWorkers);
  }

  /** Blocks that may be in work at once. */
  get capacity(): number {
    return this.#workers.length * blocksPerWorker;
  }

  /** Turn by turn, since blocks cost much the same. */
  decide(lines: readonly Line[]): Promise<DecidedBlock> {
    const worker = this.#workers[this.#next % this.#workers.length];
    this.#next += 1;
    if (worker === undefined) throw new Error('a pool without workers');
    return worker.decide(lines);
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }
}

interface Waiting {
  readonly resolve: (block: DecidedBlock) => void;
  readonly reject: (error: Error) => void;
}

class DecidingWorker {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];

  constructor() {
    const isSource = import.meta.url.endsWith('.ts');
    const file = isSource ? './decide-worker.ts' : './decide-worker.js';
    this.#worker = new Worker(new URL(file, import.meta.url), {
      ...(isSource ? { execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'] } : {}),
    });
    this.#worker.on('message', (block: DecidedBlock) => this.#waiting.shift()?.resolve(block));
    this.#worker.on('error', (error: Error) => {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    });
  }

  decide(lines: readonly Line[]): Promise<DecidedBlock> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(lines);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

import { Worker } from 'node:worker_threads';
import { type Batch, type BatchAnswer, packBatch, readyMessage } from './batch-message.ts';

/** What a thread may use. */
export interface ThreadSettings {
  /** The module that it runs. */
  readonly module: URL;
  /** For one batch, from when the thread has started. */
  readonly timeoutMilliseconds: number;
  /** Of its heap. */
  readonly memoryMegabytes: number;
}

/** Of the part of its heap where objects begin: at the default of three times as much it is no faster, only larger. */
const youngMegabytes = 8;

/** To load its modules: half a second, and on a busy machine ten times that. */
const startMilliseconds = 30_000;

interface Asked {
  readonly resolve: (answer: BatchAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One thread that parses one batch at a time. It is good until its first failure: what hangs, dies or takes too much
 * memory is ended, and its batch rejected with an error whose message ends a sentence.
 */
export class ParserThread {
  readonly #settings: ThreadSettings;
  readonly #worker: Worker;
  #asked: Asked | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isReady = false;
  /** Why it is of no more use. */
  #ended: string | undefined;

  constructor(settings: ThreadSettings) {
    this.#settings = settings;
    const fromSource = settings.module.pathname.endsWith('.ts');
    this.#worker = new Worker(settings.module, {
      name: 'policy-parser',
      resourceLimits: {
        maxOldGenerationSizeMb: settings.memoryMegabytes,
        maxYoungGenerationSizeMb: youngMegabytes,
      },
      ...(fromSource ? { execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'] } : {}),
    });
    this.#worker.on('message', (message: BatchAnswer | typeof readyMessage) => this.#receive(message));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.#fail(this.#reasonOf(error)));
    this.#worker.on('messageerror', () => this.#fail('its parser gave no answer that can be read'));
    this.#worker.on('exit', () => this.#fail('its parser ended'));
    // A thread that waits for work must not keep the process.
    this.#worker.unref();
  }

  /** Parses a batch; only when the last one is answered. Rejects when the thread has failed, which ends it. */
  parse(batch: Batch): Promise<BatchAnswer> {
    if (this.#ended !== undefined) return Promise.reject(new Error(this.#ended));
    return new Promise((resolve, reject) => {
      this.#asked = { resolve, reject };
      this.#startTimer();
      this.#worker.ref();
      const message = packBatch(batch);
      this.#worker.postMessage(message, [message.bytes.buffer]);
    });
  }

  /** Ends the thread, whatever it does; a batch under way is rejected. */
  async end(): Promise<void> {
    this.#fail('the parser was closed');
    await this.#worker.terminate();
  }

  #receive(message: BatchAnswer | typeof readyMessage): void {
    if (message === readyMessage) {
      this.#isReady = true;
      if (this.#asked !== undefined) this.#startTimer();
    } else {
      this.#take()?.resolve(message);
      this.#worker.unref();
    }
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    const milliseconds = this.#isReady ? this.#settings.timeoutMilliseconds : startMilliseconds;
    const what = this.#isReady ? 'it took more than' : 'its parser did not start within';
    this.#timer = setTimeout(() => this.#fail(`${what} ${milliseconds / 1000} s`), milliseconds);
  }

  #fail(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    void this.#worker.terminate();
    this.#take()?.reject(new Error(reason));
  }

  #take(): Asked | undefined {
    const asked = this.#asked;
    this.#asked = undefined;
    clearTimeout(this.#timer);
    return asked;
  }

  #reasonOf({ code, message }: NodeJS.ErrnoException): string {
    return code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? `it needs more than ${this.#settings.memoryMegabytes} MB of memory`
      : `its parser ended (${message})`;
  }
}

import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';

/** A file that is written in pieces, and the links that Kubernetes swaps, change several times in a row. */
const quietMilliseconds = 250;

/** A folder on a network file system, or one that is mounted anew, tells of no change. */
const lookMilliseconds = 10_000;

export interface FileWatchOptions {
  /** Absent: only what is asked for is looked at. */
  readonly file: string | undefined;
  /** Looks at the file; never called again before it has ended. Must not throw. */
  readonly look: () => Promise<void>;
  readonly lookMilliseconds?: number;
  readonly quietMilliseconds?: number;
}

/**
 * Calls back when a file may have changed: when anything in its folder did, since a ConfigMap is changed by a link beside
 * the file, and at every look in between. Changes that come together are one.
 */
export class FileWatch {
  readonly #options: FileWatchOptions;
  #watcher: FSWatcher | undefined;
  #looks: NodeJS.Timeout | undefined;
  #pending: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isAskedAgain = false;
  #isStopped = false;

  constructor(options: FileWatchOptions) {
    this.#options = options;
  }

  start(): void {
    const { file } = this.#options;
    if (file === undefined) return;
    const milliseconds = this.#options.lookMilliseconds ?? lookMilliseconds;
    this.#looks = setInterval(() => this.request(), milliseconds).unref();
    try {
      this.#watcher = watch(dirname(file), { persistent: false }, () => this.#note());
      // A folder that is removed, or a limit of the system: the looks go on.
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch {
      this.#watcher = undefined;
    }
  }

  /** Looks now, or again once the look under way has ended. */
  request(): void {
    if (this.#isStopped) return;
    clearTimeout(this.#pending);
    this.#pending = undefined;
    if (this.#running !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#running = this.#look().finally(() => {
      this.#running = undefined;
      if (!this.#isAskedAgain) return;
      this.#isAskedAgain = false;
      this.request();
    });
  }

  /** Waits for a look under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#looks);
    clearTimeout(this.#pending);
    this.#watcher?.close();
    await this.#running;
  }

  async #look(): Promise<void> {
    await this.#options.look();
  }

  #note(): void {
    if (this.#isStopped) return;
    clearTimeout(this.#pending);
    this.#pending = setTimeout(
      () => this.request(),
      this.#options.quietMilliseconds ?? quietMilliseconds,
    ).unref();
  }
}

import { type Question, SqliteWorkerClient } from './sqlite-worker-client.ts';
import type { WorkerAnswer, WorkerSettings } from './worker-protocol.ts';

/** A worker that is started again when it has ended, for example out of memory, with the next request. */
export class RestartingWorker {
  readonly #settings: WorkerSettings;
  readonly #timeoutMilliseconds: number;
  #client: SqliteWorkerClient;
  #restarting: Promise<SqliteWorkerClient> | null = null;
  #waiting = 0;
  #isClosed = false;

  private constructor(client: SqliteWorkerClient, settings: WorkerSettings, timeoutMilliseconds: number) {
    this.#client = client;
    this.#settings = settings;
    this.#timeoutMilliseconds = timeoutMilliseconds;
  }

  /** @throws AdapterError that says why the file could not be opened. */
  static async start(settings: WorkerSettings, timeoutMilliseconds: number): Promise<RestartingWorker> {
    const client = await SqliteWorkerClient.start(settings, timeoutMilliseconds);
    return new RestartingWorker(client, settings, timeoutMilliseconds);
  }

  /** The number of unanswered requests. */
  get load(): number {
    return this.#client.load + this.#waiting;
  }

  /** @throws AdapterError */
  async ask(question: Question): Promise<WorkerAnswer> {
    if (this.#client.ended === null) return this.#client.ask(question);
    if (this.#isClosed) throw this.#client.ended;
    this.#waiting += 1;
    try {
      this.#restarting ??= this.#restart();
      await this.#restarting;
    } finally {
      this.#waiting -= 1;
    }
    return this.#client.ask(question);
  }

  /** Answers pending requests, then ends the worker for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#restarting?.catch(() => undefined);
    await this.#client.close();
  }

  async #restart(): Promise<SqliteWorkerClient> {
    try {
      const client = await SqliteWorkerClient.start(this.#settings, this.#timeoutMilliseconds);
      this.#client = client;
      return client;
    } finally {
      this.#restarting = null;
    }
  }
}

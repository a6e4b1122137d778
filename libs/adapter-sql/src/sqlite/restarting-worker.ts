import type { SqlStatement } from '../connection/sql-database.ts';
import type { Question, SqliteWorkerClient } from './sqlite-worker-client.ts';
import type { WorkerAnswer } from './worker-protocol.ts';

/** `isAgain`: in the place of one that has ended. */
type Start = (isAgain: boolean) => Promise<SqliteWorkerClient>;

/** A worker that is started again when it has ended, for example out of memory, with the next request. */
export class RestartingWorker {
  readonly #start: Start;
  #client: SqliteWorkerClient;
  #restarting: Promise<void> | null = null;
  #waiting = 0;
  #isClosed = false;

  private constructor(client: SqliteWorkerClient, start: Start) {
    this.#client = client;
    this.#start = start;
  }

  /** @throws AdapterError that says why the worker could not be started. */
  static async start(start: Start): Promise<RestartingWorker> {
    return new RestartingWorker(await start(false), start);
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

  /** Sends the rows of a transaction that will be asked for next, or never; see {@link SqliteWorkerClient.prepare}. */
  prepare(statements: readonly SqlStatement[]): void {
    this.#client.prepare(statements);
  }

  /** Answers pending requests, then ends the worker for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#restarting?.catch(() => undefined);
    await this.#client.close();
  }

  async #restart(): Promise<void> {
    try {
      this.#client = await this.#start(true);
    } finally {
      this.#restarting = null;
    }
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { PendingTable } from '#kernel';
import { databaseError, type DatabaseErrorCode } from '../connection/database-error.ts';
import type { SqlStatement } from '../connection/sql-database.ts';
import type {
  ForgetMessage,
  RowsMessage,
  WorkerAnswer,
  WorkerRequest,
  WorkerSettings,
} from './worker-protocol.ts';

/** Requests that may wait for one worker: about a second of work. */
const maximumPendingRequests = 1_000;

/** Migrating a large file is slow, and nothing works without it. */
const startTimeoutMilliseconds = 600_000;

export type Question = WorkerRequest extends infer Request
  ? Request extends WorkerRequest
    ? Omit<Request, 'id'>
    : never
  : never;

/** Some ten milliseconds of copying. */
const rowsAtOnce = 1_000;

interface Pending {
  /** A request without an answer may still be carried out by the worker. */
  readonly isTransaction: boolean;
  readonly resolve: (answer: WorkerAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** A transaction whose rows are sent before it is asked for. */
interface Ahead {
  readonly id: number;
  readonly statements: readonly SqlStatement[];
  /** How many messages the rows took. */
  readonly parts: Promise<number>;
}

/** The main thread's side of one worker: a bounded queue of requests, each with a timeout. */
export class SqliteWorkerClient {
  readonly #worker: Worker;
  readonly #pending = new PendingTable<Pending>();
  readonly #timeoutMilliseconds: number;
  #lastId = 0;
  #ahead: Ahead | null = null;
  #ended: Error | null = null;

  private constructor(settings: WorkerSettings, timeoutMilliseconds: number) {
    this.#timeoutMilliseconds = timeoutMilliseconds;
    const fromSource = import.meta.url.endsWith('.ts');
    this.#worker = new Worker(
      new URL(fromSource ? './sqlite-worker.ts' : './sqlite-worker.js', import.meta.url),
      {
        workerData: settings,
        name: `sqlite-${settings.role}`,
        // Rows are short-lived; by default each thread would keep up to 48 MB for them.
        resourceLimits: { maxYoungGenerationSizeMb: 8 },
        ...(fromSource ? { execArgv: ['--conditions=source'] } : {}),
      },
    );
    this.#worker.on('message', (answer: WorkerAnswer) => this.#receive(answer));
    this.#worker.on('error', (error: Error) =>
      this.#end('ConnectionFailed', `a database worker failed: ${error.message}`),
    );
    this.#worker.on('exit', () => this.#end('Closed', 'the database is closed'));
  }

  /**
   * Starts a worker and waits until its connection is open.
   *
   * @throws AdapterError that says why the connection could not be opened.
   */
  static async start(settings: WorkerSettings, timeoutMilliseconds: number): Promise<SqliteWorkerClient> {
    const client = new SqliteWorkerClient(settings, timeoutMilliseconds);
    try {
      await client.#wait(0, startTimeoutMilliseconds);
      return client;
    } catch (error) {
      await client.#worker.terminate();
      throw error;
    }
  }

  /** Why it answers nothing more; `null` while it does. */
  get ended(): Error | null {
    return this.#ended;
  }

  /** The number of unanswered requests. */
  get load(): number {
    return this.#pending.size;
  }

  /** @throws AdapterError */
  ask(question: Question): Promise<WorkerAnswer> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    if (this.#pending.size >= maximumPendingRequests) {
      return Promise.reject(
        databaseError('QueueFull', `${maximumPendingRequests} requests are waiting for the database`),
      );
    }
    const isLong = question.ask === 'transaction' && countRows(question.statements) > rowsAtOnce;
    const ahead = isLong ? this.#takeAhead(question.statements) : null;
    const id = ahead?.id ?? this.#nextId();
    const waiting = this.#wait(id, this.#timeoutMilliseconds, question.ask === 'transaction');
    if (isLong) void this.#askInParts(ahead ?? this.#sendAhead(id, question.statements));
    else this.#worker.postMessage({ ...question, id });
    return waiting;
  }

  /**
   * Sends the rows of a transaction that will be asked for next, or never: the worker has them when it has carried out the
   * one before. One is prepared at a time.
   */
  prepare(statements: readonly SqlStatement[]): void {
    if (this.#ended !== null || countRows(statements) <= rowsAtOnce) return;
    if (this.#ahead !== null) this.#forget(this.#ahead.id);
    this.#ahead = this.#sendAhead(this.#nextId(), statements);
  }

  #forget(id: number): void {
    this.#worker.postMessage({ id, ask: 'forget' } satisfies ForgetMessage);
  }

  #takeAhead(statements: readonly SqlStatement[]): Ahead | null {
    const ahead = this.#ahead;
    if (ahead?.statements !== statements) return null;
    this.#ahead = null;
    return ahead;
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #sendAhead(id: number, statements: readonly SqlStatement[]): Ahead {
    return { id, statements, parts: this.#sendRows(id, statements) };
  }

  async #askInParts({ id, statements, parts }: Ahead): Promise<void> {
    const sent = await parts;
    // Nothing waits for the answer any more: the worker ended, or took too long.
    if (!this.#pending.has(id)) {
      this.#forget(id);
      return;
    }
    const rest = statements.map((statement) =>
      statement.rows === undefined ? statement : { ...statement, rows: [] },
    );
    this.#worker.postMessage({
      id,
      ask: 'transaction',
      statements: rest,
      parts: sent,
    } satisfies WorkerRequest);
  }

  /** Lets the loop turn between two parts: copying ten thousand rows at once would hold it for a tenth of a second. */
  async #sendRows(id: number, statements: readonly SqlStatement[]): Promise<number> {
    let parts = 0;
    for (const [index, { rows = [] }] of statements.entries()) {
      for (let start = 0; start < rows.length; start += rowsAtOnce) {
        const part: RowsMessage = { id, ask: 'rows', index, rows: rows.slice(start, start + rowsAtOnce) };
        this.#worker.postMessage(part);
        parts += 1;
        await nextTurn();
        if (!this.#pending.has(id) && this.#ahead?.id !== id) return parts;
      }
    }
    return parts;
  }

  /** Answers pending requests, then ends the worker. */
  async close(): Promise<void> {
    if (this.#ended === null) await this.ask({ ask: 'close' });
    await this.#worker.terminate();
  }

  #wait(id: number, timeoutMilliseconds: number, isTransaction = false): Promise<WorkerAnswer> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.take(id);
        const code = isTransaction ? 'OutcomeUnknown' : 'Timeout';
        reject(databaseError(code, `no answer from the database within ${timeoutMilliseconds} ms`));
      }, timeoutMilliseconds);
      this.#pending.add(id, { isTransaction, resolve, reject, timer });
    });
  }

  #receive(answer: WorkerAnswer): void {
    const pending = this.#pending.take(answer.id);
    if (pending === undefined) return;
    clearTimeout(pending.timer);
    if (answer.error === undefined) pending.resolve(answer);
    else pending.reject(databaseError(answer.error.code, answer.error.message));
  }

  #end(code: DatabaseErrorCode, message: string): void {
    this.#ended ??= databaseError(code, message);
    for (const { isTransaction, reject, timer } of this.#pending.takeAll()) {
      clearTimeout(timer);
      reject(isTransaction ? databaseError('OutcomeUnknown', message) : this.#ended);
    }
  }
}

function countRows(statements: readonly SqlStatement[]): number {
  return statements.reduce((sum, { rows = [] }) => sum + rows.length, 0);
}

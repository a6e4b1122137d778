import { AdapterError, err, ok, type Result } from '#kernel';
import type {
  SqlDatabase,
  SqlOutcome,
  SqlQuery,
  SqlRefusal,
  SqlRow,
  SqlStatement,
} from '../connection/sql-database.ts';
import { RestartingWorker } from './restarting-worker.ts';
import { SqliteWorkerClient } from './sqlite-worker-client.ts';
import type { WorkerSettings } from './worker-protocol.ts';

/** Two, so that one long query does not delay the others. More would not help: the file is in the page cache. */
const readerCount = 2;

const freeScopes = [{ sql: 'UPDATE ledger_epoch SET holder = NULL, renewed_at = NULL' }];

export interface SqliteOptions {
  readonly timeoutMilliseconds: number;
  /** Whether space that is freed goes back to the file system. */
  readonly givesSpaceBack: boolean;
}

/** SQLite in worker threads, one writer and two readers, so that no query blocks the event loop. */
export class SqliteDatabase implements SqlDatabase {
  readonly dialect = 'sqlite';
  readonly #writer: RestartingWorker;
  readonly #readers: readonly RestartingWorker[];
  #corruption: AdapterError | null = null;

  private constructor(writer: RestartingWorker, readers: readonly RestartingWorker[]) {
    this.#writer = writer;
    this.#readers = readers;
  }

  /**
   * Opens the file, creates it if it is missing (mode 0600), and migrates it.
   *
   * @throws AdapterError; `DatabaseLocked` when another process holds the file.
   */
  static async open(
    file: string,
    { timeoutMilliseconds, givesSpaceBack }: SqliteOptions,
  ): Promise<SqliteDatabase> {
    const start = (role: WorkerSettings['role']): Promise<RestartingWorker> =>
      RestartingWorker.start((isAgain) =>
        SqliteWorkerClient.start({ file, role, isAgain, givesSpaceBack }, timeoutMilliseconds),
      );
    const writer = await start('writer');
    const readers: RestartingWorker[] = [];
    const database = new SqliteDatabase(writer, readers);
    try {
      for (let count = 0; count < readerCount; count += 1) readers.push(await start('reader'));
      // The process lock shows that every earlier holder is gone, so that this process need not wait for its fences to expire.
      await database.transaction(freeScopes);
      return database;
    } catch (error) {
      // A thread left running would keep the process of a start that failed alive.
      await database.close();
      throw error;
    }
  }

  async query(query: SqlQuery): Promise<readonly SqlRow[]> {
    const reader = this.#readers.reduce((idlest, next) => (next.load < idlest.load ? next : idlest));
    const answer = await this.#noteCorruption(reader.ask({ ask: 'query', query }));
    return answer.rows ?? [];
  }

  async transaction(statements: readonly SqlStatement[]): Promise<Result<readonly SqlOutcome[], SqlRefusal>> {
    // A damaged file is not written to again: what it says may be wrong, and more damage helps nobody.
    if (this.#corruption !== null) throw this.#corruption;
    const answer = await this.#noteCorruption(this.#writer.ask({ ask: 'transaction', statements }));
    return answer.refusal === undefined ? ok(answer.outcomes ?? []) : err(answer.refusal);
  }

  prepare(statements: readonly SqlStatement[]): void {
    this.#writer.prepare(statements);
  }

  async #noteCorruption<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof AdapterError && error.code === 'DatabaseCorrupt') this.#corruption ??= error;
      throw error;
    }
  }

  /** Closes the readers first: the last connection that closes checkpoints the write-ahead log. */
  async close(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.close()));
    await this.#writer.close();
  }
}
